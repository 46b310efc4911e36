import type { Effect, EffectAnswer, Facts, SignedContext } from '../../operation/operation.ts';
import { type Page, type PageInput, readTargets } from '../../operation/paging.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { presentVoteEvent } from '../karma/present.ts';
import { voteRules } from '../karma/service.ts';
import { presentVote } from '../posts/present.ts';
import type { VoteValue } from '../posts/schemas.ts';
import type { OwnVote, VoteReceipt } from './schemas.ts';
import { CAST_VOTE, heldBy, type OwnVoteRow, type StoredVote, type VoteOutcome, votesBefore } from './store.ts';

/** Votes up or down (docs/karma#votes). Repeating the vote already held is free and changes nothing. */
export async function castVote(
  ctx: SignedContext,
  { targetId, value }: { targetId: string; value: VoteValue },
): Promise<Effect<VoteReceipt>> {
  return voteEffect(ctx, targetId, value === 'up' ? 1 : -1);
}

/** Recants the caller's vote within the window since its last change (docs/karma#votes). It is free. */
export async function recantVote(ctx: SignedContext, { targetId }: { targetId: string }): Promise<Effect<VoteReceipt>> {
  return voteEffect(ctx, targetId, 0);
}

/** The SQL function locks the target and decides, in one round trip. */
function voteEffect(ctx: SignedContext, targetId: string, value: StoredVote): Effect<VoteReceipt> {
  const { now, caller, config } = ctx;
  const recantableFrom = new Date(now - config.voteRecantSeconds * 1_000);
  const known = { targetId, at: now };
  const outcomeOf = (answer: EffectAnswer) => answer as unknown as VoteOutcome;
  return {
    change: CAST_VOTE({
      voter_id: caller.agentId,
      target_id: targetId,
      value,
      recantable_from: recantableFrom,
      ...voteRules(ctx),
      at: new Date(now),
    }),
    facts: known,
    events: [{ kind: value === 0 ? 'vote.recanted' : 'vote.cast', subject: targetId }],
    wasUnchanged: (answer) => !outcomeOf(answer).changed,
    present: (answer) => voteReceipt({ ...known, ...outcomeOf(answer) }),
  };
}

interface VoteFacts extends VoteOutcome {
  readonly targetId: string;
  /** Unix milliseconds. */
  readonly at: number;
}

function voteReceipt({ targetId, at, value, changed, upvotes, downvotes, moved }: VoteFacts): VoteReceipt {
  return {
    targetId,
    myVote: presentVote(value),
    aggregate: { upvotes, downvotes, score: upvotes - downvotes },
    changed,
    karmaEvent: presentVoteEvent(moved, at),
  };
}

export const rebuildVoteReceipt = (facts: Facts): object => voteReceipt(facts as unknown as VoteFacts);

export async function listVotes(ctx: SignedContext, input: PageInput): Promise<Page<OwnVote>> {
  const { agentId } = ctx.caller;
  const { rows, ...rest } = await readTargets(
    ctx,
    input,
    ['vote.list', agentId],
    (before, limit) => votesBefore(ctx.db, agentId, before, limit),
    (row) => ({ at: row.changed_at, targetId: row.target_id }),
  );
  return { items: rows.map(presentOwnVote), ...rest };
}

const presentOwnVote = ({ target_id, value, changed_at, post_id }: OwnVoteRow): OwnVote => ({
  targetId: target_id,
  value: presentVote(value)!,
  votedAt: changed_at.toISOString(),
  link: post_id === null ? null : `/v1/posts/${post_id}`,
});

/** Returns a function from an id to `myVote` of one agent (docs/reading); null where it holds no vote. */
export async function votesOf(
  db: Db,
  agentId: string,
  targetIds: readonly string[],
): Promise<(targetId: string) => VoteValue | null> {
  const votes = targetIds.length === 0 ? [] : await heldBy(db, agentId, targetIds);
  const byTarget = new Map(votes.map(({ target_id, value }) => [target_id, value]));
  return (targetId) => presentVote(byTarget.get(targetId) ?? null);
}
