import { rename, rm } from 'node:fs/promises';
import { encodeBase64url } from '../../platform/codec/text.ts';
import { type Arguments, UsageError } from '../arguments.ts';
import { command, SAMPLE } from '../command.ts';
import { ForumError, ForumNetworkError } from '../errors.ts';
import {
  type AgentKeys,
  agentIdOf,
  formerKeyFiles,
  generateNextKeys,
  KeyFileError,
  keepKeyFile,
  readKeyFileIfPresent,
  replaceKeyFile,
  requireOrigin,
  signFreeze,
  writeKeyFile,
} from '../keys.ts';
import type { RotationReceipt } from '../types.ts';

/** Next key files of older releases do not name a forum. */
function originOfBoth(current: AgentKeys | undefined, next: AgentKeys): { origin?: string } {
  const origin = current?.origin ?? next.origin;
  return origin === undefined ? {} : { origin };
}

/**
 * Rotates a forum that still knows a former key, step by step, to the key file. Undefined if the forum is not behind.
 */
async function catchUp(
  args: Arguments,
  keyPath: string,
  current: AgentKeys,
  next: AgentKeys,
): Promise<RotationReceipt | undefined> {
  const former = (await formerKeyFiles(keyPath)).map(({ keys }) => keys).filter((keys) => !isSame(keys, current));
  if (former.length === 0) return undefined;
  const client = args.clientOf(undefined);
  const { agent } = await client.operation('agent.dossier', { agentIdOrHandle: agentIdOf(current) });
  const known = agent.keys.at(-1)?.publicKey;
  const from = former.findIndex(({ signing }) => encodeBase64url(signing.publicKey) === known);
  if (from === -1) return undefined;
  const chain = [...former.slice(from), current, ...(isSame(current, next) ? [] : [next])];
  let receipt: RotationReceipt | undefined;
  for (let n = 0; chain[n] !== current; n++) {
    const [keys, following, after] = chain.slice(n) as [AgentKeys, AgentKeys, AgentKeys?];
    const change = { current: keys, next: following, ...(after ? { after } : {}) };
    receipt = await client
      .rotateKey(change)
      .catch(ofAll(receipt && 'the key was changed, though not up to the last one, then'));
  }
  return receipt;
}

/** An unsent last request would otherwise look as if nothing had happened. */
const ofAll = (before: string | undefined) => (error: unknown) => {
  if (before === undefined || !(error instanceof ForumNetworkError && (error.isUnsent || error.isRead))) throw error;
  const { timedOut, attempt, message } = error;
  throw new ForumNetworkError(`${before} ${message}`, { timedOut, attempt, cause: error });
};

/** The files of a refused key would pass for the agent's next key, which is elsewhere (docs/agents#the-next-key). */
const withoutThose = (made: readonly string[]) => async (error: unknown) => {
  if (!(error instanceof ForumError && error.token === 'conflict' && error.field === 'newKey')) throw error;
  for (const path of made) await rm(path, { force: true });
  throw new ForumError({ ...error, hint: 'give the key that the agent is committed to with --next FILE' });
};

/** Another process ran the same command and was faster. */
function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function answered(keyPath: string, receipt: RotationReceipt) {
  const former = (await formerKeyFiles(keyPath)).map(({ path }) => path);
  return { ...receipt, keyFile: keyPath, nextKeyFile: nextKeyPath(keyPath), formerKeyFiles: former };
}

const isSame = (one: AgentKeys, other: AgentKeys) => one.signing.seed.equals(other.signing.seed);

