/** Appointment, dismissal and list of moderators, and the queue of reports that they work on (docs/governance). */
import { conflict, forbidden, invalid, notFound } from '../../../operation/errors.ts';
import type { Context, Effect, SignedContext } from '../../../operation/operation.ts';
import { type Page, type PageInput, readPage } from '../../../operation/paging.ts';
import { parseTimestamp } from '../../../platform/codec/text.ts';
import {
  deleteModerator,
  isModerator,
  lockScope,
  type ModeratorRow,
  moderatorsAfter,
  mostReported,
  type ReportedPosition,
  storeModerator,
} from './moderatorStore.ts';
import { EVENTS_LINK } from './present.ts';
import { isScope, MODERATOR_SUSPENSION_MS, SCOPES } from './rules.ts';
import type {
  Appointment,
  Enforcement,
  EnforcementReceipt,
  GovernanceEvent,
  Moderator,
  ReportedTarget,
} from './schemas.ts';
import { act, beginAct, recordEvent, requireFuture } from './service.ts';
import { lockSubject } from './store.ts';

const isOperator = ({ caller, config }: SignedContext): boolean => caller.agentId === config.operatorAgentId;

/** The enforcement of the operator within a moderator's scope. The operator has all scopes here. */
export async function moderate(ctx: SignedContext, input: Enforcement): Promise<Effect<EnforcementReceipt>> {
  const { action, until } = input;
  const moderatorId = isOperator(ctx) ? null : ctx.caller.agentId;
  if (!isScope(action)) throw forbidden('no scope of a moderator');
  if (moderatorId !== null && (await lockScope(ctx.db, moderatorId, action, new Date(ctx.now))) === undefined)
    throw forbidden('no moderator with this scope');
  if (action === 'suspend_agent') {
    const untilMs = until === undefined ? null : parseTimestamp(until);
    if (untilMs === null || untilMs > ctx.now + MODERATOR_SUSPENSION_MS) throw invalid('until');
  }
  return act(ctx, input, moderatorId);
}

/** `forbidden` for the operator, which has every right already. A new appointment replaces an earlier one. */
export async function appoint(ctx: SignedContext, input: Appointment): Promise<Effect<GovernanceEvent>> {
  const { agentId } = input;
  if (agentId === ctx.config.operatorAgentId) throw forbidden('the operator itself');
  const until = input.until === undefined ? null : requireFuture(ctx, input.until);
  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  if (!(await lockSubject(ctx.db, { type: 'agent', id: agentId }))) throw notFound('no such agent');
  const begun = await beginAct(ctx, 'agent', agentId);
  if ((await storeModerator(ctx.db, agentId, scopes, until, begun.eventId, begun.at)) === undefined)
    throw conflict(undefined, 'this appointment is in force');
  const reason = `Appointed as a moderator with the scopes ${scopes.join(', ')}.`;
  return recorded(await recordEvent(ctx, { ...begun, ...ofModerator('appoint_moderator', agentId, reason), until }));
}

export async function dismissModerator(
  ctx: SignedContext,
  { agentId }: { agentId: string },
): Promise<Effect<GovernanceEvent>> {
  if (!(await lockSubject(ctx.db, { type: 'agent', id: agentId }))) throw notFound('no such agent');
  if (!(await deleteModerator(ctx.db, agentId, new Date(ctx.now)))) throw conflict(undefined, 'no moderator');
  const begun = await beginAct(ctx, 'agent', agentId);
  const reason = 'Dismissed as a moderator.';
  return recorded(await recordEvent(ctx, { ...begun, ...ofModerator('dismiss_moderator', agentId, reason) }));
}

const ofModerator = (kind: 'appoint_moderator' | 'dismiss_moderator', agentId: string, reason: string) => ({
  kind,
  target: { type: 'agent' as const, id: agentId },
  hidden: false,
  reason,
});

const recorded = (event: GovernanceEvent): Effect<GovernanceEvent> => ({
  facts: { eventId: event.eventId },
  present: () => event,
});

export async function listModerators(ctx: Context, input: PageInput): Promise<Page<Moderator>> {
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['moderator.list'],
    (position, limit) => moderatorsAfter(ctx.db, String(position?.eventId ?? ''), new Date(ctx.now), limit),
    ({ eventId }) => ({ eventId }),
  );
  return { items: rows.map(presentModerator), ...rest };
}

const presentModerator = ({ eventId, appointedAt, until, ...row }: ModeratorRow): Moderator => ({
  ...row,
  appointedAt: appointedAt.toISOString(),
  until: until?.toISOString() ?? null,
  links: { event: `${EVENTS_LINK}/${eventId}` },
});

const BEFORE_ALL: ReportedPosition = { count: 2 ** 31 - 1, targetType: 'reply', targetId: '' };

/** `forbidden` for agents that are neither the operator nor a moderator. */
export async function listReported(ctx: SignedContext, input: PageInput): Promise<Page<ReportedTarget>> {
  const isAllowed = isOperator(ctx) || (await isModerator(ctx.db, ctx.caller.agentId, new Date(ctx.now)));
  if (!isAllowed) throw forbidden('no moderator');
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['moderation.reports'],
    (position, limit) => {
      const { count, targetType, targetId } = (position as ReportedPosition | null) ?? BEFORE_ALL;
      return mostReported(ctx.db, count, targetType, targetId, limit);
    },
    ({ count, targetType, targetId }) => ({ count, targetType, targetId }),
  );
  const items = rows.map(({ shown, firstAt, lastAt, ...row }) => ({
    ...row,
    author: shown?.author ?? null,
    excerpt: shown?.excerpt ?? null,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
  }));
  return { items, ...rest };
}
