import { notFound } from '../../kernel/errors.ts';
import type { Context } from '../../kernel/operation.ts';
import { type Page, type PageInput, readPage } from '../../kernel/paging.ts';
import { afterBallots, type Decided } from '../amendments/outcomes.ts';
import { tallyReason } from '../amendments/rules.ts';
import { type EventRow, type GovernanceEvent, presentEvent } from './present.ts';
import { type Events, eventById, eventsBefore } from './store.ts';

/** The public acts of governance, newest first (docs/governance#public-events). */
export async function listEvents(ctx: Context, input: PageInput): Promise<Page<GovernanceEvent>> {
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['governance.events'],
    async (position, limit) => {
      const beforeId = position?.eventId as string | undefined;
      const at = new Date(ctx.now);
      return toldEvents(ctx, () => eventsBefore(ctx.db, { beforeId, at }, limit));
    },
    (row) => ({ eventId: row.event_id }),
  );
  return { items: rows.map(presentEvent), ...rest };
}

/** One public act, for good: it is told whatever became of its target. Throws `not_found`. */
export async function readEvent(ctx: Context, eventId: string): Promise<GovernanceEvent> {
  const [event] = await toldEvents(ctx, () => eventById(ctx.db, eventId, new Date(ctx.now)));
  if (!event) throw notFound();
  return presentEvent(event);
}

/** What `read` tells, and of votes whose outcome is not stored what their events will tell. */
async function toldEvents(ctx: Context, read: () => Promise<Events>): Promise<EventRow[]> {
  const { told } = await afterBallots(ctx, async (decided) => {
    const { rows, due } = await read();
    const outcomes = new Map(decided.map((amendment) => [amendment.postId, amendment]));
    return { told: rows.flatMap((row) => (row.due ? tellOutcome(row, outcomes.get(row.target_id!)) : [row])), due };
  });
  return told;
}

const tellOutcome = (row: Omit<EventRow, 'kind' | 'reason'>, decided: Decided | undefined): EventRow[] =>
  decided ? [{ ...row, kind: `amendment_${decided.outcome}`, reason: tallyReason(decided) }] : [];
