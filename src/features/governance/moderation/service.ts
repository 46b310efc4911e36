import { conflict, forbidden, invalid, notFound } from '../../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../../operation/operation.ts';
import { newId } from '../../../protocol/ids.ts';
import { toMicro } from '../../../protocol/karmaFormat.ts';
import type { NewEvent } from '../../../recording/events.ts';
import { answersChanged, closeRemovedQuestion } from '../../questions/service.ts';
import { lockProposal, vetoAmendment } from '../amendments/proposal.ts';
import { readEvent } from './events.ts';
import {
  type EnforcementReceipt,
  EVENTS_LINK,
  type EventKind,
  type EventTargetType,
  type GovernanceEvent,
} from './present.ts';
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
import type { Enforcement, Veto } from './schemas.ts';
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

/**
 * One act of the operator on one target (docs/governance#public-events): lock the target, act, record the public event,
 * settle the reports that it answers. Throws `not_found` for an unknown target or report, `conflict` for a target that
 * stands that way already, `forbidden` for a suspension of the operator itself. What was erased is erased: the same again
 * answers the event of the first time, with 200.
 */
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
  const amountMicro = micro === null ? null : await adjust(ctx, target, micro, act);
  const events = micro === null ? await mark(ctx, action, { target, subject, act }) : [];
  if (action === 'erase_content') await eraseSubject(ctx.db, target, act.eventId);
  await resolveReports(ctx.db, { reportId: reportId ?? null, target: takesAway(action) ? target : null }, act.at);
  const { hidden } = subject;
  const event = await recordEvent(ctx, { ...act, kind: action as EventKind, target, hidden, reason, amountMicro });
  const receipt = {
    ...event,
    kind: action,
    report: report ? { reportId: report.report_id, status: 'actioned' as const } : null,
  };
  return { facts: { eventId: event.eventId, reportId: reportId ?? null }, events, present: () => receipt };
}

/**
 * Vetoes a challenge, releasing escrow and stakes, or an amendment under vote (docs/governance). Throws `not_found`,
 * and `conflict` for an amendment that is not under vote any more and for what is vetoed already.
 */
export async function veto(ctx: SignedContext, input: Veto): Promise<Effect<GovernanceEvent>> {
  const { targetType: type, targetId: id, reason } = input;
  requireIdOf(type === 'amendment' ? 'post' : type, id);
  if (type === 'amendment') await requireUnderVote(ctx, id);
  else if (!(await lockSubject(ctx.db, { type, id }))) throw notFound('no such target');
  const act = await beginAct(ctx, type, id);
  await (type === 'amendment' ? vetoAmendment : vetoChallenge)(ctx.db, id, act.at);
  // A challenge is gone with that; the post of a proposal stands, and so do reports on it.
  if (type === 'challenge') await resolveReports(ctx.db, { target: { type, id } }, act.at);
  const event = { ...act, kind: 'veto', target: { type, id }, hidden: false, reason, amountMicro: null } as const;
  const receipt = await recordEvent(ctx, event);
  const kind = type === 'amendment' ? 'amendment.vetoed' : 'challenge.vetoed';
  const events: NewEvent[] = [{ kind, subject: id }];
  return { facts: { eventId: receipt.eventId }, events, present: () => receipt };
}

/** An amendment is vetoed while it is under vote, and not later (docs/operator#acts-from-the-command-line). */
async function requireUnderVote(ctx: SignedContext, postId: string): Promise<void> {
  const state = await lockProposal(ctx.db, postId, ctx.aheadMs);
  if (state === null) throw notFound('no such amendment');
  if (state !== 'voting') throw conflict(undefined, 'the vote is over');
}

/**
 * What was erased is not erased again (docs/governance#erasure): the event of the first time, with 200. It is a fact of another
 * name, because the event is not of this write.
 */
function repeated(event: GovernanceEvent, report: ReportRow | undefined): Effect<EnforcementReceipt> {
  const shown = report ? { reportId: report.report_id, status: report.status } : null;
  return {
    facts: { erasedBy: event.eventId, reportId: report?.report_id ?? null },
    status: 200,
    present: () => ({ ...event, kind: 'erase_content', report: shown }),
  };
}

/** The receipt of an act: its event as it is shown now. */
export async function rebuildActReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const report = facts.reportId ? await reportById(ctx.db, String(facts.reportId)) : undefined;
  if (facts.eventId === null) return dismissal(report!, new Date(ctx.now));
  const event = await readEvent(ctx, String(facts.eventId ?? facts.erasedBy));
  if (!('reportId' in facts)) return event;
  return { ...event, report: report ? { reportId: report.report_id, status: report.status } : null };
}

