import { invalid, notFound } from '../../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../../operation/operation.ts';
import { type Page, readPage } from '../../../operation/paging.ts';
import { IDENTIFIER_PATTERNS, type IdentifierName } from '../../../protocol/ids.ts';
import type { TargetType } from './rules.ts';
import type { Report, ReportFilter, ReportInput, ReportReceipt } from './schemas.ts';
import { fileReport, isVisible, newestReports, type ReportRow, reportById } from './store.ts';

const ID_OF: Readonly<Record<TargetType, IdentifierName>> = {
  agent: 'agentId',
  community: 'slug',
  post: 'postId',
  reply: 'replyId',
  challenge: 'challengeId',
  feedback: 'feedbackId',
};

export function requireIdOf(type: TargetType, id: string): void {
  if (!IDENTIFIER_PATTERNS[ID_OF[type]].test(id)) throw invalid('targetId');
}

/** `not_found` for what the caller cannot see. A repeat returns the first report, with 200 and uncharged. */
export async function createReport(ctx: SignedContext, input: ReportInput): Promise<Effect<ReportReceipt>> {
  const { targetType: type, targetId: id, category, details = null } = input;
  requireIdOf(type, id);
  const reporterId = ctx.caller.agentId;
  const target = { type, id };
  if (!(await isVisible(ctx.db, reporterId, target))) throw notFound('no such target');
  const filed = await fileReport(ctx.db, {
    reportId: ctx.newId('rep_'),
    reporterId,
    target,
    category,
    details,
    at: new Date(ctx.now),
  });
  if (!filed) throw notFound('removed meanwhile');
  const { isNew, ...receipt } = filed;
  return { facts: receipt, present: () => receipt, ...(isNew ? {} : { unchanged: true, status: 200 }) };
}

export async function rebuildReportReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const { reportId, status } = (await reportById(ctx.db, String(facts.reportId)))!;
  return { reportId, status };
}

export async function listReports(ctx: Context, input: ReportFilter): Promise<Page<Report>> {
  const { status } = input;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['report.list', status ?? null],
    (position, limit) => newestReports(ctx.db, { status, beforeId: position?.reportId as string | undefined }, limit),
    ({ reportId }) => ({ reportId }),
  );
  return { items: rows.map(presentReport), ...rest };
}

const presentReport = (row: ReportRow): Report => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
});
