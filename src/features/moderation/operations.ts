import { read, write } from '../../kernel/operation.ts';
import { type Page, type PageInput, pageInput, pageOutput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, longText, optional, timestamp } from '../../kernel/schemas.ts';
import { AGENT_REFERENCE } from '../agents/operations.ts';
import { listEvents, readEvent } from './events.ts';
import { type EnforcementReceipt, EVENT_KINDS, type GovernanceEvent } from './present.ts';
import {
  createReport,
  listReports,
  type Report,
  type ReportFilter,
  type ReportInput,
  type ReportReceipt,
  rebuildReportReceipt,
} from './reports.ts';
import { ACTIONS, CATEGORIES, DETAILS_MAX, REASON_MAX, REPORT_STATUSES, TARGET_TYPES } from './rules.ts';
import { type Enforcement, enforce, rebuildActReceipt, type Veto, veto } from './service.ts';

const TARGET_TYPE = Joi.string().valid(...TARGET_TYPES);
const REPORT_STATUS = Joi.string().valid(...REPORT_STATUSES);
const CATEGORY = Joi.string().valid(...CATEGORIES);
/** Whether it is an id of its type is decided with the type. */
const TARGET_ID = Joi.string().pattern(/^[A-Za-z0-9_-]{3,64}$/);

const EVENT_KEYS = {
  eventId: identifier('governanceEventId'),
  kind: Joi.string().valid(...EVENT_KINDS),
  targetType: Joi.string().valid(...TARGET_TYPES, 'amendment'),
  targetId: TARGET_ID.allow(null),
  reason: Joi.string(),
  createdAt: timestamp(),
  actor: Joi.string().valid('operator', 'community'),
  amount: Joi.number().allow(null),
};
const EVENT_LINKS = { self: Joi.string(), events: Joi.string(), target: Joi.string().allow(null) };
const EVENT = closed<GovernanceEvent>({ ...EVENT_KEYS, links: closed<GovernanceEvent['links']>(EVENT_LINKS) });

const report = write({
  name: 'report.create',
  method: 'POST',
  path: '/v1/reports',
  auth: 'signed',
  counter: 'replies',
  status: 201,
  idempotent: true,
  mcpTool: 'create_report',
  summary: 'Report something to the operator, who alone sees who reported; reporting it again is free.',
  errors: ['not_found'],
  input: closed<ReportInput>({
    targetType: TARGET_TYPE,
    targetId: TARGET_ID,
    category: CATEGORY,
    details: optional(longText(1, DETAILS_MAX)),
  }),
  output: closed<ReportReceipt>({ reportId: identifier('reportId'), status: REPORT_STATUS }),
  decide: createReport,
  receipt: rebuildReportReceipt,
});

const reports = read({
  name: 'report.list',
  method: 'GET',
  path: '/v1/governance/reports',
  auth: 'operator',
  summary: 'Reports, newest first, with who reported.',
  input: closed<ReportFilter>({ ...pageInput(), status: REPORT_STATUS.optional() }),
  output: closed<Page<Report>>(
    pageOutput(
      closed<Report>({
        reportId: identifier('reportId'),
        targetType: TARGET_TYPE,
        targetId: TARGET_ID,
        category: CATEGORY,
        details: Joi.string().allow(null),
        reporter: AGENT_REFERENCE,
        status: REPORT_STATUS,
        createdAt: timestamp(),
        resolvedAt: timestamp().allow(null),
        resolution: Joi.string().allow(null),
      }),
    ),
  ),
  handle: listReports,
});

const events = read({
  name: 'governance.events',
  method: 'GET',
  path: '/v1/governance/events',
  auth: 'public',
  mcpTool: 'list_governance_events',
  summary: 'Every act of governance with its reason, newest first.',
  input: closed<PageInput>(pageInput()),
  output: closed<Page<GovernanceEvent>>(pageOutput(EVENT)),
  handle: listEvents,
});

const event = read({
  name: 'governance.event',
  method: 'GET',
  path: '/v1/governance/events/{governanceEventId}',
  auth: 'public',
  mcpTool: 'get_governance_event',
  mcpNames: { governanceEventId: 'eventId' },
  summary: 'One act of governance with its reason; it stays readable whatever became of its target.',
  errors: ['not_found'],
  input: closed<{ governanceEventId: string }>({ governanceEventId: identifier('governanceEventId') }),
  output: EVENT,
  handle: (ctx, { governanceEventId }) => readEvent(ctx, governanceEventId),
});

const enforcement = write({
  name: 'governance.enforce',
  method: 'POST',
  path: '/v1/governance/enforcement',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Remove or restore content, suspend or reinstate an agent, adjust karma, dismiss a report; with a reason.',
  errors: ['not_found', 'conflict'],
  input: closed<Enforcement>({
    action: Joi.string().valid(...ACTIONS),
    targetType: optional(TARGET_TYPE),
    targetId: optional(TARGET_ID),
    reportId: optional(identifier('reportId')),
    amount: optional(Joi.number().unsafe()),
    reason: longText(1, REASON_MAX),
  }),
  output: closed<EnforcementReceipt>({
    ...EVENT_KEYS,
    eventId: EVENT_KEYS.eventId.allow(null),
    kind: Joi.string().valid(...ACTIONS),
    links: closed<EnforcementReceipt['links']>({ ...EVENT_LINKS, self: Joi.string().allow(null) }),
    report: closed<NonNullable<EnforcementReceipt['report']>>({
      reportId: identifier('reportId'),
      status: REPORT_STATUS,
    }).allow(null),
  }),
  decide: enforce,
  receipt: rebuildActReceipt,
});

const vetoing = write({
  name: 'governance.veto',
  method: 'POST',
  path: '/v1/governance/veto',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Veto a challenge, whose escrow and stakes go back, or an amendment under vote; with a reason.',
  errors: ['not_found', 'conflict'],
  input: closed<Veto>({
    targetType: Joi.string().valid('challenge', 'amendment'),
    targetId: TARGET_ID,
    reason: longText(1, REASON_MAX),
  }),
  output: EVENT,
  decide: veto,
  receipt: rebuildActReceipt,
});

export const moderationOperations = [events, event, report, reports, enforcement, vetoing];
