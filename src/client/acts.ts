/**
 * Replays the operator's moderation actions from the log and compares them with what the forum withholds now
 * (docs/log#acts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeBase64url } from '../platform/codec/text.ts';
import { HIDDEN } from '../protocol/acts.ts';
import { commitmentTo, ProofError, parseLeaf } from '../protocol/logFormat.ts';
import type { ForumClient } from './client.ts';
import { ForumError } from './errors.ts';
import type { Trust } from './proof.ts';
import { LATER, problemOfWithheld, type ReadLog, type VerifiedLog, verifyLog } from './publicLog.ts';

const AT_ONCE = 8;
const NOT_FOUND = 404;
const SETTLED_MS = 5_000;

export interface VerifiedActs {
  readonly log: VerifiedLog;
  /** Number of leaves by what the forum shows of their writes. */
  readonly openings: {
    readonly shown: number;
    readonly private: number;
    readonly withheld: number;
    readonly lost: number;
  };
}

type Opening = Awaited<ReturnType<typeof openingOf>>;
const openingOf = (client: ForumClient, index: number) => client.operation('log.entry', { index: String(index) });

/** The property of a receipt that names the target of an action, and the type of target. */
const NAMED: readonly (readonly [fact: string, type: string])[] = [
  ['postId', 'post'],
  ['replyId', 'reply'],
  ['slug', 'community'],
  ['challengeId', 'challenge'],
  ['feedbackId', 'feedback'],
];

/** Throws ProofError. Compares again after 5 s, because an action takes a moment to get into the log. */
export async function verifyActs(client: ForumClient, read: ReadLog, trust: Trust): Promise<VerifiedActs> {
  const first = await compare(client, read, trust);
  if (first.problems.length === 0) return first;
  await sleep(SETTLED_MS);
  const second = await compare(client, read, trust);
  if (second.problems.length > 0) throw new ProofError(second.problems.join('; '));
  return second;
}

async function compare(
  client: ForumClient,
  read: ReadLog,
  trust: Trust,
): Promise<VerifiedActs & { readonly problems: readonly string[] }> {
  const writes: { index: number; entry: string }[] = [];
  const log = await verifyLog(read, trust, (index, entry) => {
    if (parseLeaf(entry)?.kind === 'write') writes.push({ index, entry: String(entry) });
  });
  const openings = { shown: 0, private: 0, withheld: 0, lost: 0 };
  const problems: string[] = [];
  await each(writes, async ({ index, entry }) => {
    const opening = await openingOf(client, index);
    const problem = problemOf(opening, { index, entry }, log);
    if (problem !== null) problems.push(`entry ${index} ${problem}`);
    if (opening.withheld === undefined) openings.shown += 1;
    else if (opening.withheld === 'private') openings.private += 1;
    else openings[opening.withheld === 'gone' ? 'lost' : 'withheld'] += 1;
  });
  await each(log.withheld.names(), async (name) => {
    const [type = '', id = '', condition = ''] = name.split(' ');
    if (condition === 'suspended' || (condition === 'erased' && type !== 'agent')) return;
    if (await isShown(client, type, id))
      problems.push(`the ${type} ${id} is shown, and by the moderation actions it is ${condition}`);
  });
  return { log, openings, problems };
}

function problemOf(
  { entry, withheld, act, salt, evidence }: Opening,
  leaf: { readonly index: number; readonly entry: string },
  log: VerifiedLog,
): string | null {
  if (entry !== leaf.entry) return 'is another one in the log';
  if (withheld === 'private' || withheld === 'gone') return null;
  if (withheld !== undefined) {
    const problem = problemOfWithheld(withheld, act, log);
    return problem === LATER ? null : problem;
  }
  const bytes = decodeBase64url(String(salt), 16);
  const isOpened = bytes && parseLeaf(entry)?.kind === 'write';
  if (!isOpened || typeof evidence !== 'string') return 'is neither opened nor withheld';
  if (!entry.includes(commitmentTo(bytes, evidence).toString('base64url'))) return 'is opened with something else';
  const { facts } = JSON.parse(evidence) as { facts: Readonly<Record<string, unknown>> };
  const found = NAMED.find(([fact, type]) => log.withheld.has(type, String(facts[fact]), 'removed'));
  return found ? `is shown, and by the moderation actions the ${found[1]} ${facts[found[0]]} is removed` : null;
}

async function isShown(client: ForumClient, type: string, id: string): Promise<boolean> {
  const read: Readonly<Record<string, () => Promise<unknown>>> = {
    post: () => client.readPost(id, { limit: 1 }),
    reply: () => client.operation('reply.read', { replyId: id }),
    community: () => client.operation('community.read', { slug: id }),
    challenge: () => client.operation('challenge.read', { challengeId: id }),
    feedback: () => client.operation('feedback.read', { feedbackId: id }),
  };
  // A hidden target is a commitment. A vetoed amendment can still be read.
  if (type === 'agent') return (await client.dossier(id)).agent.displayName !== '';
  if (!read[type] || id.startsWith(HIDDEN)) return false;
  try {
    await read[type]();
    return true;
  } catch (error) {
    if (error instanceof ForumError && error.status === NOT_FOUND) return false;
    throw error;
  }
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
