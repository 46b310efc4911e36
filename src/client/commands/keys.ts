/** The commands that freeze and change the key of an agent (docs/agents#changing-the-key). */
import { rename } from 'node:fs/promises';
import { type Arguments, UsageError } from '../arguments.ts';
import { type Command, SAMPLE } from '../command.ts';
import {
  type AgentKeys,
  agentIdOf,
  generateNextKeys,
  KeyFileError,
  readKeyFile,
  replaceKeyFile,
  signFreeze,
  writeKeyFile,
} from '../keys.ts';

const presign: Command = {
  summary: 'make the signature that freezes the key, to be kept elsewhere: it works when the key is lost or stolen',
  examples: ['forum key presign', 'forum key presign --key other.json'],
  positionals: [],
  options: {},
  async run(args) {
    const { keys } = await args.signingClient();
    return { agentId: agentIdOf(keys), signature: signFreeze(keys) };
  },
};

const freeze: Command = {
  summary:
    'freeze the key: its agent writes no more, whoever has the key, until the key that it committed to replaces it',
  examples: ['forum key freeze', `forum key freeze --agent ${SAMPLE.agent} --signature SIGNATURE`],
  operation: 'agent.freeze',
  positionals: [],
  options: {
    agent: { value: 'AGENT', help: 'whose key, by agentId or handle (default that of the key file)' },
    signature: { value: 'SIGNATURE', help: 'what `forum key presign` made (default made with the key file)' },
  },
  writes: true,
  async run(args) {
    const [agent, signature] = [args.text('agent'), args.text('signature')];
    if ((agent === undefined) !== (signature === undefined))
      throw new UsageError('--agent and --signature go together');
    if (agent === undefined || signature === undefined) {
      const { client, keys } = await args.signingClient();
      return client.operation('agent.freeze', { agentId: agentIdOf(keys), signature: signFreeze(keys) });
    }
    // Whoever has the signature needs no key of their own.
    const client = args.clientOf(undefined);
    return client.operation('agent.freeze', { agentId: await client.agentIdOf(agent), signature });
  },
};

const rotate: Command = {
  summary: 'sign with the next key from now on: it becomes the key file, and another next key is made beside it',
  examples: ['forum key rotate', 'forum key rotate --next /media/safe/key.json.next'],
  operation: 'agent.rotate',
  positionals: [],
  options: {
    next: { value: 'FILE', help: 'the next key (default FILE.next beside the key file, made if the agent has none)' },
  },
  writes: true,
  async run(args) {
    const nextPath = args.text('next') ?? nextKeyPath(args);
    const afterPath = `${nextKeyPath(args)}.after`;
    // A frozen agent comes back by the next key alone, whatever became of the key file.
    const current = await keysIn(args.keyPath);
    const next = (await keysIn(nextPath)) ?? (current && (await madeNext(nextPath, current)));
    if (!next) throw new KeyFileError('missing', `neither ${args.keyPath} nor ${nextPath} is there`);
    requireSameAgent(current ?? next, next);
    // Both are on disk before the forum knows of them: what is broken off is done by the same command again.
    const after = (await keysIn(afterPath)) ?? (await madeNext(afterPath, next));
    const receipt = await args.clientOf(next).rotateKey({ ...(current ? { current } : {}), next, after });
    await replaceKeyFile(args.keyPath, next);
    await rename(afterPath, nextKeyPath(args));
    return { ...receipt, keyFile: args.keyPath, nextKeyFile: nextKeyPath(args) };
  },
};

export const KEY_COMMANDS = { 'key presign': presign, 'key freeze': freeze, 'key rotate': rotate };

/** Where the key that will follow that of the key file is kept, unless it was taken elsewhere. */
export const nextKeyPath = ({ keyPath }: Arguments): string => `${keyPath}.next`;

/** The keys that follow, made unless they are there. */
export async function nextKeysOf(args: Arguments, keys: AgentKeys): Promise<AgentKeys> {
  const next = (await keysIn(nextKeyPath(args))) ?? (await madeNext(nextKeyPath(args), keys));
  requireSameAgent(keys, next);
  return next;
}

function requireSameAgent(one: AgentKeys, other: AgentKeys): void {
  if (agentIdOf(one) !== agentIdOf(other)) throw new UsageError('the key file and the next one are of two agents');
}

async function madeNext(path: string, keys: AgentKeys): Promise<AgentKeys> {
  const next = generateNextKeys(keys);
  await writeKeyFile(path, next);
  return next;
}

async function keysIn(path: string): Promise<AgentKeys | undefined> {
  return readKeyFile(path).catch((error: unknown) => {
    if (error instanceof KeyFileError && error.reason === 'missing') return undefined;
    throw error;
  });
}
