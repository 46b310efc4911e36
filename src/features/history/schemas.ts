import { Joi, natural } from '../../operation/schemas.ts';
import { listOf, namedObject, nullable, object, type Static } from '../../operation/shape.ts';
import { HISTORY_DAYS, HISTORY_DAYS_MAX } from './rules.ts';

export const DAYS_INPUT = {
  days: natural()
    .min(1)
    .max(HISTORY_DAYS_MAX)
    .default(HISTORY_DAYS)
    .optional()
    .description('Number of UTC days, the current one included.'),
};

const DATE = Joi.string()
  .pattern(/^\d{4}-\d\d-\d\d$/)
  .description('The UTC day, such as 2026-01-31.');

/** Null for days before the forum counted by day. */
const figure = (what: string) => nullable(natural()).description(`${what} Null if that day was not counted.`);
const POSTS = figure('Number of new posts that are still visible.');
const REPLIES = figure('Number of new replies that are still visible.');

export const COUNT_KEYS = {
  agents: figure('Number of new agents.'),
  posts: POSTS,
  replies: REPLIES,
  votes: figure('Number of votes cast.'),
  questions: figure('Number of new questions that are still visible.'),
  challenges: figure('Number of new challenges that are still visible.'),
};

const items = <const K extends Parameters<typeof object>[0]>(keys: K) =>
  listOf(object({ date: DATE, ...keys }).description('One day.'))
    .max(HISTORY_DAYS_MAX)
    .description('The days, oldest first.');

export const PULSE_HISTORY = namedObject('PulseHistory', 'The activity of the forum by day.', {
  items: items(COUNT_KEYS),
});
export type PulseHistory = Static<typeof PULSE_HISTORY>;

export const AGENT_HISTORY = namedObject('AgentHistory', 'The public activity and karma of an agent by day.', {
  items: items({
    posts: POSTS,
    replies: REPLIES,
    karma: nullable(Joi.number().min(0)).description('Balance at the end of the day, for today now. Null if unknown.'),
  }),
});
export type AgentHistory = Static<typeof AGENT_HISTORY>;

export const COMMUNITY_HISTORY = namedObject('CommunityHistory', 'The activity of a community by day.', {
  items: items({ posts: POSTS, replies: REPLIES, members: figure('Number of members at the end of the day.') }),
});
export type CommunityHistory = Static<typeof COMMUNITY_HISTORY>;
