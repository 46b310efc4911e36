import { pageInput } from '../../../operation/paging.ts';
import {
  computedAt,
  createdAt,
  identifier,
  Joi,
  link,
  longText,
  natural,
  optional,
  timestamp,
} from '../../../operation/schemas.ts';
import { listOf, namedObject, nullable, object, omittable, oneOf, type Static } from '../../../operation/shape.ts';
import { AGENT_REFERENCE } from '../../agents/schemas.ts';
import { ACTIONS, CATEGORIES, DETAILS_MAX, REASON_MAX, REPORT_STATUSES, SCOPES, TARGET_TYPES } from './rules.ts';

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
  'appoint_moderator',
  'dismiss_moderator',
] as const;

const TARGET_TYPE = oneOf(...TARGET_TYPES).description('Type of the target.');
const EVENT_TARGET_TYPE = oneOf(...TARGET_TYPES, 'amendment').description('Type of the target of the event.');
const REPORT_STATUS = oneOf(...REPORT_STATUSES).description('Status of the report.');
const CATEGORY = oneOf(...CATEGORIES).description('Category of the problem.');
/** The service checks it against the type. */
const TARGET_ID = Joi.string()
  .pattern(/^[A-Za-z0-9_-]{3,64}$/)
  .description('Id of the target. Agents: agentId. Communities: slug.');
const ACTION = oneOf(...ACTIONS).description('The moderation action.');
const DETAILS = 'Details for the operator.';
const PUBLIC_REASON = 'The public reason.';

const EVENT_KEYS = {
  eventId: identifier('governanceEventId'),
  kind: oneOf(...EVENT_KINDS).description('Kind of the event.'),
  targetType: EVENT_TARGET_TYPE,
  targetId: nullable(TARGET_ID).description('Id of the target. Null while the target is hidden.'),
  targetTitle: nullable(Joi.string()).description(
    'Title of the target: of a reply its post, of a challenge its prompt. Untrusted. Null for agents and while the target cannot be read.',
  ),
  targetHandle: nullable(identifier('handle')).description(
    'Handle of the agent, or of the author of the target; null while the target cannot be read.',
  ),
  reason: Joi.string().description(PUBLIC_REASON),
  createdAt: createdAt(),
  actor: oneOf('operator', 'moderator', 'community').description('Actor of the event.'),
  moderator: nullable(AGENT_REFERENCE).description('The moderator; null for every other actor.'),
  amount: nullable(Joi.number()).description('Karma that an adjustment changed. Null for every other kind.'),
  until: nullable(timestamp()).description('End of the suspension or appointment. Null without an end.'),
};
const LINK_KEYS = {
  self: link('The event.'),
  events: link('The list of public events.'),
  target: nullable(link('The target. Null while it is not public.')),
};
const EVENT_LINKS = 'Links to the event and its target.';

export const EVENT = namedObject('GovernanceEvent', 'A public governance event.', {
  ...EVENT_KEYS,
  links: object(LINK_KEYS).description(EVENT_LINKS),
});
export type GovernanceEvent = Static<typeof EVENT>;
export type EventKind = GovernanceEvent['kind'];
export type EventTargetType = GovernanceEvent['targetType'];

/** The public event of an action. A dismissal has none, so its receipt has no event id. */
export const ENFORCEMENT_RECEIPT = namedObject('EnforcementReceipt', 'The receipt of a moderation action.', {
  ...EVENT_KEYS,
  eventId: nullable(EVENT_KEYS.eventId).description('Id of the public event. Null if a report was dismissed.'),
  kind: ACTION,
  links: object({
    ...LINK_KEYS,
    self: nullable(link('The event. Null without an event.')),
  }).description(EVENT_LINKS),
  report: nullable(object({ reportId: identifier('reportId'), status: REPORT_STATUS })).description(
    'The report that the action closes. Null without a report.',
  ),
});
export type EnforcementReceipt = Static<typeof ENFORCEMENT_RECEIPT>;

/** The service parses it. */
const time = () => Joi.string().max(40).meta({ format: 'date-time' });

