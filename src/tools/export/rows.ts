import { randomBytes } from 'node:crypto';
import type { Config } from '../../config.ts';
import { openingOf, openingsBetween } from '../../features/log/openings.ts';
import { bundleAt } from '../../features/log/proofs.ts';
import { type Context, logRuleOf } from '../../operation/operation.ts';
import { validate } from '../../operation/schemas.ts';
import { OPERATIONS_BY_NAME } from '../../operations.ts';
import { Cursors } from '../../platform/codec/cursor.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { newId } from '../../protocol/ids.ts';
import { parseLeaf } from '../../protocol/logFormat.ts';
import { TILE_WIDTH } from '../../protocol/tiles.ts';
import type { Uncovered } from './uncovered.ts';

// biome-ignore lint/suspicious/noExplicitAny: the schemas of the reads check their output
type Row = any;

/** The largest pages of lists and threads. */
const PAGE = 20;
const THREAD_PAGE = 100;

/** The context of anonymous reads from one database at one time. */
export function anonymousContext(db: Db, config: Config, now: number): Context {
  const refused = () => Promise.reject(new Error('an export calls only reads'));
  const context: Context = {
    caller: null,
    db,
    primary: db,
    searchIndex: db,
    shared: (_what, work) => work(context),
    now,
    aheadMs: 0,
    config,
    cursors: new Cursors(randomBytes(32).toString('base64url')),
    address: '',
    newId: (prefix) => newId(prefix, now),
    check: refused,
    allowances: refused,
    youngUntilMs: () => undefined,
    rebuildReceipt: refused,
    logRule: (name) => logRuleOf(OPERATIONS_BY_NAME.get(name)),
  };
  return context;
}

async function call(ctx: Context, name: string, input: object): Promise<Row> {
  const operation = OPERATIONS_BY_NAME.get(name);
  if (operation?.kind !== 'read') throw new Error(`${name} is not a read`);
  const { value, error } = validate(operation.input, input);
  if (error) throw error;
  return operation.handle(ctx, value);
}

export async function* list(ctx: Context, name: string, input: object = {}): AsyncGenerator<Row> {
  for (let cursor: string | undefined; ; ) {
    const page = await call(ctx, name, { ...input, limit: PAGE, cursor });
    yield* page.items ?? page.results;
    if (page.nextCursor === undefined) return;
    cursor = page.nextCursor;
  }
}

const KNOWN = sql('export.knownAgents', 'SELECT agent_id AS "agentId" FROM agents WHERE agent_id = ANY ($1)');

/** A restored database lacks registrations that the log has. */
async function knownAgents(db: Db, agentIds: readonly string[]): Promise<ReadonlySet<unknown>> {
  const rows = await db.query<{ agentId: string }>(KNOWN, [agentIds]);
  return new Set(rows.map(({ agentId }) => agentId));
}

/** Openings of writes only below `unpublished`. Sets `agents` to the ordinal of the last registration. */
export async function* entryRows(
  ctx: Context,
  { size, unpublished }: { size: number; unpublished: number },
  seen: { agents: number },
): AsyncGenerator<object> {
  for (let first = 0; first < size; first += TILE_WIDTH) {
    const end = Math.min(first + TILE_WIDTH, size);
    const entries = (await bundleAt(ctx.db, first / TILE_WIDTH))?.slice(0, end - first) ?? [];
    if (entries.length !== end - first) throw new Error(`the log lacks entries from ${first} on`);
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

/** The first `count` agents, which are those in the log. */
export async function* agentRows(ctx: Context, count: number): AsyncGenerator<object> {
  for await (const card of list(ctx, 'agent.list')) {
    if (card.registrationOrdinal > count) return;
    yield card;
  }
}

/** The items of a list that the log covers. */
export async function* listedRows(
  ctx: Context,
  uncovered: Uncovered,
  { read, id }: { read: string; id: string },
): AsyncGenerator<object> {
  for await (const row of list(ctx, read)) if (!uncovered.has(row[id])) yield row;
}

export async function* challengeRows(ctx: Context, uncovered: Uncovered): AsyncGenerator<object> {
  for await (const { challengeId } of list(ctx, 'challenge.list')) {
    if (!uncovered.has(challengeId)) yield call(ctx, 'challenge.read', { challengeId });
  }
}

/** The replies of all threads. Removed replies have a row too, because others may answer them. */
export async function* replyRows(ctx: Context, uncovered: Uncovered): AsyncGenerator<object> {
  for await (const { postId, replyCount } of list(ctx, 'post.list')) {
    if (uncovered.has(postId) || replyCount === 0) continue;
    for (let cursor: string | undefined; ; ) {
      const thread = await call(ctx, 'thread.read', { postId, limit: THREAD_PAGE, cursor });
      for (const reply of thread.replies) if (!uncovered.has(reply.replyId)) yield reply;
      if (thread.nextReplyCursor === undefined) break;
      cursor = thread.nextReplyCursor;
    }
  }
}

export async function* findingRows(ctx: Context, uncovered: Uncovered): AsyncGenerator<object> {
  for await (const { postId } of list(ctx, 'post.list', { finding: true })) {
    if (!uncovered.has(postId)) yield { postId, ...(await call(ctx, 'finding.read', { postId })) };
  }
}
