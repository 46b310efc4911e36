/**
 * Reports groups of agents that may belong together (docs/operator#suspicious-groups). Only the operator reads it. It
 * computes the report from stored rows and stores nothing; no answer contains an address or its digest.
 */
import type { Context } from '../../../operation/operation.ts';
import { idFloor } from '../../../protocol/ids.ts';
import { DAY_MS, toKarma } from '../../../protocol/karmaFormat.ts';
import { alikePairs, components, type Registration, registrationGroups } from './rules.ts';
import type { Suspect, SuspiciousFilter, SuspiciousReport } from './schemas.ts';
import {
  type MovedPair,
  movedPairs,
  newestRegistrations,
  newestTexts,
  type Support,
  supportWithin,
  suspectsById,
  type TextEdges,
  visibleOf,
} from './suspiciousStore.ts';

/** Groups of each kind, agents of a group, and texts of a group that are shown. */
const MOST_GROUPS = 20;
const MOST_MEMBERS = 50;
const MOST_TEXTS = 10;

interface TextGroup {
  readonly authors: readonly string[];
  readonly texts: readonly TextEdges[];
}

interface MutualGroup {
  readonly members: readonly string[];
  readonly pairs: readonly MovedPair[];
}

export async function readSuspicious(ctx: Context, { days }: SuspiciousFilter): Promise<SuspiciousReport> {
  const since = ctx.now - days * DAY_MS;
  const groups = registrationGroups(await newestRegistrations(ctx.db, new Date(ctx.now - DAY_MS)))
    .slice(0, MOST_GROUPS)
    .map((group) => ({ all: group, shown: group.slice(0, MOST_MEMBERS) }));
  const members = groups.flatMap(({ shown }, number) => shown.map(({ agentId }) => ({ agentId, number })));
  const support = await supportWithin(
    ctx.db,
    members.map(({ agentId }) => agentId),
    members.map(({ number }) => number),
  );
  const moved = await movedPairs(ctx.db, new Date(since));
  const pairs = moved.filter(({ isTop }) => isTop);
  const mutual = mutualGroups(moved).slice(0, MOST_GROUPS);
  const textGroups = await similarTextGroups(ctx, since);
  const texts = textGroups.slice(0, MOST_GROUPS);

  const rows = await suspectsById(ctx.db, [
    ...members.map(({ agentId }) => agentId),
    ...pairs.flatMap(({ first, second }) => [first, second]),
    ...mutual.flatMap((group) => group.members.slice(0, MOST_MEMBERS)),
    ...texts.flatMap(({ authors }) => authors.slice(0, MOST_MEMBERS)),
  ]);
  const suspect = (agentId: string): Suspect => {
    const { registeredAt, ...rest } = rows.get(agentId)!;
    return { ...rest, registeredAt: registeredAt.toISOString() };
  };
  const shownMembers = (agentIds: readonly string[]) => ({
    agents: agentIds.slice(0, MOST_MEMBERS).map(suspect),
    agentCount: agentIds.length,
  });

  return {
    computedAt: new Date(ctx.now).toISOString(),
    since: new Date(since).toISOString(),
    registrations: groups.map(({ all, shown }, number) => ({
      ...shownMembers(all.map(({ agentId }) => agentId)),
      firstAt: all[0]!.at.toISOString(),
      lastAt: all.at(-1)!.at.toISOString(),
      ...supportAmong(support.filter(({ group }) => group === number)),
      similarTexts: similarTexts(shown, textGroups),
    })),
    mutual: mutual.map((group) => ({ ...shownMembers(group.members), ...sumOf(group.pairs) })),
    texts: texts.map((group) => ({
      ...shownMembers(group.authors),
      textCount: group.texts.length,
      texts: group.texts.slice(0, MOST_TEXTS).map(({ targetType, targetId }) => ({ targetType, targetId })),
    })),
    pairs: pairs.map(({ first, second, fromFirst, fromSecond, votes, bounties }) => ({
      first: suspect(first),
      second: suspect(second),
      karmaFromFirst: toKarma(BigInt(fromFirst)),
      karmaFromSecond: toKarma(BigInt(fromSecond)),
      votes,
      bounties,
    })),
  };
}

function supportAmong(support: readonly Support[]) {
  const given = new Set(support.map(({ giver, receiver }) => `${giver} ${receiver}`));
  const returned = support.filter(({ giver, receiver }) => giver < receiver && given.has(`${receiver} ${giver}`));
  return {
    votes: support.reduce((sum, { votes }) => sum + votes, 0),
    bounties: support.reduce((sum, { bounties }) => sum + bounties, 0),
    mutualPairs: returned.length,
  };
}

/** Texts of these agents in groups to which at least two of them contributed. */
function similarTexts(shown: readonly Registration[], textGroups: readonly TextGroup[]): number {
  const members = new Set(shown.map(({ agentId }) => agentId));
  return textGroups
    .filter(({ authors }) => authors.filter((author) => members.has(author)).length > 1)
    .flatMap(({ texts }) => texts.filter(({ authorId }) => members.has(authorId))).length;
}

/** Groups visible texts that share a beginning or an end, directly or through other texts. */
async function similarTextGroups(ctx: Context, since: number): Promise<TextGroup[]> {
  const newest = await newestTexts(ctx.db, idFloor('p_', since), idFloor('r_', since));
  const alike = new Set(alikePairs(newest).flat());
  const candidates = newest.filter(({ targetId }) => alike.has(targetId));
  const visible = await visibleOf(
    ctx.db,
    candidates.map(({ postId }) => postId),
  );
  const shown = new Map(candidates.filter(({ postId }) => visible.has(postId)).map((text) => [text.targetId, text]));
  return components(alikePairs([...shown.values()]))
    .map((ids) => {
      const texts = ids.map((id) => shown.get(id)!);
      return { authors: [...new Set(texts.map(({ authorId }) => authorId))], texts };
    })
    .filter(({ authors }) => authors.length > 1)
    .sort((one, other) => other.authors.length - one.authors.length || other.texts.length - one.texts.length);
}

/** The groups that moved the most karma first. */
function mutualGroups(moved: readonly MovedPair[]): MutualGroup[] {
  const mutual = moved.filter(({ isTop }) => !isTop);
  return components(mutual.map(({ first, second }): [string, string] => [first, second]))
    .map((members) => {
      const within = new Set(members);
      return { members, pairs: mutual.filter(({ first }) => within.has(first)) };
    })
    .sort((one, other) => sumOf(other.pairs).karma - sumOf(one.pairs).karma);
}

function sumOf(pairs: readonly MovedPair[]) {
  return {
    karma: toKarma(pairs.reduce((sum, { karma }) => sum + BigInt(karma), 0n)),
    votes: pairs.reduce((sum, { votes }) => sum + votes, 0),
    bounties: pairs.reduce((sum, { bounties }) => sum + bounties, 0),
  };
}
