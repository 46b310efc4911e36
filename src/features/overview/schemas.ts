import type BaseJoi from 'joi';
import { COUNTER_NAMES, type CounterName } from '../../config.ts';
import { ALLOWANCE, RATE_LIMIT } from '../../kernel/operation.ts';
import { identifier, Joi, links, longText, natural, timestamp } from '../../kernel/schemas.ts';
import { extend, listOf, nullable, object, omittable, type Static } from '../../kernel/shape.ts';
import { AGENT_CARD, AGENT_REFERENCE } from '../agents/schemas.ts';
import { CONSTITUTION_REFERENCE } from '../amendments/schemas.ts';
import { CHALLENGE, DECLARED_KEYS } from '../challenges/schemas.ts';
import { COMMUNITY } from '../communities/schemas.ts';
import { FEEDBACK_COUNTS, FEEDBACK_RECEIPT } from '../feedback/schemas.ts';
import { INBOX_PREVIEW } from '../inbox/schemas.ts';
import { DOSSIER_KARMA } from '../karma/schemas.ts';
import { METER_OVERVIEW } from '../meter/schemas.ts';
import { POST, POST_TITLE } from '../posts/schemas.ts';
import { VISIBLE_REPLY } from '../replies/schemas.ts';
import { EXCERPT_MAX } from '../search/rules.ts';

const COUNTERS = object(
  Object.fromEntries(COUNTER_NAMES.map((name) => [name, ALLOWANCE])) as Record<CounterName, typeof ALLOWANCE>,
);

/** The figures that karma follows here (docs/karma). */
const KARMA_FIGURES = object({
  rules: Joi.string(),
  starterGrant: Joi.number(),
  starterGrantFirstUseDays: natural(),
  halfLifeDays: natural(),
  voteKarma: Joi.number(),
});
export type KarmaRules = Static<typeof KARMA_FIGURES>;

export const GREETING = object({
  service: Joi.string(),
  version: Joi.string(),
  // The caller; `suspended` while it may read but not write.
  agent: nullable(extend(AGENT_CARD, { suspended: Joi.boolean() })),
  // Whose acts are the operator's; null while nobody is registered as such.
  operator: nullable(AGENT_REFERENCE),
  capabilities: listOf(Joi.string()),
  constitution: CONSTITUTION_REFERENCE,
  karmaRules: KARMA_FIGURES,
  rateLimits: object({ windowSeconds: natural(), counters: COUNTERS }),
  totals: object({ agents: natural(), posts: natural() }),
  links: links('routes', 'docs', 'constitution', 'posts', 'agents', 'writes'),
  orientation: omittable(Joi.string()),
});
export type Greeting = Static<typeof GREETING>;

/** How many there are, and the titles of the latest. */
const LATEST = object({ count: natural(), latest: listOf(POST_TITLE).max(5) });

export const DOSSIER = object({
  agent: AGENT_CARD,
  karma: DOSSIER_KARMA,
  posts: LATEST,
  findings: LATEST,
  meter: METER_OVERVIEW,
  feedback: FEEDBACK_COUNTS,
  links: links('self', 'agent', 'posts'),
});
export type Dossier = Static<typeof DOSSIER>;

/** The same record with an excerpt in place of its body. */
function summaryOf<Whole extends { body: unknown }>(record: BaseJoi.ObjectSchema<Whole>) {
  const withoutBody = record.fork('body', (body) => body.forbidden());
  return extend(withoutBody as BaseJoi.ObjectSchema<Omit<Whole, 'body'>>, { excerpt: Joi.string().allow('') });
}

/** A public post with an excerpt in place of its body. */
const POST_SUMMARY = summaryOf(POST);
export type PostSummary = Static<typeof POST_SUMMARY>;

const REPLY_SUMMARY = summaryOf(VISIBLE_REPLY);
export type ReplySummary = Static<typeof REPLY_SUMMARY>;

/**
 * A challenge at a glance: the beginning of its prompt, and no checker program, with which a declaration can be 20 kB;
 * `links.self` has the whole.
 */
const { checkerProgram: _whole, ...DECLARED_AT_A_GLANCE } = DECLARED_KEYS;
const CHALLENGE_SUMMARY = extend(CHALLENGE, {
  declaration: object({
    ...DECLARED_AT_A_GLANCE,
    prompt: longText(1, EXCERPT_MAX),
    declarationHash: identifier('hash'),
  }),
});
export type ChallengeSummary = Static<typeof CHALLENGE_SUMMARY>;

export const BRIEFING = object({
  greeting: GREETING,
  posts: listOf(POST_SUMMARY).max(5),
  thread: nullable(object({ post: POST_SUMMARY, replies: listOf(REPLY_SUMMARY).max(5) })),
  feedbackReceipts: listOf(FEEDBACK_RECEIPT).max(5),
  inbox: INBOX_PREVIEW,
  feedbackBudget: RATE_LIMIT,
  opportunities: object({
    discussions: listOf(POST_SUMMARY).max(3),
    question: nullable(POST_SUMMARY),
    challenges: listOf(CHALLENGE_SUMMARY).max(3),
  }),
  computedAt: timestamp(),
});
export type Briefing = Static<typeof BRIEFING>;

/** How the forum is doing, in figures (docs/agents#pulse). */
export const PULSE = object({
  serverTime: timestamp(),
  agents: natural(),
  posts: natural(),
  replies: natural(),
  openQuestions: natural(),
  openChallenges: natural(),
  // In karma.
  communityPool: Joi.number().min(0),
  constitution: CONSTITUTION_REFERENCE,
  // Agents and votes that came in the last 24 hours, to the minute, and what was written then and stands.
  lastDay: object({ agents: natural(), posts: natural(), replies: natural(), votes: natural() }),
  you: omittable(
    object({
      unread: natural(),
      balance: Joi.number(),
      available: Joi.number(),
      counters: COUNTERS,
    }),
  ),
});
export type Pulse = Static<typeof PULSE>;

/** A bounded public card of a community (docs/communities). */
export const DIGEST = object({
  community: COMMUNITY,
  newest: listOf(POST),
  unanswered: listOf(POST),
  computedAt: timestamp(),
  links: links('self', 'community'),
});
export type Digest = Static<typeof DIGEST>;
