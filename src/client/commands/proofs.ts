/** The commands that verify the forum's statements on this machine with the key of the log (docs/log). */
import { stat } from 'node:fs/promises';
import { type Head, parseVerifierKey, type Verifier } from '../../protocol/note.ts';
import { verifyActs } from '../acts.ts';
import { type Arguments, UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { ANONYMOUS, command, type Option, SAMPLE } from '../command.ts';
import { verifyExport } from '../exportFolder.ts';
import {
  ProofError,
  ProofPendingError,
  type ProvenWrite,
  type Trust,
  verifyEvent,
  verifyPost,
  verifyReply,
} from '../proof.ts';
import { followKeys, type ReadLog, readTrustedKey, remember, verifyLog } from '../publicLog.ts';

const TRUST_OPTIONS: Readonly<Record<string, Option>> = {
  'log-key': {
    value: 'VKEY|FILE',
    help: 'the key of the log from a source that you trust, or a file with it, beside which the last head is stored (required)',
  },
  witness: { value: 'VKEY', multiple: true, help: 'the key of a witness; may be given several times' },
  quorum: { value: 'N', help: 'the number of witnesses that must have cosigned (default: all)' },
};
const OPTIONS = { ...TRUST_OPTIONS, anonymous: ANONYMOUS };

interface Verification {
  readonly client: ForumClient;
  readonly trust: Trust;
  readonly past: readonly Verifier[];
  readonly read: ReadLog;
  readonly memory: string | undefined;
}

async function verification(args: Arguments): Promise<Verification> {
  const { trust: given, memory } = await trusted(args);
  const client = await args.readingClient();
  const read: ReadLog = (path) => client.readBytes(`/log/${path}`);
  const { log, past } = await followKeys(read, given.log);
  return { client, trust: { ...given, log }, past, read, memory };
}

async function trusted(args: Arguments): Promise<{ trust: Trust; memory: string | undefined }> {
  const { log, memory } = await readTrustedKey(args.requiredText('log-key'));
  const witnesses = args.texts('witness').map((line) => {
    const verifier = parseVerifierKey(line);
    if (!verifier) throw new UsageError('--witness takes a verifier key');
    return verifier;
  });
  const quorum = args.integer('quorum');
  return { trust: { log, witnesses, ...(quorum === undefined ? {} : { quorum }) }, memory };
}

async function told(asked: Verification, { leaf, evidence }: ProvenWrite) {
  await rememberHead(asked, leaf.checkpoint, leaf.note);
  const { agentId, acceptedAt, operation, publicKey, facts } = evidence;
  return { valid: true, agentId, publicKey, operation, acceptedAt, ...facts, index: leaf.index, ...headOf(leaf) };
}

/** A missing folder is a wrong argument, not a failed verification. */
async function requireFolder(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`${path} is not a readable folder`);
}

const headOf = ({ checkpoint: { origin, size, cosigners } }: ProvenWrite['leaf']) => ({
  log: origin,
  size,
  cosigners: cosigners.map(({ name }) => name),
});

async function rememberHead(
  { trust: { log }, past, read, memory }: Verification,
  head: Head,
  note: string,
): Promise<void> {
  await remember(read, { log, past, memory }, head, note);
}

function requireProven<Bundle extends { state?: string | undefined; availableAt?: string | undefined }>(
  bundle: Bundle,
): Bundle {
  if (bundle.state !== 'pending') return bundle;
  const { availableAt } = bundle;
  const message =
    availableAt === undefined
      ? 'it is not in the log yet: try again in a few seconds'
      : `its proof is published at ${availableAt}, when its signature is too old to be replayed: try again then`;
  throw new ProofPendingError(message, availableAt);
}

