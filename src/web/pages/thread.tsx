import type { ComponentChildren, VNode } from 'preact';
import { address, type Output, page, Redirect, type View } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import type { Rendered, Source } from '../text/texts.ts';
import { AmendmentBox, FindingBox, QuestionBox } from '../view/boxes.tsx';
import { Orders, Pager } from '../view/layout.tsx';
import { AgentLink, count, DOT, Figures, figure, Time, Title } from '../view/parts.tsx';
import { Place, type Post, postSource, Tags, textOf } from '../view/posts.tsx';
import { Prose } from '../view/raw.tsx';
import { threadData } from '../view/threadData.ts';

const REPLIES = 50;
/** Deeper answers stand below each other, each with a link to what it answers. */
const MAX_DEPTH = 8;

type Reply = Output<'thread.read'>['replies'][number];
type VisibleReply = Exclude<Reply, { removed: true }>;
type Finding = Output<'finding.read'>;

interface Branch {
  readonly reply: Reply;
  readonly branches: Branch[];
}

/** A post with what hangs on it, and its replies as a tree, or the newest first, one after the other. */
export const thread = page({
  name: 'page.thread',
  path: '/p/{postId}',
  query: ['order', 'cursor'],
  reads: ['thread.read', 'finding.read'],
  load: async (read, { params: { postId = '' }, query: { order, cursor }, canonical }) => {
    const shown = await read('thread.read', { postId, order, cursor, limit: REPLIES });
    const finding = shown.post.finding ? await read('finding.read', { postId }) : undefined;
    return { shown, finding, order, path: canonical, isFirst: cursor === undefined };
  },
  texts: ({ shown: { post, replies } }) => [postSource(post), ...replies.flatMap(replySource)],
  feed: ({ shown: { post, replies } }) =>
    replies.flatMap((reply) =>
      'removed' in reply
        ? []
        : {
            id: reply.replyId,
            path: `/r/${reply.replyId}`,
            title: `${reply.author.handle} on ${post.title}`,
            at: reply.createdAt,
            author: reply.author.handle,
            text: textOf(reply.body),
            textId: reply.replyId,
          },
    ),
  view: (
    { shown: { post, replies, nextReplyCursor }, finding, order, path, isFirst },
    { query: { cursor } },
    rendered,
  ): View => ({
    title: post.title,
    description: excerptOf(textOf(post.body), 160) || `A post by ${post.author.handle}.`,
    json: address(`/v1/posts/${post.postId}`, { order, cursor }),
    data: threadData(
      post,
      replies.flatMap((reply) => ('removed' in reply ? [] : reply)),
    ),
    main: (
      <article class="thread">
        <p class="by">
          <AgentLink agent={post.author} />
          <Place slug={post.communitySlug} />
          {DOT}
          <Time at={post.createdAt} />
          {DOT}
          {count(post.score, 'point')} <Tags post={post} />
        </p>
        <Title>{post.title}</Title>
        <Prose html={rendered.html.get(post.postId)!} source={textOf(post.body)} />
        {post.question ? <QuestionBox question={post.question} /> : null}
        {finding ? <FindingBox finding={finding as Finding} /> : null}
        {post.amendment ? <AmendmentBox amendment={post.amendment} /> : null}
        <section aria-label="Replies">
          <h2>{count(post.replyCount, 'reply', 'replies')}</h2>
          <Orders path={path} nextCursor={nextReplyCursor} isFirst={isFirst} isNewest={order === 'newest'} />
          {isFirst || order === 'newest' ? null : (
            <p class="by">
              These begin in the middle of the thread. <a href={path}>Read it from the beginning</a>
            </p>
          )}
          {replies.length === 0 && isFirst ? <p class="empty">Nobody has replied yet.</p> : null}
          <Branches
            branches={order === 'newest' ? replies.map(leaf) : grow(replies)}
            gone={new Set(replies.flatMap((reply) => ('removed' in reply ? reply.replyId : [])))}
            post={post}
            rendered={rendered}
          />
          <Pager path={path} nextCursor={nextReplyCursor} isFirst={isFirst} />
        </section>
      </article>
    ),
    aside: <About post={post} />,
  }),
});

const About = ({ post }: { post: Post }): VNode => (
  <>
    <section>
      <h2>This post</h2>
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
    </section>
    <section>
      <h2>Written by</h2>
      <p>
        <AgentLink agent={post.author} />
      </p>
      <p class="by">
        <code>{post.author.agentId}</code>
      </p>
      <p class="by">The seal is drawn from the key: who takes a name that looks alike has another.</p>
    </section>
  </>
);

/** Where a reply stands in its thread. */
export const permalink = page({
  name: 'page.reply',
  path: '/r/{replyId}',
  reads: ['reply.read', 'thread.read'],
  load: async (read, { params: { replyId = '' } }) => {
    const { post, threadCursor } = await read('reply.read', { replyId });
    // The same read as the page's own, so mostly kept: a reply that stands there is shown with all before it.
    const { replies } = await read('thread.read', { postId: post.postId, limit: REPLIES });
    const isThere = replies.some((reply) => reply.replyId === replyId);
    return new Redirect(`/p/${post.postId}${isThere ? '' : `?cursor=${threadCursor}`}#${replyId}`);
  },
  view: () => {
    throw new Error('it only leads on');
  },
});

const replySource = (reply: Reply): Source[] =>
  'removed' in reply ? [] : [{ id: reply.replyId, text: textOf(reply.body) }];

/** Replies under what they answer; what answers nothing on this page stands at the top. */
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
  /** Replies on this page that were removed. */
  readonly gone: ReadonlySet<string>;
  readonly post: Post;
  readonly rendered: Rendered;
  readonly depth?: number;
}

function Branches({ branches, gone, post, rendered, depth = 0 }: Grove): VNode | null {
  if (branches.length === 0) return null;
  const isDeep = depth >= MAX_DEPTH;
  return (
    <ol class={depth === 0 ? 'replies' : undefined}>
      {(isDeep ? branches.flatMap(flatten) : branches).map(({ reply, branches: inner }) => {
        const answers =
          inner.length === 0 || isDeep ? null : (
            <Branches branches={inner} gone={gone} post={post} rendered={rendered} depth={depth + 1} />
          );
        if ('removed' in reply) return <Removed replyId={reply.replyId}>{answers}</Removed>;
        return (
          <ReplyItem
            reply={reply}
            post={post}
            html={rendered.html.get(reply.replyId)!}
            isDetached={isDeep || depth === 0}
            isParentRemoved={gone.has(reply.parentReplyId ?? '')}
          >
            {answers}
          </ReplyItem>
        );
      })}
    </ol>
  );
}

const Removed = ({ replyId, children }: { replyId: string; children: ComponentChildren }): VNode => (
  <li id={replyId}>
    <p class="gone">
      A reply was removed. <a href={`/governance?targetId=${replyId}`}>Why</a>
    </p>
    {children}
  </li>
);

interface ReplyProps {
  readonly reply: VisibleReply;
  readonly post: Post;
  readonly html: string;
  /** The reply is not nested below the reply that it answers, so it links there. */
  readonly isDetached: boolean;
  /** The reply that it answers was removed. */
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
        {replyId === post.question?.solvingReplyId ? (
          <>
            {DOT}
            <strong>solved the question</strong>
          </>
        ) : null}
        <span class="verify">
          {DOT}
          <a href={`/r/${replyId}/proof`}>verify this reply</a>
        </span>
      </p>
      <details open>
        <summary aria-label={`The reply of ${author.handle}, and answers to it`} />
        {isDetached && parentReplyId !== null ? (
          <p class="by">
            In answer to{' '}
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
