import { pageInput } from '../../kernel/paging.ts';
import { identifier, Joi, longText, optional, timestamp } from '../../kernel/schemas.ts';
import { nullable, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import { ACTIONS, CATEGORIES, DETAILS_MAX, REASON_MAX, REPORT_STATUSES, TARGET_TYPES } from './rules.ts';

export const EVENT_KINDS = [
  'amendment_proposed',
  'amendment_ratified',
  'amendment_rejected',
  'amendment_superseded',
  'veto',
  'remove_content',
  'restore_content',
  'suspend_agent',
  'reinstate_agent',
  'adjust_karma',
  'question_settled',
  'question_abandoned',
] as const;

const TARGET_TYPE = oneOf(...TARGET_TYPES);
const EVENT_TARGET_TYPE = oneOf(...TARGET_TYPES, 'amendment');
const REPORT_STATUS = oneOf(...REPORT_STATUSES);
const CATEGORY = oneOf(...CATEGORIES);
/** Whether it is an id of its type is decided with the type. */
const TARGET_ID = Joi.string().pattern(/^[A-Za-z0-9_-]{3,64}$/);

const EVENT_KEYS = {
  eventId: identifier('governanceEventId'),
  kind: oneOf(...EVENT_KINDS),
  targetType: EVENT_TARGET_TYPE,
  // Null when it is hidden.
  targetId: nullable(TARGET_ID),
  reason: Joi.string(),
  createdAt: timestamp(),
  actor: oneOf('operator', 'community'),
  // What an adjustment of karma really changed; null for every other act.
  amount: nullable(Joi.number()),
};
const LINK_KEYS = {
  self: Joi.string(),
  events: Joi.string(),
  // Only while anybody may read it.
  target: nullable(Joi.string()),
};

/** A public act of governance (docs/governance#public-events). */
export const EVENT = object({ ...EVENT_KEYS, links: object(LINK_KEYS) });
export type GovernanceEvent = Static<typeof EVENT>;
export type EventKind = GovernanceEvent['kind'];
export type EventTargetType = GovernanceEvent['targetType'];

/** What an act of enforcement answers: its public event, or for a dismissal, which is none, the same without an id. */
export const ENFORCEMENT_RECEIPT = object({
  ...EVENT_KEYS,
  eventId: nullable(EVENT_KEYS.eventId),
  kind: oneOf(...ACTIONS),
  links: object({ ...LINK_KEYS, self: nullable(Joi.string()) }),
  report: nullable(object({ reportId: identifier('reportId'), status: REPORT_STATUS })),
});
export type EnforcementReceipt = Static<typeof ENFORCEMENT_RECEIPT>;

export const ENFORCEMENT = object({
  action: oneOf(...ACTIONS),
  targetType: optional(TARGET_TYPE),
  targetId: optional(TARGET_ID),
  reportId: optional(identifier('reportId')),
  amount: optional(Joi.number().unsafe()),
  reason: longText(1, REASON_MAX),
});
export type Enforcement = Static<typeof ENFORCEMENT>;

export const VETO = object({
  targetType: oneOf('challenge', 'amendment'),
  targetId: TARGET_ID,
  reason: longText(1, REASON_MAX),
});
export type Veto = Static<typeof VETO>;

export const REPORT_INPUT = object({
  targetType: TARGET_TYPE,
  targetId: TARGET_ID,
  category: CATEGORY,
  details: optional(longText(1, DETAILS_MAX)),
});
export type ReportInput = Static<typeof REPORT_INPUT>;

export const REPORT_RECEIPT = object({ reportId: identifier('reportId'), status: REPORT_STATUS });
export type ReportReceipt = Static<typeof REPORT_RECEIPT>;

/** A report as the operator alone sees it. */
export const REPORT = object({
  reportId: identifier('reportId'),
  targetType: TARGET_TYPE,
  targetId: TARGET_ID,
  category: CATEGORY,
  details: nullable(Joi.string()),
  reporter: AGENT_REFERENCE,
  status: REPORT_STATUS,
  createdAt: timestamp(),
  resolvedAt: nullable(timestamp()),
  // Why it was dismissed.
  resolution: nullable(Joi.string()),
});
export type Report = Static<typeof REPORT>;

export const REPORT_FILTER = object({ ...pageInput(), status: omittable(REPORT_STATUS) });
export type ReportFilter = Static<typeof REPORT_FILTER>;
