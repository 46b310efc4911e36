import { conflict, forbidden, invalid, notFound } from '../../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../../operation/operation.ts';
import { parseTimestamp } from '../../../platform/codec/text.ts';
import { newId } from '../../../protocol/ids.ts';
import { toMicro } from '../../../protocol/karmaFormat.ts';
import type { NewEvent } from '../../../recording/events.ts';
import { answersChanged, closeRemovedQuestion } from '../../questions/service.ts';
import { lockProposal, vetoAmendment } from '../amendments/tallyJob.ts';
import { readEvent } from './events.ts';
import { isModerator } from './moderatorStore.ts';
import { EVENTS_LINK } from './present.ts';
import { requireIdOf } from './reports.ts';
import {
  type ActInput,
  type Action,
  ADJUSTMENT_MAX,
  actProblem,
  actTime,
  changeBy,
  isAllowedTarget,
  suspensionAfter,
  type Target,
  takesAway,
} from './rules.ts';
import type { Enforcement, EnforcementReceipt, EventKind, EventTargetType, GovernanceEvent, Veto } from './schemas.ts';
import {
  adjustKarma,
  dismissReport,
  eraseSubject,
  erasureOf,
  insertEvent,
  lastActOn,
  lockSubject,
  markSubject,
  type ReportRow,
  reportById,
  resolveReports,
  type Subject,
  setSuspensionEnd,
  suspensionEnd,
  vetoChallenge,
} from './store.ts';

/** An action of the operator. */
export const enforce = (ctx: SignedContext, input: Enforcement): Promise<Effect<EnforcementReceipt>> =>
  act(ctx, input, null);

/**
 * An action of a moderator, or of the operator (null). `conflict`: the target has that state; `forbidden`: suspending
 * or erasing the operator, or a moderator on the operator, itself or another moderator. Erasing again returns 200.
 */
export async function act(
  ctx: SignedContext,
  input: Enforcement,
  moderatorId: string | null,
): Promise<Effect<EnforcementReceipt>> {
  const problem = actProblem(input);
  if (problem) throw invalid(problem);
  const { action, reportId, reason } = input;
  const until = input.until === undefined ? null : requireFuture(ctx, input.until);
  const report = reportId === undefined ? undefined : await requireReport(ctx, reportId);
  if (action === 'dismiss_report') return dismiss(ctx, report!, reason, moderatorId);
  const target = targetOf(input, report);
  if (report?.status === 'dismissed') throw conflict('reportId');
  const micro = action === 'adjust_karma' ? requireAmount(input.amount!) : null;

  const subject = await lockTarget(ctx, target);
  if (moderatorId !== null) await requireWithinReach(ctx, moderatorId, subject);
  const erased = action === 'erase_content' ? await erasureOf(ctx.db, target) : undefined;
  if (erased !== undefined) return repeated(await readEvent(ctx, erased), report);
  const begun = await beginAct(ctx, target.type, target.id);
  // The change may be smaller than asked for, so the event has the actual one.
  const amountMicro =
    micro === null ? null : BigInt((await adjustKarma(ctx.db, target.id, micro, begun.eventId, begun.at))!);
  const events = micro === null ? await mark(ctx, action, { target, subject, begun, until }) : [];
  if (action === 'erase_content') await eraseSubject(ctx.db, target, begun.eventId, begun.at);
  await resolveReports(ctx.db, { reportId: reportId ?? null, target: takesAway(action) ? target : null }, begun.at);
  const { hidden } = subject;
  const event = await recordEvent(ctx, {
    ...begun,
    kind: action as EventKind,
    target,
    hidden,
    reason,
    amountMicro,
    moderatorId,
    until,
  });
  const receipt = {
    ...event,
    kind: action,
    report: report ? { reportId: report.reportId, status: 'actioned' as const } : null,
  };
  return { facts: { eventId: event.eventId, reportId: reportId ?? null }, events, present: () => receipt };
}

