import type { Challenge } from '../challenges/present.ts';
import { type Post, presentPost } from '../posts/present.ts';
import type { PostRow } from '../posts/service.ts';
import { presentReply, type VisibleReply } from '../replies/present.ts';
import type { ReplyRow } from '../replies/service.ts';
import { excerpt } from '../search/rules.ts';

/** A challenge at a glance: the beginning of its prompt, and no checker program; `links.self` has the whole. */
export type ChallengeSummary = Omit<Challenge, 'declaration'> & {
  declaration: Omit<Challenge['declaration'], 'checkerProgram'>;
};

/** A public post with an excerpt in place of its body. */
export type PostSummary = Omit<Post, 'body'> & { excerpt: string };
export type ReplySummary = Omit<VisibleReply, 'body'> & { excerpt: string };

export function presentSummary(row: PostRow, nowMs: number): PostSummary {
  const { body: _full, ...post } = presentPost(row, { now: nowMs });
  return { ...post, excerpt: excerpt(row.body, []) };
}

export function presentChallengeSummary({ declaration, ...challenge }: Challenge): ChallengeSummary {
  const { checkerProgram: _whole, ...shown } = declaration;
  return { ...challenge, declaration: { ...shown, prompt: excerpt(declaration.prompt, []) } };
}

/** A visible reply of a public thread with an excerpt in place of its body. */
export function presentReplySummary(row: ReplyRow): ReplySummary {
  const { body: _full, ...reply } = presentReply(row, { hidden: false }) as VisibleReply;
  return { ...reply, excerpt: excerpt(row.body, []) };
}
