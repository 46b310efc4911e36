import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { ActChain, actOf, HIDDEN, Withheld } from '../../protocol/acts.ts';
import { commitmentTo, parseLeaf, SALT_BYTES } from '../../protocol/logFormat.ts';
import { unlikeStanding } from '../governance/moderation/verify.ts';

interface LoggedEvent {
  readonly leafIndex: number;
  readonly salts: Buffer;
  readonly kind: string;
  readonly type: string;
  readonly id: string;
  readonly hidden: boolean;
  readonly reason: string;
}

const EVENTS = sql(
  'log.eventsOfActs',
  `SELECT l.leaf_index::float8 AS "leafIndex", l.salts, e.kind, e.target_type AS type, e.target_id AS id, e.hidden, e.reason
   FROM log_leaves l JOIN governance_events e ON e.event_id = l.event_id WHERE l.leaf_index >= $1 AND l.leaf_index < $2`,
);
const WAITING = sql(
  'log.waitingActs',
  `SELECT e.kind, e.target_type AS type, e.target_id AS id FROM log_pending p JOIN governance_events e ON e.event_id = p.event_id
   ORDER BY p.pending_id`,
);

/**
 * Replays the acts as they stand in the log, and compares what they withhold with what the service withholds
 * (docs/log#leaves): a forged or omitted one is found whatever the tables of governance say.
 */
export class ActReplay {
  readonly #chain = new ActChain();
  readonly #withheld = new Withheld();
  readonly #problems: string[] = [];

  /** Follows the entries of one bundle, in their order. */
  async follow(db: Db, first: number, entries: readonly Buffer[]): Promise<void> {
    const events = await db.query<LoggedEvent>(EVENTS, [first, first + entries.length]);
    const byIndex = new Map(events.map((event) => [event.leafIndex, event]));
    for (const [n, entry] of entries.entries()) {
      const leaf = parseLeaf(entry);
      if (leaf?.kind !== 'act') continue;
      const problem = this.#chain.follow(entry, leaf.number, leaf.content.before);
      if (problem !== null) this.#problems.push(problem);
      const event = byIndex.get(first + n);
      const act = actOf(leaf.content);
      if (event && !isTold(event, leaf.content))
        this.#problems.push(`the event of act ${leaf.number} is not what it was`);
      // A hidden target is known by its event.
      this.#withheld.apply(event?.hidden ? { ...act, id: event.id } : act);
    }
  }

  /** What is wrong with them, once all were followed; with what waits for its place after them. */
  async problems(db: Db): Promise<string[]> {
    for (const act of await db.query<{ kind: string; type: string; id: string }>(WAITING, []))
      this.#withheld.apply(act);
    const unlike = await unlikeStanding(db, this.#withheld, 'act in the log');
    return [...this.#problems, ...unlike];
  }
}

function isTold(
  { kind, type, id, hidden, reason, salts }: LoggedEvent,
  content: Readonly<Record<string, unknown>>,
): boolean {
  const commitment = (salt: Buffer, text: string) => commitmentTo(salt, text).toString('base64url');
  const target = hidden ? HIDDEN + commitment(salts.subarray(0, SALT_BYTES), id) : id;
  const act = actOf(content);
  const told = (content.reason as { commitment?: unknown } | null)?.commitment;
  return (
    act.kind === kind &&
    act.type === type &&
    act.id === target &&
    told === commitment(salts.subarray(SALT_BYTES), reason)
  );
}