/** Releases escrow and stakes of a challenge (docs/governance). `conflict`: vetoed already, or the vote is over. */
export async function veto(ctx: SignedContext, input: Veto): Promise<Effect<GovernanceEvent>> {
  const { targetType: type, targetId: id, reason } = input;
  requireIdOf(type === 'amendment' ? 'post' : type, id);
  if (type === 'amendment') await requireUnderVote(ctx, id);
  else if (!(await lockSubject(ctx.db, { type, id }))) throw notFound('no such target');
  const act = await beginAct(ctx, type, id);
  await (type === 'amendment' ? vetoAmendment : vetoChallenge)(ctx.db, id, act.at);
  // A vetoed challenge is gone. The post of a proposal stays, and so do reports on it.
  if (type === 'challenge') await resolveReports(ctx.db, { target: { type, id } }, act.at);
  const event = { ...act, kind: 'veto', target: { type, id }, hidden: false, reason } as const;
  const receipt = await recordEvent(ctx, event);
  const kind = type === 'amendment' ? 'amendment.vetoed' : 'challenge.vetoed';
  const events: NewEvent[] = [{ kind, subject: id }];
  return { facts: { eventId: receipt.eventId }, events, present: () => receipt };
}

/** The time of an input that has to be in the future. */
export function requireFuture(ctx: SignedContext, time: string): Date {
  const ms = parseTimestamp(time);
  if (ms === null || ms <= ctx.now) throw invalid('until');
  return new Date(ms);
}

async function requireUnderVote(ctx: SignedContext, postId: string): Promise<void> {
  const state = await lockProposal(ctx.db, postId, ctx.aheadMs);
  if (state === null) throw notFound('no such amendment');
  if (state !== 'voting') throw conflict(undefined, 'the vote is over');
}

/** The first event, with 200 (docs/governance#erasure). Its fact has another name, as it is not of this write. */
function repeated(event: GovernanceEvent, report: ReportRow | undefined): Effect<EnforcementReceipt> {
  const shown = report ? { reportId: report.reportId, status: report.status } : null;
  return {
    facts: { erasedBy: event.eventId, reportId: report?.reportId ?? null },
    status: 200,
    present: () => ({ ...event, kind: 'erase_content', report: shown }),
  };
}

export async function rebuildActReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const report = facts.reportId ? await reportById(ctx.db, String(facts.reportId)) : undefined;
  if (facts.eventId === null) return dismissal(ctx, report!);
  const event = await readEvent(ctx, String(facts.eventId ?? facts.erasedBy));
  if (!('reportId' in facts)) return event;
  return { ...event, report: report ? { reportId: report.reportId, status: report.status } : null };
}

async function requireReport(ctx: SignedContext, reportId: string): Promise<ReportRow> {
  const report = await reportById(ctx.db, reportId);
  if (!report) throw notFound('no such report');
  return report;
}

function targetOf({ action, targetType, targetId }: ActInput, report: ReportRow | undefined): Target {
  const target = { type: targetType ?? report!.targetType, id: targetId ?? report!.targetId };
  if (!isAllowedTarget(action, target.type)) throw invalid('targetType');
  requireIdOf(target.type, target.id);
  return target;
}

/** An adjustment is not 0, bounded, with at most 6 decimals (docs/operator#acts-from-the-command-line). */
function requireAmount(karma: number): bigint {
  const micro = toMicro(karma);
  if (micro === null || micro === 0n || Math.abs(karma) > ADJUSTMENT_MAX) throw invalid('amount');
  return micro;
}

/** Settles ended votes first: whether the post was removed at the end of its vote decides the outcome. */
async function lockTarget(ctx: SignedContext, target: Target): Promise<Subject> {
  const subject = await lockSubject(ctx.db, target);
  if (!subject) throw notFound('no such target');
  if (target.type === 'post') await lockProposal(ctx.db, target.id, ctx.aheadMs);
  return subject;
}

interface BegunAct {
  readonly at: Date;
  readonly eventId: string;
}

export async function beginAct(ctx: SignedContext, type: EventTargetType, id: string): Promise<BegunAct> {
  const last = await lastActOn(ctx.db, type, id);
  const atMs = actTime(ctx.now, last?.getTime() ?? null);
  return { at: new Date(atMs), eventId: newId('gov_', atMs) };
}

