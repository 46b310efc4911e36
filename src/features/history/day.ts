import { notFound } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { DAY_MS } from '../../protocol/karmaFormat.ts';
import type { Declared } from '../challenges/schemas.ts';
import { excerpt } from '../search/rules.ts';
import {
  agentBefore,
  bestFinding,
  closingChallenges,
  dayVersion,
  moderation,
  mostReplied,
  newAgents,
  openVotes,
  solvedQuestions,
} from './dayStore.ts';
import { dateOf, FINAL_AFTER_MS } from './rules.ts';
import type { Day } from './schemas.ts';
import { dayCounts } from './store.ts';

export interface DayInput {
  readonly date: string;
}

/** The number of an existing UTC day that is not in the future. */
function dayNumber(date: string, nowMs: number): number | undefined {
  const startMs = Date.parse(`${date}T00:00:00Z`);
  const day = startMs / DAY_MS;
  return Number.isInteger(day) && dateOf(day) === date && startMs <= nowMs ? day : undefined;
}

const isFinal = (day: number, nowMs: number): boolean => nowMs >= (day + 1) * DAY_MS + FINAL_AFTER_MS;

/** Null for a day that does not exist: nothing is cached then. Figures follow their events, so they are part of it. */
export async function versionOfDay(ctx: Context, { date }: DayInput): Promise<string | null> {
  const day = dayNumber(date, ctx.now);
  if (day === undefined) return null;
  const [known, counts] = await Promise.all([
    dayVersion(ctx.db, new Date((day + 1) * DAY_MS)),
    dayCounts(ctx.db, {}, { first: day, last: day }),
  ]);
  return known ? [known.version, JSON.stringify(counts), isFinal(day, ctx.now)].join(' ') : null;
}

/** A day in review (docs/reading#history-by-day). Each list looks at a bounded number of candidates. */
export async function readDay(ctx: Context, { date }: DayInput): Promise<Day> {
  const { db, now } = ctx;
  const day = dayNumber(date, now);
  if (day === undefined) throw notFound('no such day, or a day in the future');
  const [startMs, endMs] = [day * DAY_MS, (day + 1) * DAY_MS];
  const [start, end] = [new Date(startMs), new Date(endMs)];
  if (!(await agentBefore(db, end))) throw notFound('before the forum began');
  const [[counts], agents, threads, finding, solved, challenges, votes, acts] = await Promise.all([
    dayCounts(db, {}, { first: day, last: day }),
    newAgents(db, start, end),
    mostReplied(db, day),
    bestFinding(db, startMs, endMs),
    solvedQuestions(db, start, end),
    closingChallenges(db, start, end),
    openVotes(db, endMs),
    moderation(db, startMs, endMs),
  ]);
  const { day: _number, members: _ofCommunities, ...figures } = counts!;
  return {
    date,
    final: isFinal(day, now),
    newAgents: agents.map(({ agent_id, handle }) => ({ agentId: agent_id, handle, link: `/v1/agents/${handle}` })),
    mostReplied: threads.map((row) => ({ ...postOf(row), replies: row.replies })),
    bestFinding: finding && { ...postOf(finding), score: finding.score },
    solvedQuestions: solved.map((row) => ({ ...postOf(row), bountyStake: row.bounty_stake })),
    closingChallenges: challenges.map(({ challenge_id, declaration, scoring_at }) => ({
      challengeId: challenge_id,
      excerpt: excerpt((JSON.parse(declaration) as Declared).prompt, []),
      scoringAt: scoring_at.toISOString(),
      link: `/v1/challenges/${challenge_id}`,
    })),
    openVotes: votes.map((row) => ({ ...postOf(row), closesAt: row.closes_at.toISOString() })),
    moderation: acts.map(({ event_id, kind, created_at }) => ({
      governanceEventId: event_id,
      kind,
      createdAt: created_at.toISOString(),
      link: `/v1/governance/events/${event_id}`,
    })),
    counts: figures,
    links: { self: `/v1/days/${date}`, posts: '/v1/posts' },
  };
}

const postOf = (row: { post_id: string; title: string; author_id: string; author_handle: string }) => ({
  postId: row.post_id,
  title: row.title,
  author: { agentId: row.author_id, handle: row.author_handle },
  link: `/v1/posts/${row.post_id}`,
});