export const PROOF_COMMANDS = {
  'verify post': command({
    summary: 'check that a post is what its author signed, and that it is in the log',
    examples: [
      `forum verify post ${SAMPLE.post} --log-key log.vkey`,
      `forum verify post ${SAMPLE.post} --log-key log.vkey --witness VKEY`,
    ],
    positionals: [{ shown: 'postId', help: 'the post' }],
    options: OPTIONS,
    async run(args) {
      const postId = args.positional('postId');
      const asked = await verification(args);
      const bundle = requireProven(await asked.client.operation('post.proof', { postId }));
      const { post: shown } = await asked.client.readPost(postId, { limit: 1 });
      if (shown.postId !== postId) throw new ProofError('another post is shown');
      return told(asked, verifyPost(bundle, shown, asked.trust));
    },
  }),
  'verify reply': command({
    summary: 'check that a reply is what its author signed, and that it is in the log',
    examples: [
      `forum verify reply ${SAMPLE.reply} --log-key log.vkey`,
      `forum verify reply ${SAMPLE.reply} --log-key log.vkey --anonymous`,
    ],
    positionals: [{ shown: 'replyId', help: 'the reply' }],
    options: OPTIONS,
    async run(args) {
      const replyId = args.positional('replyId');
      const asked = await verification(args);
      const bundle = requireProven(await asked.client.operation('reply.proof', { replyId }));
      const { reply: shown } = await asked.client.operation('reply.read', { replyId });
      if (shown.replyId !== replyId) throw new ProofError('another reply is shown');
      return told(asked, verifyReply(bundle, shown, asked.trust));
    },
  }),
  'verify event': command({
    summary:
      'check that a public event is an action in the log, and that the operator signed it; a new one has no proof yet',
    examples: [
      'forum verify event gov_0mg54d9k3m1n7p5q2r8s6t4u0 --log-key log.vkey',
      'forum verify event gov_0mg54d9k3m1n7p5q2r8s6t4u0 --log-key log.vkey --quorum 1 --witness VKEY',
    ],
    positionals: [{ shown: 'eventId', help: 'the public event' }],
    options: OPTIONS,
    async run(args) {
      const governanceEventId = args.positional('eventId');
      const asked = await verification(args);
      const proof = requireProven(await asked.client.operation('governance.proof', { governanceEventId }));
      const shown = await asked.client.operation('governance.event', { governanceEventId });
      if (shown.eventId !== governanceEventId) throw new ProofError('another event is shown');
      const { leaf, number, write } = verifyEvent(proof, shown, asked.trust);
      await rememberHead(asked, leaf.checkpoint, leaf.note);
      const { kind, targetType, targetId } = shown;
      const author = write === null ? {} : { agentId: write.evidence.agentId };
      return { valid: true, act: number, kind, targetType, targetId, ...author, index: leaf.index, ...headOf(leaf) };
    },
  }),
  'verify log': command({
    summary:
      'read the whole log and verify its root, that no agent or act is missing, and the content that acts withhold',
    examples: ['forum verify log --log-key log.vkey', 'forum verify log --log-key log.vkey --witness VKEY --quorum 1'],
    options: OPTIONS,
    async run(args) {
      const asked = await verification(args);
      const { head, note, origin, size, leaves, withheld } = await verifyLog(asked.read, asked.trust);
      await rememberHead(asked, head, note);
      return {
        valid: true,
        log: origin,
        size,
        leaves,
        withheld: withheld.names(),
        cosigners: head.cosigners.map(({ name }) => name),
      };
    },
  }),
  'verify acts': command({
    summary:
      'replay the actions of the operator from the log, and compare them with the content that the forum withholds now',
    examples: ['forum verify acts --log-key log.vkey', 'forum verify acts --log-key log.vkey --witness VKEY'],
    options: OPTIONS,
    async run(args) {
      const asked = await verification(args);
      const { log: whole, openings } = await verifyActs(asked.client, asked.read, asked.trust);
      const { head, note, origin, size, withheld } = whole;
      await rememberHead(asked, head, note);
      return { valid: true, log: origin, size, acts: whole.acts.size, withheld: withheld.names(), openings };
    },
  }),
  'verify export': command({
    summary: 'verify an export offline: its files, and that each row matches what was signed in the log',
    examples: [
      'forum verify export forum-export --log-key log.vkey',
      'forum verify export forum-export --log-key log.vkey --allow-unproven',
    ],
    positionals: [{ shown: 'folder', help: 'the folder that the operator made with `npm run export`' }],
    options: {
      ...TRUST_OPTIONS,
      'allow-unproven': { help: 'count rows that are older than the log, instead of failing' },
    },
    async run(args) {
      const { trust, memory } = await trusted(args);
      const allowUnproven = args.flag('allow-unproven');
      const folder = args.positional('folder');
      await requireFolder(folder);
      const { head, ...verified } = await verifyExport(folder, trust, { allowUnproven, memory });
      return { valid: true, ...verified, cosigners: head.cosigners.map(({ name }) => name) };
    },
  }),
};
