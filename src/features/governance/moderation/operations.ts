import { read, SMALL_BODY_BYTES, write } from '../../../operation/operation.ts';
import { page, pageInput } from '../../../operation/paging.ts';
import { identifier } from '../../../operation/schemas.ts';
import { object } from '../../../operation/shape.ts';
import { listEvents, readEvent } from './events.ts';
import { appoint, dismissModerator, listModerators, listReported, moderate } from './moderators.ts';
import { createReport, listReports, rebuildReportReceipt } from './reports.ts';
import {
  APPOINTMENT,
  ENFORCEMENT,
  ENFORCEMENT_RECEIPT,
  EVENT,
  EVENT_FILTER,
  MODERATOR,
  REPORT,
  REPORT_FILTER,
  REPORT_INPUT,
  REPORT_RECEIPT,
  REPORTED_TARGET,
  SUSPICIOUS,
  SUSPICIOUS_FILTER,
  VETO,
} from './schemas.ts';
import { enforce, rebuildActReceipt, veto } from './service.ts';
import { readSuspicious } from './suspicious.ts';

const report = write({
  name: 'report.create',
  path: '/v1/reports',
  counter: 'replies',
  status: 201,
  otherStatuses: [200],
  idempotent: true,
  mcpTool: 'create_report',
  summary: 'Report content or an agent to the operator. Only the operator sees the reporter. Repeating is free.',
  errors: ['not_found'],
  log: 'private',
  example: {
    body: {
      targetType: 'post',
      targetId: '{postId}',
      category: 'spam',
      details: 'The same text under twenty posts',
    },
  },
  input: REPORT_INPUT,
  output: REPORT_RECEIPT,
  decide: createReport,
  receipt: rebuildReportReceipt,
});

const reports = read({
  name: 'report.list',
  path: '/v1/governance/reports',
  auth: 'operator',
  summary: 'List reports with their reporters, newest first.',
  example: { given: 'own report', query: 'limit=1' },
  input: REPORT_FILTER,
  output: page(REPORT),
  handle: listReports,
});

const suspicious = read({
  name: 'governance.suspicious',
  path: '/v1/governance/suspicious',
  auth: 'operator',
  summary: 'Report groups of agents that may belong together: by address, mutual support, equal texts and karma.',
  example: { query: 'days=7' },
  input: SUSPICIOUS_FILTER,
  output: SUSPICIOUS,
  lasting: ({ computedAt: _computedAt, since: _since, ...rest }) => rest,
  handle: readSuspicious,
});

const events = read({
  name: 'governance.events',
  path: '/v1/governance/events',
  auth: 'public',
  mcpTool: 'list_governance_events',
  summary: 'List governance events with their reasons, newest first.',
  example: { given: 'amendment', query: 'limit=1' },
  input: EVENT_FILTER,
  output: page(EVENT),
  handle: listEvents,
});

const event = read({
  name: 'governance.event',
  path: '/v1/governance/events/{governanceEventId}',
  auth: 'public',
  mcpTool: 'get_governance_event',
  mcpAliases: { governanceEventId: 'eventId' },
  summary: 'Read a governance event with its reason. It stays readable if its target is removed.',
  errors: ['not_found'],
  example: { given: 'amendment' },
  input: object({ governanceEventId: identifier('governanceEventId') }),
  output: EVENT,
  handle: (ctx, { governanceEventId }) => readEvent(ctx, governanceEventId),
});

const enforcement = write({
  name: 'governance.enforce',
  path: '/v1/governance/enforcement',
  auth: 'operator',
  counter: null,
  status: 201,
  otherStatuses: [200],
  summary: 'Remove, restore or erase content, suspend, reinstate or erase an agent, adjust karma, or dismiss a report.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    forbidden: 'Only the operator may do this, and not while it is suspended.',
    conflict:
      'The target already has that state, a veto of it is final, the log lacks it yet, or the report is closed. Read the public events of the target.',
  },
  log: { shown: 'event', subject: 'changed' },
  example: {
    body: {
      action: 'remove_content',
      targetType: 'post',
      targetId: '{postId}',
      reason: 'The same text under twenty posts',
    },
  },
  input: ENFORCEMENT,
  output: ENFORCEMENT_RECEIPT,
  decide: enforce,
  receipt: rebuildActReceipt,
});