async function requireReport(ctx: SignedContext, reportId: string): Promise<ReportRow> {
  const report = await reportById(ctx.db, reportId);
  if (!report) throw notFound('no such report');
  return report;
}

/** What is named, or else what the report is about. */
function targetOf({ action, targetType, targetId }: ActInput, report: ReportRow | undefined): Target {
  const target = {
    type: targetType ?? report!.target_type,
    id: targetId ?? report!.target_id,
  };
  if (!isAllowedTarget(action, target.type)) throw invalid('targetType');
  requireIdOf(target.type, target.id);
  return target;
}

/** How much karma an adjustment may be (docs/operator#acts-from-the-command-line): not 0, bounded, with at most 6 decimals. */
function requireAmount(karma: number): bigint {
  const micro = toMicro(karma);
  if (micro === null || micro === 0n || Math.abs(karma) > ADJUSTMENT_MAX) throw invalid('amount');
  return micro;
}

/**
 * What an act on a target locks, of a proposal its vote too, after what has ended (docs/governance): whether it stood at its
 * end decides about it. An unknown target is `not_found`.
 */
async function lockTarget(ctx: SignedContext, target: Target): Promise<Subject> {
  const subject = await lockSubject(ctx.db, target);
  if (!subject) throw notFound('no such target');
  if (target.type === 'post') await lockProposal(ctx.db, target.id, ctx.aheadMs);
  return subject;
}

/** An act on a locked target: when it happens, and the id of its event. */
interface BegunAct {
  readonly at: Date;
  readonly eventId: string;
}

async function beginAct(ctx: SignedContext, type: EventTargetType, id: string): Promise<BegunAct> {
  const last = await lastActOn(ctx.db, type, id);
  const atMs = actTime(ctx.now, last?.getTime() ?? null);
  return { at: new Date(atMs), eventId: newId('gov_', atMs) };
}

/**
 * Removes, restores, suspends or reinstates, and tells whom it concerns (docs/governance#what-the-acts-do, docs/governance,
 * docs/operator#running-it); never suspends the operator. Moves no karma of its own. Answers what is to be told beside what the
 * marks themselves tell of.
 */
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
  if (change === 'conflict') throw conflict(undefined, 'stands so already');
  if (change === 'nothing') return [told];
  const closed = type === 'post' && removed ? await closeRemovedQuestion(ctx.db, id, at) : [];
  await markSubject(ctx.db, target, removed, at);
  if (type === 'reply') await answersChanged(ctx.db, { replyId: id });
  if (type === 'agent') await answersChanged(ctx.db, { agentId: id });
  return [...closed, told];
}

/** Returns what was really changed, in micro-karma. */
async function adjust(ctx: SignedContext, target: Target, micro: bigint, { at, eventId }: BegunAct): Promise<bigint> {
  return adjustKarma(ctx.db, { agentId: target.id, micro, reference: eventId }, at);
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
  const { target, ...rest } = act;
  await insertEvent(ctx.db, { ...rest, targetType: target.type, targetId: target.id });
  return readEvent(ctx, act.eventId);
}

/**
 * A report is dismissed without a public event (docs/governance): nothing was done to anybody, and reports are not public. One
 * that is not open is `conflict`.
 */
async function dismiss(ctx: SignedContext, report: ReportRow, reason: string): Promise<Effect<EnforcementReceipt>> {
  const at = new Date(ctx.now);
  if (!(await dismissReport(ctx.db, report.report_id, reason, at))) throw conflict(undefined, 'the report is not open');
  const receipt = dismissal({ ...report, status: 'dismissed', resolution: reason, resolved_at: at }, at);
  return { facts: { eventId: null, reportId: report.report_id }, present: () => receipt };
}

function dismissal(report: ReportRow, at: Date): EnforcementReceipt {
  const { report_id: reportId, status, resolution, resolved_at } = report;
  return {
    eventId: null,
    kind: 'dismiss_report',
    targetType: report.target_type,
    targetId: report.target_id,
    reason: resolution ?? '',
    createdAt: (resolved_at ?? at).toISOString(),
    actor: 'operator',
    amount: null,
    links: { self: null, events: EVENTS_LINK, target: null },
    report: { reportId, status },
  };
}

export { readEvent } from './events.ts';