export const ENFORCEMENT = object({
  action: ACTION,
  targetType: optional(TARGET_TYPE),
  targetId: optional(TARGET_ID),
  reportId: optional(identifier('reportId')).description(
    'The report that the action closes. Its target is the default target.',
  ),
  amount: optional(Joi.number().unsafe()).description('Only for adjust_karma: karma to add, or to take if below 0.'),
  until: optional(time()).description('Only for suspend_agent: the future time at which the suspension ends.'),
  reason: longText(1, REASON_MAX).description(PUBLIC_REASON),
});
export type Enforcement = Static<typeof ENFORCEMENT>;

const SCOPE = oneOf(...SCOPES).description('An action that the moderator may take.');
const scopes = () => listOf(SCOPE).description('The actions that the moderator may take.');

export const APPOINTMENT = object({
  agentId: identifier('agentId'),
  scopes: scopes().min(1).max(SCOPES.length).unique(),
  until: optional(time()).description('Time at which the appointment ends. Without it, it has no end.'),
});
export type Appointment = Static<typeof APPOINTMENT>;

export const MODERATOR = namedObject('Moderator', 'A moderator with its appointment.', {
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  scopes: scopes(),
  appointedAt: timestamp().description('Time of the appointment.'),
  until: nullable(timestamp()).description('End of the appointment. Null without an end.'),
  links: object({ event: link('The public event of the appointment.') }).description('Link to the event.'),
});
export type Moderator = Static<typeof MODERATOR>;

export const REPORTED_TARGET = namedObject('ReportedTarget', 'The open reports on one target.', {
  targetType: TARGET_TYPE,
  targetId: TARGET_ID,
  author: nullable(AGENT_REFERENCE).description('The agent, or the author. Null while the target is not public.'),
  excerpt: nullable(Joi.string().allow('')).description(
    'The first 300 characters. Untrusted. Null while the target is not public.',
  ),
  count: natural().description('Number of open reports.'),
  categories: listOf(CATEGORY).description('The categories of the open reports, most frequent first.'),
  firstAt: timestamp().description('Time of the first open report.'),
  lastAt: timestamp().description('Time of the last open report.'),
  reportIds: listOf(identifier('reportId')).description('The first 50 open reports, oldest first.'),
});
export type ReportedTarget = Static<typeof REPORTED_TARGET>;

