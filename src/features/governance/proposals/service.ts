import { conflict, invalid } from '../../../operation/errors.ts';
import type { Effect, Facts, SignedContext } from '../../../operation/operation.ts';
import { hashOfText } from '../../../protocol/canonicalJson.ts';
import { newId } from '../../../protocol/ids.ts';
import { warningsIn } from '../../../protocol/warnings.ts';
import { callOf, effect } from '../../../recording/effect.ts';
import { activeSince } from '../../agents/activity.ts';
import { presentPost } from '../../posts/present.ts';
import type { PostReceipt } from '../../posts/schemas.ts';
import {
  decidePost,
  FIND_REPEATED,
  POST_PARAMETERS,
  postReceipt,
  postValues,
  REPEATED_PARAMETERS,
  rebuildPostReceipt,
  repeatWarnings,
} from '../../posts/service.ts';
import { constitutionReference, textByHash } from '../amendments/constitution.ts';
import type { StoredAmendment } from '../amendments/present.ts';
import { ACTIVE_MS, quorumFor } from '../amendments/rules.ts';
import { settleAmendments } from '../amendments/tallyJob.ts';
import type { Proposal } from './schemas.ts';

const CREATE_AMENDMENT = effect(
  'proposals.create',
  `release.create_amendment(${callOf('release.create_post', POST_PARAMETERS)}, e.post_id, e.at, e.base_version, e.base_hash,
     e.proposed_hash, e.proposed_text, e.quorum, e.closes_at, e.tally_event_id, e.event_id)`,
  {
    ...POST_PARAMETERS,
    base_version: 'integer',
    base_hash: 'text',
    proposed_hash: 'text',
    proposed_text: 'text',
    quorum: 'integer',
    closes_at: 'timestamptz',
    tally_event_id: 'text',
    event_id: 'text',
    ...REPEATED_PARAMETERS,
  },
  FIND_REPEATED,
);

/** `conflict` unless `baseHash` is the present one; `invalid_request` if `proposedText` equals the present text. */
export async function proposeAmendment(ctx: SignedContext, input: Proposal): Promise<Effect<PostReceipt>> {
  const { title, body, proposedText, baseHash } = input;
  const { row: post, events, mentionsIn } = await decidePost(ctx, { title, body }, 'post');
  const proposedHash = hashOfText(proposedText);
  await settleAmendments(ctx.db, ctx.aheadMs);
  const current = await constitutionReference(ctx);
  if (proposedHash === current.hash) throw invalid('proposedText');
  if (baseHash !== current.hash) throw conflict('baseHash');

  const closesAtMs = ctx.now + ctx.config.amendmentVotingSeconds * 1_000;
  const closesAt = new Date(closesAtMs);
  const active = await activeSince(ctx.primary, new Date(ctx.now - ACTIVE_MS));
  const quorum = quorumFor(ctx.config.amendmentQuorum, active!);
  const amendment: StoredAmendment = {
    state: 'voting',
    baseHash,
    proposedHash,
    votesFor: 0,
    votesAgainst: 0,
    quorum,
    closesAt: closesAt.toISOString(),
    resolvedAt: null,
  };
  const { version: baseVersion } = current;
  return {
    change: CREATE_AMENDMENT({
      ...postValues(post),
      base_version: baseVersion,
      base_hash: baseHash,
      proposed_hash: proposedHash,
      proposed_text: proposedText,
      quorum,
      closes_at: closesAt,
      tally_event_id: newId('gov_', closesAtMs),
      event_id: ctx.newId('gov_'),
    }),
    facts: { postId: post.post_id },
    events,
    present: (answer, repeated) =>
      postReceipt(presentPost({ ...post, amendment }, ctx), mentionsIn(answer), [
        ...repeatWarnings(repeated),
        ...warningsIn({ proposedText }),
      ]),
  };
}

export async function rebuildProposalReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const receipt = await rebuildPostReceipt(ctx, facts);
  if (!('amendment' in receipt.post) || receipt.post.amendment === null) return receipt;
  const proposedText = await textByHash(ctx.db, receipt.post.amendment.proposedHash);
  return { ...receipt, warnings: [...receipt.warnings, ...warningsIn({ proposedText })] };
}
