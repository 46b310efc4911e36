import { notFound } from '../../../operation/errors.ts';
import type { Context } from '../../../operation/operation.ts';
import { type Page, readPage } from '../../../operation/paging.ts';
import type { Db } from '../../../platform/postgres/postgres.ts';
import { afterBallots, type Decided } from '../amendments/outcomes.ts';
import { tallyReason } from '../amendments/rules.ts';
import { type EventRow, type GovernanceEvent, presentEvent } from './present.ts';
import type { EventFilter } from './schemas.ts';
import { type Events, eventById, eventsBefore } from './store.ts';

/** The public acts of governance, newest first (docs/governance#public-events); of one kind, of one target. */
export async function listEvents(ctx: Context, input: EventFilter): Promise<Page<GovernanceEvent>> {
  const { kind, targetId } = input;
  const filtered = kind !== undefined || targetId !== undefined;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    // Without filters the scope is that of cursors from before there were any.
    ['governance.events', ...(filtered ? [kind ?? null, targetId ?? null] : [])],
    async (position, limit) => {
      const beforeId = position?.eventId as string | undefined;
      const at = new Date(ctx.now);
      const told = await toldEvents(ctx, (db) => eventsBefore(db, { kind, targetId, beforeId, at }, limit));
      return told.filter((event) => kind === undefined || event.kind === kind).slice(0, limit);
    },
    (row) => ({ eventId: row.event_id }),
  );
  return { items: rows.map(presentEvent), ...rest };
}

/** One public act, for good: it is told whatever became of its target. Throws `not_found`. */
export async function readEvent(ctx: Context, eventId: string): Promise<GovernanceEvent> {
  const [event] = await toldEvents(ctx, (db) => eventById(db, eventId, new Date(ctx.now)));
  if (!event) throw notFound();
  return presentEvent(event);
}

/** What `read` tells, and of votes whose outcome is not stored what their events will tell. */
async function toldEvents(ctx: Context, read: (db: Db) => Promise<Events>): Promise<EventRow[]> {
  const { told } = await afterBallots(ctx, async (db, decided) => {
    const { rows, due } = await read(db);
    const outcomes = new Map(decided.map((amendment) => [amendment.postId, amendment]));
    return { told: rows.flatMap((row) => (row.due ? tellOutcome(row, outcomes.get(row.target_id!)) : [row])), due };
  });
  return told;
}

const tellOutcome = (row: Omit<EventRow, 'kind' | 'reason'>, decided: Decided | undefined): EventRow[] =>
  decided ? [{ ...row, kind: `amendment_${decided.outcome}`, reason: tallyReason(decided) }] : [];
