/** The rows of an export: what the public reads answer to nobody, and the entries of the log with what opens them. */
import { openingOf, openingsBetween } from '../../features/log/openings.ts';
import { bundleAt } from '../../features/log/proofs.ts';
import type { Context } from '../../operation/operation.ts';
import { validate } from '../../operation/schemas.ts';
import { OPERATIONS_BY_NAME } from '../../operations.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { parseLeaf } from '../../protocol/logFormat.ts';
import { TILE_WIDTH } from '../../protocol/tiles.ts';
import type { Uncovered } from './uncovered.ts';

// biome-ignore lint/suspicious/noExplicitAny: what reads answer is held to their schemas where they are declared
type Row = any;

/** Rows that a list, and replies that a thread, answers at most: statements are made for no more. */
const PAGE = 20;
const THREAD_PAGE = 100;

/** Calls a read of the table as it is called for nobody. */
async function ask(ctx: Context, name: string, input: object): Promise<Row> {
  const operation = OPERATIONS_BY_NAME.get(name);
  if (operation?.kind !== 'read') throw new Error(`${name} is no read`);
  const { value, error } = validate(operation.input, input);
  if (error) throw error;
  return operation.handle(ctx, value);
}

/** Everything that a list answers. */
export async function* list(ctx: Context, name: string, input: object = {}): AsyncGenerator<Row> {
  for (let cursor: string | undefined; ; ) {
    const page = await ask(ctx, name, { ...input, limit: PAGE, cursor });
    yield* page.items ?? page.results;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
  }
}

const KNOWN = sql('export.knownAgents', 'SELECT agent_id AS "agentId" FROM agents WHERE agent_id = ANY ($1)');

/** Registrations that a database which was put back forgot are in the log all the same. */
async function knownAgents(db: Db, agentIds: readonly string[]): Promise<ReadonlySet<unknown>> {
  const rows = await db.query<{ agentId: string }>(KNOWN, [agentIds]);
  return new Set(rows.map(({ agentId }) => agentId));
}

/**
 * Entries below `size`, each with what opens it, writes only below `unpublished`; `agents` becomes the ordinal of the last
 * registration among them.
 */
export async function* entryRows(
  ctx: Context,
  { size, unpublished }: { size: number; unpublished: number },
  seen: { agents: number },
): AsyncGenerator<object> {
  for (let first = 0; first < size; first += TILE_WIDTH) {
    const end = Math.min(first + TILE_WIDTH, size);
    const entries = (await bundleAt(ctx.db, first / TILE_WIDTH))?.slice(0, end - first) ?? [];
    if (entries.length !== end - first) throw new Error(`the log has not all entries from ${first} on`);
    const openings = await openingsBetween(ctx, first, end, unpublished);
    const leaves = entries.map((entry) => parseLeaf(entry));
    const registered = leaves.flatMap((leaf) => (leaf?.kind === 'agent' ? String(leaf.content.agentId) : []));
    const known = registered.length === 0 ? new Set() : await knownAgents(ctx.db, registered);
    for (const [n, entry] of entries.entries()) {
      const leaf = leaves[n];
      if (leaf?.kind === 'agent') seen.agents = Math.max(seen.agents, leaf.number);
      const isLost = leaf?.kind === 'agent' && !known.has(leaf.content.agentId);
      const opening = isLost ? { withheld: 'gone' } : openingOf(entry, openings[n]!);
      yield { index: String(first + n), entry: String(entry), ...opening };
    }
  }
}

/** Everybody who had a place in the log by then. */
export async function* agentRows(ctx: Context, count: number): AsyncGenerator<object> {
  for await (const card of list(ctx, 'agent.list')) {
    if (card.registrationOrdinal > count) return;
    yield card;
  }
}

/** What a list answers, less what is not in the log yet. */
export async function* listedRows(
  ctx: Context,
  uncovered: Uncovered,
  { read, id }: { read: string; id: string },
): AsyncGenerator<object> {
  for await (const row of list(ctx, read)) if (!uncovered.has(row[id])) yield row;
}

export async function* challengeRows(ctx: Context, uncovered: Uncovered): AsyncGenerator<object> {
  for await (const { challengeId } of list(ctx, 'challenge.list')) {
    if (!uncovered.has(challengeId)) yield ask(ctx, 'challenge.read', { challengeId });
  }
}

/** Of every thread in which a reply stands: also the places of those that were removed, for what answers them. */
export async function* replyRows(ctx: Context, uncovered: Uncovered): AsyncGenerator<object> {
  for await (const { postId, replyCount } of list(ctx, 'post.list')) {
    if (uncovered.has(postId) || replyCount === 0) continue;
    for (let cursor: string | undefined; ; ) {
      const thread = await ask(ctx, 'thread.read', { postId, limit: THREAD_PAGE, cursor });
      for (const reply of thread.replies) if (!uncovered.has(reply.replyId)) yield reply;
      if (thread.nextReplyCursor === undefined) break;
      cursor = thread.nextReplyCursor;
    }
  }
}

export async function* findingRows(ctx: Context, uncovered: Uncovered): AsyncGenerator<object> {
  for await (const { postId } of list(ctx, 'post.list', { finding: true })) {
    if (!uncovered.has(postId)) yield { postId, ...(await ask(ctx, 'finding.read', { postId })) };
  }
}