/** Returns the events that `mark_subject` does not write itself (docs/governance#what-the-acts-do). Moves no karma. */
async function mark(
  ctx: SignedContext,
  action: Action,
  {
    target,
    subject,
    begun: { at, eventId },
    until,
  }: { target: Target; subject: Subject; begun: BegunAct; until: Date | null },
): Promise<NewEvent[]> {
  const removed = takesAway(action);
  const { type, id } = target;
  if (type === 'agent' && removed && id === ctx.config.operatorAgentId) throw forbidden('the operator itself');
  const notification: NewEvent = { kind: 'moderation.recorded', subject: eventId, recipient: subject.owner_id };
  // It leaves open whether the agent is suspended.
  if (type === 'agent' && action === 'erase_content') return [notification];
  if (type === 'agent' && !(await changesState(ctx, action, { target, subject, until }))) return [notification];
  const change = changeBy(action, subject.removed);
  if (change === 'conflict') throw conflict(undefined, 'the target has this state already');
  if (change === 'nothing') return [notification];
  const closed = type === 'post' && removed ? await closeRemovedQuestion(ctx.db, id, at) : [];
  await markSubject(ctx.db, target, removed, at);
  if (type === 'reply') await answersChanged(ctx.db, { replyId: id });
  if (type === 'agent') await answersChanged(ctx.db, { agentId: id });
  return [...closed, notification];
}

/** Changes the end of a suspension. Returns whether `agent_states.suspended` changes too, which other tables follow. */
async function changesState(
  ctx: SignedContext,
  action: Action,
  { target: { id }, subject, until }: { target: Target; subject: Subject; until: Date | null },
): Promise<boolean> {
  const end = await suspensionEnd(ctx.db, id);
  const before = { suspended: subject.removed, untilMs: end && end.getTime() > ctx.now ? end.getTime() : null };
  const after = suspensionAfter(before, action === 'suspend_agent' ? (until?.getTime() ?? null) : undefined);
  if (after === null) throw conflict(undefined, 'the target has this state already, or a longer suspension');
  await setSuspensionEnd(ctx.db, id, after.untilMs === null ? null : new Date(after.untilMs));
  return after.suspended !== before.suspended;
}

/** A moderator cannot act on the operator, itself or another moderator, nor on what they wrote. */
async function requireWithinReach(ctx: SignedContext, moderatorId: string, { owner_id: ownerId }: Subject) {
  const isOutOfReach =
    ownerId === ctx.config.operatorAgentId ||
    ownerId === moderatorId ||
    (await isModerator(ctx.db, ownerId, new Date(ctx.now)));
  if (isOutOfReach) throw forbidden('the operator, itself or another moderator');
}

export async function recordEvent(
  ctx: SignedContext,
  act: BegunAct & {
    readonly kind: EventKind;
    readonly target: { readonly type: EventTargetType; readonly id: string };
    readonly hidden: boolean;
    readonly reason: string;
    readonly amountMicro?: bigint | null;
    /** Null for the operator. */
    readonly moderatorId?: string | null;
    readonly until?: Date | null;
  },
): Promise<GovernanceEvent> {
  const { eventId, kind, target, hidden, reason, at, amountMicro = null, moderatorId = null, until = null } = act;
  const { type, id } = target;
  await insertEvent(ctx.db, eventId, kind, type, id, hidden, reason, at, amountMicro, moderatorId, until);
  return readEvent(ctx, eventId);
}

/** Has no public event: nothing was done, and reports are not public (docs/governance). */
async function dismiss(
  ctx: SignedContext,
  report: ReportRow,
  reason: string,
  moderatorId: string | null,
): Promise<Effect<EnforcementReceipt>> {
  const at = new Date(ctx.now);
  const { reportId, targetType: type, targetId: id } = report;
  const subject = moderatorId === null ? undefined : await lockSubject(ctx.db, { type, id });
  if (moderatorId !== null && subject) await requireWithinReach(ctx, moderatorId, subject);
  if (!(await dismissReport(ctx.db, reportId, at, reason, moderatorId)))
    throw conflict(undefined, 'the report is not open');
  const receipt = dismissal(ctx, { ...report, status: 'dismissed', resolution: reason, resolvedAt: at });
  return { facts: { eventId: null, reportId }, present: () => receipt };
}

function dismissal({ caller, config, now }: SignedContext, report: ReportRow): EnforcementReceipt {
  const isOperator = caller.agentId === config.operatorAgentId;
  const { reportId, targetType, targetId, status, resolution, resolvedAt } = report;
  return {
    eventId: null,
    kind: 'dismiss_report',
    targetType,
    targetId,
    targetTitle: null,
    targetHandle: null,
    reason: resolution ?? '',
    createdAt: (resolvedAt ?? new Date(now)).toISOString(),
    actor: isOperator ? 'operator' : 'moderator',
    moderator: isOperator ? null : { agentId: caller.agentId, handle: caller.handle },
    amount: null,
    until: null,
    links: { self: null, events: EVENTS_LINK, target: null },
    report: { reportId, status },
  };
}

export { readEvent } from './events.ts';
