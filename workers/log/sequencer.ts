import { lookupKey, nonceKey, subjectOf } from '../../src/features/log/rules.ts';
import { commitmentOf } from '../../src/features/log/store.ts';
import { logRuleOf } from '../../src/operation/operation.ts';
import { OPERATIONS_BY_NAME } from '../../src/operations.ts';
import { type Db, sql } from '../../src/platform/postgres/postgres.ts';
import { commitmentTo, plainLeaf, registrationContent, SALT_BYTES, writeLeaf } from '../../src/protocol/logFormat.ts';
import { leafHash } from '../../src/protocol/merkle.ts';
import { NONCE_LINE, REQUEST_FORMAT } from '../../src/protocol/signing.ts';
import { bundleOf, TILE_WIDTH } from '../../src/protocol/tiles.ts';
import { ENTRIES_LEVEL, type StoredTile } from '../../src/recording/logTiles.ts';
import { edgeAt, type LogHead, lastBundle, moveHead, storeTiles } from './head.ts';
import { noteRotations } from './keyChanges.ts';

/** Entries per batch; the next batch follows at once. */
export const MAX_LEAVES = 4_096;

const TAKE = sql(
  'log.take',
  `WITH taken AS (
     DELETE FROM log_pending WHERE pending_id = ANY (ARRAY(
       SELECT pending_id FROM log_pending WHERE pending_id >= $1 ORDER BY pending_id LIMIT ${MAX_LEAVES}))
     RETURNING pending_id, accepted_at, commitment, event_id, salts, key_change
   )
   SELECT t.pending_id AS "pendingId", t.accepted_at AS "acceptedAt", t.commitment, t.event_id AS "eventId", t.salts,
          t.key_change AS "keyChange",
          e.agent_id AS "agentId", e.operation, e.facts,
          CASE WHEN starts_with(e.signed_text, '${REQUEST_FORMAT}') THEN split_part(e.signed_text, E'\\n', ${NONCE_LINE}) END AS nonce
   FROM taken t LEFT JOIN write_evidence e
     ON t.event_id IS NULL AND t.key_change IS NULL AND e.evidence_id = t.pending_id AND e.accepted_at = t.accepted_at
   ORDER BY t.pending_id`,
);
const PUT_BACK = sql(
  'log.putBack',
  `INSERT INTO log_pending (pending_id, accepted_at, commitment, event_id, salts, key_change)
   SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::bytea[], $4::text[], $5::bytea[], $6::text[])`,
);
const AGENTS = sql(
  'log.agents',
  `SELECT a.registration_ordinal::float8 AS ordinal, a.agent_id AS "agentId", a.handle, a.identity, x.registration
   FROM agents a LEFT JOIN erased_agents x ON x.agent_id = a.agent_id
   WHERE a.registration_ordinal > $1 ORDER BY a.registration_ordinal LIMIT ${MAX_LEAVES}`,
);
const ACTS = sql(
  'log.acts',
  `SELECT event_id AS "eventId", kind, target_type AS "targetType", target_id AS "targetId", hidden, reason, actor,
     moderator_id AS "moderatorId", until
   FROM governance_events WHERE event_id = ANY ($1)`,
);
const INDEXES = sql(
  'log.indexes',
  'SELECT subject_key AS key, leaf_index::float8 AS index FROM log_leaves WHERE subject_key = ANY ($1::bigint[])',
);
const PLACE = sql(
  'log.place',
  `INSERT INTO log_leaves (leaf_index, evidence_id, accepted_at, nonce_key, subject_key, event_id, salts)
   SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::text[], $7::bytea[])`,
);

/** A waiting entry: a write with its evidence, a moderation action with its event, or a key change. */
export interface Pending {
  readonly pendingId: string;
  readonly acceptedAt: Date;
  readonly commitment: Buffer | null;
  readonly eventId: string | null;
  readonly salts: Buffer | null;
  /** The content of the leaf of a key change, JSON. */
  readonly keyChange: string | null;
  readonly agentId: string | null;
  readonly operation: string | null;
  readonly facts: string | null;
  readonly nonce: string | null;
}

export interface LogEntry {
  readonly entry: Buffer;
  readonly evidenceId: string | null;
  readonly acceptedAt: Date | null;
  readonly nonceKey: string | null;
  readonly subjectKey: string | null;
  readonly eventId: string | null;
  readonly salts: Buffer | null;
}

