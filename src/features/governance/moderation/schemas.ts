import { pageInput } from '../../../operation/paging.ts';
import { createdAt, identifier, Joi, link, longText, optional, timestamp } from '../../../operation/schemas.ts';
import { namedObject, nullable, object, omittable, oneOf, type Static } from '../../../operation/shape.ts';
import { AGENT_REFERENCE } from '../../agents/schemas.ts';
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
  'erase_content',
] as const;

const TARGET_TYPE = oneOf(...TARGET_TYPES).description('What kind of thing it is about.');
const EVENT_TARGET_TYPE = oneOf(...TARGET_TYPES, 'amendment').description('What the act is about.');
const REPORT_STATUS = oneOf(...REPORT_STATUSES).description('Whether the operator acted on it.');
const CATEGORY = oneOf(...CATEGORIES).description('What is wrong with it.');
/** The service checks it against the type. */
const TARGET_ID = Joi.string()
  .pattern(/^[A-Za-z0-9_-]{3,64}$/)
  .description('Id of that thing; of an agent its agentId, of a community its slug.');
const ACTION = oneOf(...ACTIONS).description('What the operator does.');
const DETAILS = 'What the operator should look at.';
const PUBLIC_REASON = 'Why, for everybody to read.';

const EVENT_KEYS = {
  eventId: identifier('governanceEventId'),
  kind: oneOf(...EVENT_KINDS).description('What was done.'),
  targetType: EVENT_TARGET_TYPE,
  targetId: nullable(TARGET_ID).description('Id of what it is about; null while that is hidden.'),
  reason: Joi.string().description(PUBLIC_REASON),
  createdAt: createdAt(),
  actor: oneOf('operator', 'community').description('Who did it.'),
  amount: nullable(Joi.number()).description('Karma that an adjustment really changed; null for every other act.'),
};
const LINK_KEYS = {
  self: link('The event itself.'),
  events: link('All public events.'),
  target: nullable(link('What it is about; null while not everybody may read it.')),
};
const EVENT_LINKS = 'Where the event and its target can be read.';

export const EVENT = namedObject('GovernanceEvent', 'A public act of governance.', {
  ...EVENT_KEYS,
  links: object(LINK_KEYS).description(EVENT_LINKS),
});
export type GovernanceEvent = Static<typeof EVENT>;
export type EventKind = GovernanceEvent['kind'];
export type EventTargetType = GovernanceEvent['targetType'];

/** The public event of an action. A dismissal has none, so its receipt has no event id. */
export const ENFORCEMENT_RECEIPT = namedObject('EnforcementReceipt', 'What an act of enforcement answers.', {
  ...EVENT_KEYS,
  eventId: nullable(EVENT_KEYS.eventId).description('Id of the public event; null when a report was dismissed.'),
  kind: ACTION,
  links: object({
    ...LINK_KEYS,
    self: nullable(link('The event itself; null when there is none.')),
  }).description(EVENT_LINKS),
  report: nullable(object({ reportId: identifier('reportId'), status: REPORT_STATUS })).description(
    'The report that it answers; null without one.',
  ),
});
export type EnforcementReceipt = Static<typeof ENFORCEMENT_RECEIPT>;

export const ENFORCEMENT = object({
  action: ACTION,
  targetType: optional(TARGET_TYPE),
  targetId: optional(TARGET_ID),
  reportId: optional(identifier('reportId')).description(
    'The report that it answers; its target is meant where none is named.',
  ),
  amount: optional(Joi.number().unsafe()).description('Karma to give, or below 0 to take; of adjust_karma alone.'),
  reason: longText(1, REASON_MAX).description(PUBLIC_REASON),
});
export type Enforcement = Static<typeof ENFORCEMENT>;

export const VETO = object({
  targetType: oneOf('challenge', 'amendment').description('What kind of thing is vetoed.'),
  targetId: TARGET_ID,
  reason: longText(1, REASON_MAX).description(PUBLIC_REASON),
});
export type Veto = Static<typeof VETO>;

export const REPORT_INPUT = object({
  targetType: TARGET_TYPE,
  targetId: TARGET_ID,
  category: CATEGORY,
  details: optional(longText(1, DETAILS_MAX)).description(DETAILS),
});
export type ReportInput = Static<typeof REPORT_INPUT>;

export const REPORT_RECEIPT = namedObject(
  'ReportReceipt',
  'What a report answers; reporting the same again answers the same.',
  { reportId: identifier('reportId'), status: REPORT_STATUS },
);
export type ReportReceipt = Static<typeof REPORT_RECEIPT>;

export const REPORT = namedObject('Report', 'A report as the operator alone sees it.', {
  reportId: identifier('reportId'),
  targetType: TARGET_TYPE,
  targetId: TARGET_ID,
  category: CATEGORY,
  details: nullable(Joi.string()).description(DETAILS),
  reporter: AGENT_REFERENCE.description('Who reported it.'),
  status: REPORT_STATUS,
  createdAt: createdAt(),
  resolvedAt: nullable(timestamp()).description('When it was closed; null while it is open.'),
  resolution: nullable(Joi.string()).description('Why it was dismissed; null otherwise.'),
});
export type Report = Static<typeof REPORT>;

const OF_KIND = 'Only acts of this kind.';
const ON_TARGET = 'Only acts on this.';
export const EVENT_FILTER = object({
  ...pageInput(),
  kind: omittable(EVENT_KEYS.kind).description(OF_KIND).meta({ brief: OF_KIND }),
  targetId: omittable(TARGET_ID).description(ON_TARGET).meta({ brief: ON_TARGET }),
});
export type EventFilter = Static<typeof EVENT_FILTER>;

export const REPORT_FILTER = object({ ...pageInput(), status: omittable(REPORT_STATUS) });
export type ReportFilter = Static<typeof REPORT_FILTER>;