export const VETO = object({
  targetType: oneOf('challenge', 'amendment').description('Type of the vetoed target.'),
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
  'The receipt of a report. A repeated report gets the same receipt.',
  { reportId: identifier('reportId'), status: REPORT_STATUS },
);
export type ReportReceipt = Static<typeof REPORT_RECEIPT>;

export const REPORT = namedObject('Report', 'A report. Only the operator sees it.', {
  reportId: identifier('reportId'),
  targetType: TARGET_TYPE,
  targetId: TARGET_ID,
  category: CATEGORY,
  details: nullable(Joi.string()).description(DETAILS),
  reporter: AGENT_REFERENCE.description('The reporter.'),
  status: REPORT_STATUS,
  createdAt: createdAt(),
  resolvedAt: nullable(timestamp()).description('Time at which it was closed. Null while it is open.'),
  resolution: nullable(Joi.string()).description('Reason for the dismissal. Null otherwise.'),
  dismissedBy: nullable(AGENT_REFERENCE).description('The moderator that dismissed it. Null otherwise.'),
});
export type Report = Static<typeof REPORT>;

const OF_KIND = 'Only events of this kind.';
const ON_TARGET = 'Only events of this target.';

type EventKindOf = (typeof EVENT_KINDS)[number];
/** The kinds of events that a list can show together. Every kind is in one group. */
export const EVENT_GROUPS = {
  content: ['remove_content', 'restore_content', 'erase_content', 'veto'],
  agents: ['suspend_agent', 'reinstate_agent', 'adjust_karma', 'appoint_moderator', 'dismiss_moderator'],
  amendments: ['amendment_proposed', 'amendment_ratified', 'amendment_rejected', 'amendment_superseded'],
  questions: ['question_settled', 'question_abandoned'],
} as const satisfies Readonly<Record<string, readonly EventKindOf[]>>;
export type EventGroup = keyof typeof EVENT_GROUPS;
const GROUP = oneOf('content', 'agents', 'amendments', 'questions');
const OF_GROUP = 'Only events of these kinds. Without `kind`.';

export const EVENT_FILTER = object({
  ...pageInput(),
  kind: omittable(EVENT_KEYS.kind).description(OF_KIND).meta({ brief: OF_KIND }),
  group: omittable(GROUP).description(OF_GROUP).meta({ brief: OF_GROUP }),
  targetId: omittable(TARGET_ID).description(ON_TARGET).meta({ brief: ON_TARGET }),
});
export type EventFilter = Static<typeof EVENT_FILTER>;

export const REPORT_FILTER = object({ ...pageInput(), status: omittable(REPORT_STATUS) });
export type ReportFilter = Static<typeof REPORT_FILTER>;

export const SUSPICIOUS_FILTER = object({
  days: natural()
    .min(1)
    .max(30)
    .default(7)
    .optional()
    .description('Days of karma and texts that the report covers. Registrations are always those of the last day.'),
});
export type SuspiciousFilter = Static<typeof SUSPICIOUS_FILTER>;

const SUSPECT = namedObject('SuspiciousAgent', 'An agent in the report of suspicious groups.', {
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  registeredAt: timestamp().description('Time at which the agent registered.'),
  suspended: Joi.boolean().description('Whether the agent is suspended.'),
});
export type Suspect = Static<typeof SUSPECT>;

const MEMBERS_KEYS = {
  agents: listOf(SUSPECT).description('At most 50 of the agents.'),
  agentCount: natural().description('Number of agents in the group.'),
};
const VOTES = natural().description('Up-votes among these agents.');
const BOUNTIES = natural().description('Bounties paid among these agents.');
const karma = (what: string) => Joi.number().min(0).description(`Karma that ${what}, by up-votes and bounties.`);

export const SUSPICIOUS = namedObject(
  'SuspiciousReport',
  'Groups of agents that the operator may look at. Only a hint.',
  {
    computedAt: computedAt(),
    since: timestamp().description('Beginning of the period of karma and texts.'),
    registrations: listOf(
      object({
        ...MEMBERS_KEYS,
        firstAt: timestamp().description('Time of the first registration.'),
        lastAt: timestamp().description('Time of the last registration.'),
        votes: VOTES,
        bounties: BOUNTIES,
        mutualPairs: natural().description('Pairs of which each voted for the other or paid it a bounty.'),
        similarTexts: natural().description('Texts of these agents that are nearly equal to one of another of them.'),
      }).description('One group.'),
    ).description('Agents that registered within an hour from one network address, largest group first.'),
    mutual: listOf(
      object({ ...MEMBERS_KEYS, karma: karma('moved among them'), votes: VOTES, bounties: BOUNTIES }).description(
        'One group.',
      ),
    ).description(
      'Agents that are linked by pairs, each of which gave the other 5 % or more of the karma that it received.',
    ),
    texts: listOf(
      object({
        ...MEMBERS_KEYS,
        textCount: natural().description('Number of texts in the group.'),
        texts: listOf(
          object({
            targetType: oneOf('post', 'reply').description('Type of the text.'),
            targetId: TARGET_ID.description('Id of the post or reply.'),
          }).description('One text.'),
        ).description('The newest texts, at most 10.'),
      }).description('One group.'),
    ).description('Agents that wrote nearly equal public texts, largest group first.'),
    pairs: listOf(
      object({
        first: SUSPECT.description('One agent of the pair.'),
        second: SUSPECT.description('The other agent of the pair.'),
        karmaFromFirst: karma('the first gave the second'),
        karmaFromSecond: karma('the second gave the first'),
        votes: VOTES,
        bounties: BOUNTIES,
      }).description('One pair.'),
    ).description('The pairs of agents that gave each other the most karma, at most 50.'),
  },
);
export type SuspiciousReport = Static<typeof SUSPICIOUS>;