export const PLAIN = {
  evidenceId: null,
  acceptedAt: null,
  nonceKey: null,
  subjectKey: null,
  eventId: null,
  salts: null,
};

export const take = (db: Db, from: string): Promise<Pending[]> => db.query<Pending>(TAKE, [from]);

interface LoggedAgent {
  readonly ordinal: number;
  readonly agentId: string;
  readonly handle: string;
  /** JSON, as it was registered. */
  readonly identity: string;
  /** The content of the leaf, JSON, if the agent was erased and the leaf was cut off; else null. */
  readonly registration: string | null;
}

const agentLeaf = ({ ordinal, agentId, handle, identity, registration }: LoggedAgent): Buffer => {
  const content =
    registration === null ? registrationContent(agentId, handle, JSON.parse(identity)) : JSON.parse(registration);
  return plainLeaf('agent', ordinal, content);
};

interface LoggedAct {
  readonly eventId: string;
  readonly kind: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly hidden: boolean;
  readonly reason: string;
  readonly actor: string;
  readonly moderatorId: string | null;
  readonly until: Date | null;
  /** The index of the operator's or moderator's write in the log, if there is one. */
  readonly write: number | null;
  /** The salt of the target, then that of the reason. */
  readonly salts: Buffer;
}

/** The leaf of a moderation action; `before` is the hash of the previous one. */
function actLeaf(number: number, act: LoggedAct, before: Buffer | null): Buffer {
  const { eventId, kind, targetType, targetId, hidden, reason, actor, moderatorId, until, write, salts } = act;
  const commitment = (salt: Buffer, text: string) => commitmentTo(salt, text).toString('base64url');
  return plainLeaf('act', number, {
    eventId,
    kind,
    targetType,
    target: hidden ? { commitment: commitment(salts.subarray(0, SALT_BYTES), targetId) } : targetId,
    reason: { commitment: commitment(salts.subarray(SALT_BYTES), reason) },
    actor,
    ...(moderatorId === null ? {} : { moderator: moderatorId }),
    ...(until === null ? {} : { until: until.toISOString() }),
    write,
    before: before?.toString('base64url') ?? null,
  });
}

/** Adds agents, then writes and key changes by their ids, then moderation actions. The transaction holds the head. */
export async function sequence(db: Db, head: LogHead, from: string): Promise<LogHead & { readonly isFull: boolean }> {
  const taken: Pending[] = [];
  const writes: LogEntry[] = [];
  let { keys } = head;
  let isFull: boolean;
  let acts: Awaited<ReturnType<typeof actsOf>>;
  let agents: LoggedAgent[];
  let isCut: boolean;
  do {
    const batch = await take(db, from);
    // Read after the batch, so that the authors of its writes are included.
    agents = await db.query<LoggedAgent>(AGENTS, [head.agents]);
    isCut = agents.length === MAX_LEAVES;
    // Otherwise an author could be in the next batch, after the write.
    if (isCut) await putBack(db, batch.splice(0));
    taken.push(...batch);
    for (const row of batch) {
      if (row.keyChange !== null) {
        keys += 1;
        writes.push({ ...PLAIN, entry: plainLeaf('key', keys, JSON.parse(row.keyChange)) });
      } else if (row.eventId === null) writes.push(await placedWrite(db, row));
    }
    isFull = isCut || batch.length === MAX_LEAVES;
    acts = await actsOf(db, taken, head.size + agents.length, writes, isFull);
    // If most of the batch would be put back, the next batch would be the same: continue now.
  } while (!isCut && isFull && acts.putBack.length > taken.length / 2);
  if (acts.putBack.length > 0) await putBack(db, acts.putBack);
  let { lastAct } = head;
  const last = acts.placed.map(({ act, row }, n): LogEntry => {
    const entry = actLeaf(head.acts + n + 1, act, lastAct);
    lastAct = leafHash(entry);
    return { ...PLAIN, entry, eventId: row.eventId, salts: row.salts };
  });
  const first = agents.map((agent): LogEntry => ({ ...PLAIN, entry: agentLeaf(agent) }));
  const placed = [...first, ...writes, ...last];
  const moved = { ...head, agents: head.agents + agents.length, acts: head.acts + last.length, keys, lastAct };
  const after = { ...moved, size: head.size + placed.length };
  if (placed.length > 0) {
    await place(db, head.size, placed);
    await moveHead(db, after);
  }
  return { ...after, isFull };
}

