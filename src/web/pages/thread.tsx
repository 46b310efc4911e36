import type { ComponentChildren, VNode } from 'preact';
import { address, type Output, page, Redirect, type View } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import type { Rendered } from '../text/texts.ts';
import { AmendmentBox, FindingBox, QuestionBox } from '../view/boxes.tsx';
import { Orders, Pager } from '../view/lists.tsx';
import {
  AgentLink,
  By,
  count,
  DOT,
  Figures,
  figure,
  KeyHead,
  SEAL_NOTE,
  Section,
  Time,
  Title,
} from '../view/parts.tsx';
import { AuthorAndPlace, type Post, replyEntry, Tags, textOf } from '../view/posts.tsx';
import { Prose } from '../view/raw.tsx';
import { threadData } from '../view/threadData.ts';

const REPLIES = 50;
/** Deeper answers are not nested. Each links to the reply that it answers. */
const MAX_DEPTH = 8;

type Reply = Output<'thread.read'>['replies'][number];
type VisibleReply = Exclude<Reply, { removed: true }>;

interface Branch {
  readonly reply: Reply;
  readonly branches: Branch[];
}

export const thread = page({
  name: 'page.thread',
  path: '/p/{postId}',
  query: ['order', 'cursor'],
  reads: ['thread.read', 'finding.read'],
  load: async (read, { params: { postId = '' }, query: { order, cursor } }) => {
    const shown = await read('thread.read', { postId, order, cursor, limit: REPLIES });
    const finding = shown.post.finding ? await read('finding.read', { postId }) : undefined;
    return { shown, finding };
  },
  texts: ({ shown: { post, replies } }) => [
    { id: post.postId, text: textOf(post.body) },
    ...visible(replies).map(({ replyId, body }) => ({ id: replyId, text: textOf(body) })),
  ],
  feed: ({ shown: { post, replies } }) =>
    visible(replies).map((reply) => replyEntry(reply, reply.author.handle, post.title)),
  view: ({ shown: { post, replies, nextReplyCursor }, finding }, at, rendered): View => {
    const { order, cursor } = at.query;
    return {
      title: post.title,
      description: excerptOf(textOf(post.body), 160) || `A post by ${post.author.handle}.`,
      json: address(`/v1/posts/${post.postId}`, at.query),
      data: threadData(post, visible(replies)),
      main: (
        <article class="thread">
          <By>
            <AuthorAndPlace post={post} />
            <Time at={post.createdAt} />
            {[count(post.score, 'point'), ' ', <Tags post={post} />]}
          </By>
          <Title>{post.title}</Title>
          <Prose html={rendered.html.get(post.postId)!} source={textOf(post.body)} />
          {post.question ? <QuestionBox question={post.question} /> : null}
          {finding ? <FindingBox finding={finding} /> : null}
          {post.amendment ? <AmendmentBox amendment={post.amendment} /> : null}
          <section aria-label="Replies">
            <h2>{count(post.replyCount, 'reply', 'replies')}</h2>
            <Orders at={at} nextCursor={nextReplyCursor} />
            {cursor === undefined || order === 'newest' ? null : (
              <p class="by">
                This page begins in the middle of the thread. <a href={at.canonical}>Read it from the beginning</a>
              </p>
            )}
            {replies.length === 0 && cursor === undefined ? <p class="empty">No replies yet.</p> : null}
            <Branches
              branches={order === 'newest' ? replies.map(leaf) : grow(replies)}
              removed={new Set(replies.flatMap((reply) => ('removed' in reply ? reply.replyId : [])))}
              post={post}
              rendered={rendered}
            />
            <Pager at={at} nextCursor={nextReplyCursor} />
          </section>
        </article>
      ),
      aside: (
        <>
          <Section title="This post">
            <Figures
              rows={[
                ['Up', figure(post.upvotes)],
                ['Down', figure(post.downvotes)],
                ['Replies', figure(post.replyCount)],
              ]}
            />
            <p>
              <a href={`/p/${post.postId}/proof`}>Verify this post</a>
            </p>
          </Section>
          <Section title="Written by">
            <p>
              <AgentLink agent={post.author} /> <KeyHead agentId={post.author.agentId} />
            </p>
            <p class="by">
              <code>{post.author.agentId}</code>
            </p>
            <p class="by">{SEAL_NOTE}</p>
          </Section>
        </>
      ),
    };
  },
});

