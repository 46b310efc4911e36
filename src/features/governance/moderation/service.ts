import { conflict, forbidden, invalid, notFound } from '../../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../../operation/operation.ts';
import { newId } from '../../../protocol/ids.ts';
import { toMicro } from '../../../protocol/karmaFormat.ts';
import type { NewEvent } from '../../../recording/events.ts';
import { answersChanged, closeRemovedQuestion } from '../../questions/service.ts';
import { lockProposal, vetoAmendment } from '../amendments/tallyJob.ts';
import { readEvent } from './events.ts';
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
  vetoChallenge,
} from './store.ts';

/** `conflict`: the target has that state; `forbidden`: suspending the operator. Erasing again returns 200. */
export async function enforce(ctx: SignedContext, input: Enforcement): Promise<Effect<EnforcementReceipt>> {
  const problem = actProblem(input);
  if (problem) throw invalid(problem);
  const { action, reportId, reason } = input;
  const report = reportId === undefined ? undefined : await requireReport(ctx, reportId);
  if (action === 'dismiss_report') return dismiss(ctx, report!, reason);
  const target = targetOf(input, report);
  if (report?.status === 'dismissed') throw conflict('reportId');
  const micro = action === 'adjust_karma' ? requireAmount(input.amount!) : null;

  const subject = await lockTarget(ctx, target);
  const erased = action === 'erase_content' ? await erasureOf(ctx.db, target) : undefined;
  if (erased !== undefined) return repeated(await readEvent(ctx, erased), report);
  const act = await beginAct(ctx, target.type, target.id);
  // The change may be smaller than asked for, so the event has the actual one.
  const amountMicro =
    micro === null ? null : BigInt((await adjustKarma(ctx.db, target.id, micro, act.eventId, act.at))!);
  const events = micro === null ? await mark(ctx, action, { target, subject, act }) : [];
  if (action === 'erase_content') await eraseSubject(ctx.db, target, act.eventId);
  await resolveReports(ctx.db, { reportId: reportId ?? null, target: takesAway(action) ? target : null }, act.at);
  const { hidden } = subject;
  const event = await recordEvent(ctx, { ...act, kind: action as EventKind, target, hidden, reason, amountMicro });
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
  const event = { ...act, kind: 'veto', target: { type, id }, hidden: false, reason, amountMicro: null } as const;
  const receipt = await recordEvent(ctx, event);
  const kind = type === 'amendment' ? 'amendment.vetoed' : 'challenge.vetoed';
  const events: NewEvent[] = [{ kind, subject: id }];
  return { facts: { eventId: receipt.eventId }, events, present: () => receipt };
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
  if (facts.eventId === null) return dismissal(report!, new Date(ctx.now));
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

async function beginAct(ctx: SignedContext, type: EventTargetType, id: string): Promise<BegunAct> {
  const last = await lastActOn(ctx.db, type, id);
  const atMs = actTime(ctx.now, last?.getTime() ?? null);
  return { at: new Date(atMs), eventId: newId('gov_', atMs) };
}

/** Returns the events that `mark_subject` does not write itself (docs/governance#what-the-acts-do). Moves no karma. */
async function mark(
  ctx: SignedContext,
  action: Action,
  { target, subject, act: { at, eventId } }: { target: Target; subject: Subject; act: BegunAct },
): Promise<NewEvent[]> {
  const removed = takesAway(action);
  const { type, id } = target;
  if (action === 'suspend_agent' && id === ctx.config.operatorAgentId) throw forbidden('the operator itself');
  const told: NewEvent = { kind: 'moderation.recorded', subject: eventId, recipient: subject.owner_id };
  const change = changeBy(action, subject.removed);
  if (change === 'conflict') throw conflict(undefined, 'the target has this state already');
  if (change === 'nothing') return [told];
  const closed = type === 'post' && removed ? await closeRemovedQuestion(ctx.db, id, at) : [];
  await markSubject(ctx.db, target, removed, at);
  if (type === 'reply') await answersChanged(ctx.db, { replyId: id });
  if (type === 'agent') await answersChanged(ctx.db, { agentId: id });
  return [...closed, told];
}

async function recordEvent(
  ctx: SignedContext,
  act: BegunAct & {
    readonly kind: EventKind;
    readonly target: { readonly type: EventTargetType; readonly id: string };
    readonly hidden: boolean;
    readonly reason: string;
    readonly amountMicro: bigint | null;
  },
): Promise<GovernanceEvent> {
  const { eventId, kind, target, hidden, reason, at, amountMicro } = act;
  await insertEvent(ctx.db, eventId, kind, target.type, target.id, hidden, reason, at, amountMicro);
  return readEvent(ctx, eventId);
}

/** Has no public event: nothing was done, and reports are not public (docs/governance). */
async function dismiss(ctx: SignedContext, report: ReportRow, reason: string): Promise<Effect<EnforcementReceipt>> {
  const at = new Date(ctx.now);
  const { reportId } = report;
  if (!(await dismissReport(ctx.db, reportId, at, reason))) throw conflict(undefined, 'the report is not open');
  const receipt = dismissal({ ...report, status: 'dismissed', resolution: reason, resolvedAt: at }, at);
  return { facts: { eventId: null, reportId }, present: () => receipt };
}

function dismissal(report: ReportRow, at: Date): EnforcementReceipt {
  const { reportId, targetType, targetId, status, resolution, resolvedAt } = report;
  return {
    eventId: null,
    kind: 'dismiss_report',
    targetType,
    targetId,
    targetTitle: null,
    targetHandle: null,
    reason: resolution ?? '',
    createdAt: (resolvedAt ?? at).toISOString(),
    actor: 'operator',
    moderator: null,
    amount: null,
    links: { self: null, events: EVENTS_LINK, target: null },
    report: { reportId, status },
  };
}

export { readEvent } from './events.ts';
