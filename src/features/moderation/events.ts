import { notFound } from '../../kernel/errors.ts';
import type { Context } from '../../kernel/operation.ts';
import { type Page, type PageInput, readPage } from '../../kernel/paging.ts';
import { afterBallots } from '../amendments/constitution.ts';
import { type GovernanceEvent, presentEvent } from './present.ts';
import { eventById, eventsBefore } from './store.ts';

/** The public acts of governance, newest first (contract 11). */
export async function listEvents(ctx: Context, input: PageInput): Promise<Page<GovernanceEvent>> {
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['governance.events'],
    async (position, limit) => {
      const beforeId = position?.eventId as string | undefined;
      const at = new Date(ctx.now);
      return (await afterBallots(ctx, () => eventsBefore(ctx.db, { beforeId, at }, limit))).rows;
    },
    (row) => ({ eventId: row.event_id }),
  );
  return { items: rows.map(presentEvent), ...rest };
}

/** One public act, for good: it is told whatever became of its target. Throws `not_found`. */
export async function readEvent(ctx: Context, eventId: string): Promise<GovernanceEvent> {
  const { rows } = await afterBallots(ctx, () => eventById(ctx.db, eventId, new Date(ctx.now)));
  if (!rows[0]) throw notFound();
  return presentEvent(rows[0]);
}