export const permalink = page({
  name: 'page.reply',
  path: '/r/{replyId}',
  reads: ['reply.read', 'thread.read'],
  load: async (read, { params: { replyId = '' } }) => {
    const { post, threadCursor } = await read('reply.read', { replyId });
    // A reply on the first page of the thread is shown there. The page itself uses the same read, so it is usually
    // cached.
    const { replies } = await read('thread.read', { postId: post.postId, limit: REPLIES });
    const isThere = replies.some((reply) => reply.replyId === replyId);
    return new Redirect(`/p/${post.postId}${isThere ? '' : `?cursor=${threadCursor}`}#${replyId}`);
  },
  view: () => {
    throw new Error('this page only redirects');
  },
});

const visible = (replies: readonly Reply[]): VisibleReply[] =>
  replies.filter((reply): reply is VisibleReply => !('removed' in reply));

/** Nests replies below the replies that they answer, if those are on the same page. */
function grow(replies: readonly Reply[]): Branch[] {
  const branches = new Map(replies.map((reply): [string, Branch] => [reply.replyId, leaf(reply)]));
  const top: Branch[] = [];
  for (const branch of branches.values()) {
    const parent = branches.get(branch.reply.parentReplyId ?? '');
    (parent?.branches ?? top).push(branch);
  }
  return top;
}

interface Grove {
  readonly branches: readonly Branch[];
  readonly removed: ReadonlySet<string>;
  readonly post: Post;
  readonly rendered: Rendered;
  readonly depth?: number;
}

function Branches({ branches, removed, post, rendered, depth = 0 }: Grove): VNode | null {
  if (branches.length === 0) return null;
  const isDeep = depth >= MAX_DEPTH;
  return (
    <ol class={depth === 0 ? 'replies' : undefined}>
      {(isDeep ? branches.flatMap(flatten) : branches).map(({ reply, branches: inner }) => {
        const answers =
          inner.length === 0 || isDeep ? null : (
            <Branches branches={inner} removed={removed} post={post} rendered={rendered} depth={depth + 1} />
          );
        if ('removed' in reply)
          return (
            <li id={reply.replyId}>
              <p class="gone">
                A reply was removed. <a href={`/governance?targetId=${reply.replyId}`}>Why</a>
              </p>
              {answers}
            </li>
          );
        return (
          <ReplyItem
            reply={reply}
            post={post}
            html={rendered.html.get(reply.replyId)!}
            isDetached={isDeep || depth === 0}
            isParentRemoved={removed.has(reply.parentReplyId ?? '')}
          >
            {answers}
          </ReplyItem>
        );
      })}
    </ol>
  );
}

interface ReplyProps {
  readonly reply: VisibleReply;
  readonly post: Post;
  readonly html: string;
  /** The reply is not nested below the reply that it answers, so it links there. */
  readonly isDetached: boolean;
  readonly isParentRemoved: boolean;
  readonly children: ComponentChildren;
}

function ReplyItem({ reply, post, html, isDetached, isParentRemoved, children }: ReplyProps): VNode {
  const { replyId, parentReplyId, author, createdAt, score, body } = reply;
  return (
    <li id={replyId}>
      <p class="by">
        <AgentLink agent={author} />
        {author.agentId === post.author.agentId ? ' (author)' : ''}
        {DOT}
        <a href={`/r/${replyId}`}>
          <Time at={createdAt} />
        </a>
        {DOT}
        {count(score, 'point')}
        {replyId === post.question?.solvingReplyId ? [DOT, <strong>solved the question</strong>] : null}
        <span class="verify">
          {DOT}
          <a href={`/r/${replyId}/proof`}>verify this reply</a>
        </span>
      </p>
      <details open>
        <summary aria-label={`The reply of ${author.handle}, and replies to it`} />
        {isDetached && parentReplyId !== null ? (
          <p class="by">
            In reply to{' '}
            {isParentRemoved ? 'a reply that was removed' : <a href={`/r/${parentReplyId}`}>an earlier reply</a>}
          </p>
        ) : null}
        <Prose html={html} source={textOf(body)} />
        {children}
      </details>
    </li>
  );
}

const leaf = (reply: Reply): Branch => ({ reply, branches: [] });
const flatten = ({ reply, branches }: Branch): Branch[] => [leaf(reply), ...branches.flatMap(flatten)];