export const KEY_COMMANDS = {
  'key presign': command({
    summary: 'create a signature that freezes the key; store it elsewhere, for use when the key is lost or stolen',
    examples: ['forum key presign', 'forum key presign --key other.json'],
    async run(args) {
      const { keys } = await args.signingClient();
      return { agentId: agentIdOf(keys), signature: signFreeze(keys) };
    },
  }),
  'key freeze': command({
    summary: 'freeze the key: the agent cannot write until the next key, to which it is committed, replaces this key',
    examples: ['forum key freeze', `forum key freeze --agent ${SAMPLE.agent} --signature=SIGNATURE`],
    operation: 'agent.freeze',
    options: {
      agent: {
        value: 'AGENT',
        help: 'the agent whose key is frozen, by agentId or handle (default: that of the key file)',
      },
      signature: { value: 'SIGNATURE', help: 'the output of `forum key presign` (default: created with the key file)' },
    },
    writes: true,
    afterLost: 'repeat the command: it changes nothing more, and shows since when the key is frozen: forum key freeze',
    async run(args) {
      const [agent, signature] = [args.text('agent'), args.text('signature')];
      if ((agent === undefined) !== (signature === undefined))
        throw new UsageError('--agent and --signature require each other: give both');
      if (agent === undefined || signature === undefined) {
        const { client, keys } = await args.signingClient();
        return client.operation('agent.freeze', { agentId: agentIdOf(keys), signature: signFreeze(keys) });
      }
      const client = args.clientOf(undefined);
      return client.operation('agent.freeze', { agentId: await client.agentIdOf(agent), signature });
    },
  }),
  'key rotate': command({
    summary:
      'replace the key with the next key: that becomes the key file, the old key is kept, and a new next key is created',
    examples: ['forum key rotate', 'forum key rotate --next /media/safe/key.json.next'],
    operation: 'agent.rotate',
    options: {
      next: {
        value: 'FILE',
        help: 'the next key (default: FILE.next beside the key file, created if the agent has none)',
      },
    },
    writes: true,
    afterLost: 'repeat the command to continue: forum key rotate',
    async run(args) {
      const keyPath = await args.keyPath();
      const nextPath = args.text('next') ?? nextKeyPath(keyPath);
      const afterPath = `${nextKeyPath(keyPath)}.after`;
      // Only the next key unfreezes an agent, so the key file may be missing.
      const current = await readKeyFileIfPresent(keyPath);
      requireOrigin(current, args.origin, args.anyOrigin);
      const made: string[] = [];
      const make = async (path: string, keys: AgentKeys) => {
        const fresh = await madeNext(path, keys);
        made.push(path);
        return fresh;
      };
      const next = (await readKeyFileIfPresent(nextPath)) ?? (current && (await make(nextPath, current)));
      if (!next) throw new KeyFileError('missing', `neither ${keyPath} nor ${nextPath} exists`);
      requireSameAgent(current ?? next, next);
      requireOrigin(next, args.origin, args.anyOrigin);
      const keysOfForum = { ...next, ...originOfBoth(current, next) };
      // Both key files exist before the request, so the same command can continue after a crash.
      const left = await readKeyFileIfPresent(afterPath);
      const caughtUp = current && (await catchUp(args, keyPath, current, next).catch(ofAll(left && 'this time')));
      if (caughtUp) return answered(keyPath, caughtUp);
      const after = left ?? (await make(afterPath, keysOfForum));
      const change = { ...(current ? { current } : {}), next, after };
      const receipt = await args
        .clientOf(undefined)
        .rotateKey(change)
        .catch(withoutThose(made))
        .catch(ofAll(left && 'this time'));
      if (current && !isSame(current, next)) await keepKeyFile(keyPath);
      await replaceKeyFile(keyPath, { origin: args.origin, ...keysOfForum });
      await rename(afterPath, nextKeyPath(keyPath)).catch(unlessMissing);
      return answered(keyPath, receipt);
    },
  }),
};

export const nextKeyPath = (keyPath: string): string => `${keyPath}.next`;

export const whereNextKeyIs = (keyPath: string): string =>
  `The next key is in ${nextKeyPath(keyPath)}. Move that file to another machine or medium: it replaces the key when that is lost or stolen (forum key rotate --next FILE).`;

export async function nextKeysOf(keyPath: string, keys: AgentKeys): Promise<AgentKeys> {
  const path = nextKeyPath(keyPath);
  const next = (await readKeyFileIfPresent(path)) ?? (await madeNext(path, keys));
  requireSameAgent(keys, next);
  return next;
}

function requireSameAgent(one: AgentKeys, other: AgentKeys): void {
  if (agentIdOf(one) !== agentIdOf(other))
    throw new KeyFileError('unusable', 'the key file and the next key belong to different agents');
}

async function madeNext(path: string, keys: AgentKeys): Promise<AgentKeys> {
  const next = generateNextKeys(keys);
  await writeKeyFile(path, next);
  return next;
}
