import { invalid, notFound } from '../../../operation/errors.ts';
import type { Context } from '../../../operation/operation.ts';
import { type Page, readPage } from '../../../operation/paging.ts';
import type { Db } from '../../../platform/postgres/postgres.ts';
import { afterBallots, type Decided } from '../amendments/outcomes.ts';
import { tallyReason } from '../amendments/rules.ts';
import { type EventRow, presentEvent } from './present.ts';
import { EVENT_GROUPS, type EventFilter, type GovernanceEvent } from './schemas.ts';
import { type Events, eventById, eventsBefore } from './store.ts';

export async function listEvents(ctx: Context, input: EventFilter): Promise<Page<GovernanceEvent>> {
  const { kind, group, targetId } = input;
  if (kind !== undefined && group !== undefined) throw invalid('group');
  const kinds = group ? EVENT_GROUPS[group] : kind && [kind];
  const filtered = kinds !== undefined || targetId !== undefined;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    // Without filters the scope is the one that older cursors were sealed under.
    ['governance.events', ...(filtered ? [kind ?? group ?? null, targetId ?? null] : [])],
    async (position, limit) => {
      const beforeId = position?.eventId as string | undefined;
      const at = new Date(ctx.now);
      const shown = await decidedEvents(ctx, (db) => eventsBefore(db, { kinds, targetId, beforeId, at }, limit));
      const isWanted = (event: EventRow) => !kinds || (kinds as readonly string[]).includes(event.kind);
      return shown.filter(isWanted).slice(0, limit);
    },
    (row) => ({ eventId: row.event_id }),
  );
  return { items: rows.map(presentEvent), ...rest };
}

export async function readEvent(ctx: Context, eventId: string): Promise<GovernanceEvent> {
  const [event] = await decidedEvents(ctx, (db) => eventById(db, eventId, new Date(ctx.now)));
  if (!event) throw notFound();
  return presentEvent(event);
}

/** Returns the events of `read`. Votes whose outcome is not stored are decided here. */
async function decidedEvents(ctx: Context, read: (db: Db) => Promise<Events>): Promise<EventRow[]> {
  const { events } = await afterBallots(ctx, async (db, decided) => {
    const { rows, due } = await read(db);
    const outcomes = new Map(decided.map((amendment) => [amendment.postId, amendment]));
    return { events: rows.flatMap((row) => (row.due ? eventOf(row, outcomes.get(row.target_id!)) : [row])), due };
  });
  return events;
}

const eventOf = (row: Omit<EventRow, 'kind' | 'reason'>, decided: Decided | undefined): EventRow[] =>
  decided ? [{ ...row, kind: `amendment_${decided.outcome}`, reason: tallyReason(decided) }] : [];