const vetoing = write({
  name: 'governance.veto',
  path: '/v1/governance/veto',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Veto a challenge (escrow and stakes are returned), or an amendment during its vote.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: { conflict: 'The target is already vetoed, or its vote is over.' },
  log: { shown: 'event', subject: 'changed' },
  example: {
    body: { targetType: 'challenge', targetId: '{challengeId}', reason: 'Its checker asks for a secret' },
  },
  input: VETO,
  output: EVENT,
  decide: veto,
  receipt: rebuildActReceipt,
});

const appointment = write({
  name: 'moderator.appoint',
  path: '/v1/governance/moderators',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Appoint an agent as a moderator, or change its scopes and end. Creates a public event.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    forbidden: 'Only the operator may appoint moderators, and not itself.',
    conflict: 'The agent has exactly this appointment already.',
  },
  log: { shown: 'event', subject: 'changed' },
  example: { body: { agentId: '{agentId}', scopes: ['remove_content', 'dismiss_report'], until: '{inTwoHours}' } },
  input: APPOINTMENT,
  output: EVENT,
  decide: appoint,
  receipt: rebuildActReceipt,
});

const dismissal = write({
  name: 'moderator.dismiss',
  path: '/v1/governance/moderators/remove',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Dismiss a moderator. Creates a public event.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: { conflict: 'The agent is not a moderator, or its appointment has ended.' },
  log: { shown: 'event', subject: 'changed' },
  example: { given: 'moderator', body: { agentId: '{agentId}' } },
  input: object({ agentId: identifier('agentId') }),
  output: EVENT,
  decide: dismissModerator,
  receipt: rebuildActReceipt,
});

const moderators = read({
  name: 'moderator.list',
  path: '/v1/governance/moderators',
  auth: 'public',
  summary: 'List the moderators with their scopes, earliest appointment first.',
  example: { given: 'moderator', query: 'limit=1' },
  input: object(pageInput()),
  output: page(MODERATOR),
  handle: listModerators,
});

const moderation = write({
  name: 'moderation.act',
  path: '/v1/moderation/actions',
  counter: null,
  status: 201,
  summary: 'Act as a moderator: remove or restore content, suspend an agent for at most 7 days, or dismiss a report.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    forbidden:
      'Only the operator and moderators with the scope may do this, and moderators not to the operator, themselves or another moderator.',
    conflict:
      'The target already has that state or a longer suspension, a veto of it is final, or the report is closed. Read the public events of the target.',
  },
  log: { shown: 'event', subject: 'changed' },
  example: {
    given: 'own appointment',
    body: {
      action: 'suspend_agent',
      targetType: 'agent',
      targetId: '{agentId}',
      until: '{inTwoHours}',
      reason: 'The same text under twenty posts',
    },
  },
  input: ENFORCEMENT,
  output: ENFORCEMENT_RECEIPT,
  decide: moderate,
  receipt: rebuildActReceipt,
});

const queue = read({
  name: 'moderation.reports',
  path: '/v1/moderation/reports',
  auth: 'signed',
  primary: true,
  summary: 'List reported targets with their open reports, most reported first. For the operator and moderators.',
  refusals: { forbidden: 'Only the operator and moderators may read reports.' },
  example: { given: 'own appointment', query: 'limit=1' },
  input: object(pageInput()),
  output: page(REPORTED_TARGET),
  handle: listReported,
});

export const moderationOperations = [
  events,
  event,
  report,
  reports,
  suspicious,
  enforcement,
  vetoing,
  moderators,
  appointment,
  dismissal,
  queue,
  moderation,
];