export async function placedWrite(db: Db, row: Pending): Promise<LogEntry> {
  const { pendingId, acceptedAt, agentId, operation, facts, nonce } = row;
  const commitment = row.commitment ?? (await commitmentOf(db, pendingId));
  const subject =
    operation === null ? undefined : subjectOf(logRuleOf(OPERATIONS_BY_NAME.get(operation)), JSON.parse(facts!));
  return {
    entry: writeLeaf(commitment),
    evidenceId: pendingId,
    acceptedAt,
    nonceKey: nonce && agentId ? nonceKey(agentId, nonce) : null,
    subjectKey: subject === undefined ? null : lookupKey(subject),
    eventId: null,
    salts: null,
  };
}

/**
 * The moderation actions of a batch with the operator's writes. In a full batch, an action waits if its write may
 * follow.
 */
async function actsOf(db: Db, taken: readonly Pending[], start: number, writes: readonly LogEntry[], isFull: boolean) {
  const rows = taken.filter(({ eventId }) => eventId !== null);
  if (rows.length === 0) return { placed: [], putBack: [] };
  const keys = rows.map(({ eventId }) => lookupKey(eventId!));
  const earlier = await db.query<{ key: string; index: number }>(INDEXES, [keys]);
  const indexes = new Map(earlier.map(({ key, index }) => [key, index]));
  for (const [n, { subjectKey }] of writes.entries()) if (subjectKey !== null) indexes.set(subjectKey, start + n);
  const events = await db.query<Omit<LoggedAct, 'write' | 'salts'>>(ACTS, [rows.map(({ eventId }) => eventId)]);
  const byId = new Map(events.map((event) => [event.eventId, event]));
  const acts = rows.map((row) => {
    const event = byId.get(row.eventId!)!;
    const write = indexes.get(lookupKey(row.eventId!)) ?? null;
    return { row, act: { ...event, write, salts: row.salts! } };
  });
  const waits = ({ act }: (typeof acts)[number]) => isFull && act.actor === 'operator' && act.write === null;
  return {
    placed: acts.filter((act) => !waits(act)),
    putBack: acts.filter(waits).map(({ row }) => row),
  };
}

export async function putBack(db: Db, rows: readonly Pending[]): Promise<void> {
  const names = ['pendingId', 'acceptedAt', 'commitment', 'eventId', 'salts', 'keyChange'] as const;
  await db.query(
    PUT_BACK,
    names.map((name) => rows.map((row) => row[name])),
  );
}

/** Adds entries after `size` leaves: to the tiles, the bundles and `log_leaves`. */
export async function place(db: Db, size: number, placed: readonly LogEntry[]): Promise<void> {
  const entries = placed.map(({ entry }) => entry);
  await appendEntries(db, size, entries);
  await noteRotations(db, size, entries);
  const names = ['evidenceId', 'acceptedAt', 'nonceKey', 'subjectKey', 'eventId', 'salts'] as const;
  const columns = names.map((name) => placed.map((entry) => entry[name]));
  await db.query(PLACE, [placed.map((_, n) => size + n), ...columns]);
}

async function appendEntries(db: Db, size: number, entries: readonly Buffer[]): Promise<void> {
  const edge = await edgeAt(db, size);
  const hashes = edge.append(entries.map(leafHash)).map(({ level, index, hashes: bytes }) => ({ level, index, bytes }));
  await storeTiles(db, [...hashes, ...(await bundles(db, size, entries))]);
}

async function bundles(db: Db, size: number, entries: readonly Buffer[]): Promise<StoredTile[]> {
  let { index, bytes } = await lastBundle(db, size);
  const changed: StoredTile[] = [];
  for (let at = 0, room = TILE_WIDTH - (size % TILE_WIDTH); at < entries.length; at += room, room = TILE_WIDTH) {
    const added = bundleOf(entries.slice(at, at + room));
    changed.push({ level: ENTRIES_LEVEL, index, bytes: Buffer.concat([bytes, added]) });
    [index, bytes] = [index + 1, Buffer.alloc(0)];
  }
  return changed;
}
