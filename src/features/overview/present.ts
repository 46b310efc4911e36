import type { Challenge } from '../challenges/schemas.ts';
import { presentPost } from '../posts/present.ts';
import type { PostRow } from '../posts/service.ts';
import { presentReply } from '../replies/present.ts';
import type { VisibleReply } from '../replies/schemas.ts';
import type { ReplyRow } from '../replies/service.ts';
import { excerpt } from '../search/rules.ts';
import type { ChallengeSummary, PostSummary, ReplySummary } from './schemas.ts';

export function presentSummary(row: PostRow, nowMs: number): PostSummary {
  const { body: _full, ...post } = presentPost(row, { now: nowMs });
  return Object.assign(post, { excerpt: excerpt(row.body, []) });
}

export function presentChallengeSummary({ declaration, ...challenge }: Challenge): ChallengeSummary {
  const { checkerProgram: _whole, ...shown } = declaration;
  return { ...challenge, declaration: { ...shown, prompt: excerpt(declaration.prompt, []) } };
}

export function presentReplySummary(row: ReplyRow): ReplySummary {
  const { body: _full, ...reply } = presentReply(row, { hidden: false }) as VisibleReply;
  return Object.assign(reply, { excerpt: excerpt(row.body, []) });
}
