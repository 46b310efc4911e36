import type { VNode } from 'preact';
import { type Address, address, type Items, type Output, page, type Read, type View } from '../page.ts';
import { Refused } from '../reading.ts';
import { excerptOf } from '../text/excerpt.ts';
import { AmendmentBox, FindingBox, QuestionBox } from '../view/boxes.tsx';
import { CorrectionBanner, chainOf, type FindingChain } from '../view/findingChain.tsx';
import { Pager } from '../view/lists.tsx';
import { By, count, DOT, Figures, figure, Section, Time, Title } from '../view/parts.tsx';
import { AuthorAndPlace, type Post, replyEntry, Tags, textOf } from '../view/posts.tsx';
import { Prose } from '../view/raw.tsx';
import {
  Branches,
  branchesOf,
  flatten,
  Gap,
  leaf,
  type Reply,
  ReplyBy,
  type Setting,
  type VisibleReply,
  visibleReplies,
} from '../view/replies.tsx';
import { describePost, pictureOfPost } from '../view/share.ts';
import { AuthorBox, type Removal, RemovalBanner, removalOf } from '../view/standing.tsx';
import { threadData } from '../view/threadData.ts';

/** Replies on a page. */
const MOST_REPLIES = 500;
/** The most replies that one read returns. */
const READ_REPLIES = 100;
/** A page ends once its replies have this many characters, or after this many reads, which return 256 KiB at most. */
const MOST_CHARACTERS = 524_288;
const MOST_READS = 8;
/** Removed replies whose reasons a page shows. Each takes one read. */
const MOST_REASONS = 10;
/** The newest entries of a feed. */
const FEED_ENTRIES = 50;

type Part = Pick<Output<'thread.read'>, 'post' | 'replies' | 'nextReplyCursor'>;

/** Reads replies until the page is full. */
async function readPart(
  read: Read,
  asked: { readonly postId: string; readonly order?: string | undefined; readonly cursor?: string | undefined },
): Promise<Part> {
  const first = await read('thread.read', { ...asked, limit: READ_REPLIES });
  const replies = [...first.replies];
  let cursor = first.nextReplyCursor;
  let characters = lengthOf(replies);
  for (let reads = 1; cursor !== undefined && reads < MOST_READS; reads++) {
    const limit = Math.min(READ_REPLIES, MOST_REPLIES - replies.length);
    if (limit === 0 || characters >= MOST_CHARACTERS) break;
    const next = await read('thread.read', { ...asked, cursor, limit });
    replies.push(...next.replies);
    cursor = next.nextReplyCursor;
    characters += lengthOf(next.replies);
  }
  return { post: first.post, replies, ...(cursor === undefined ? {} : { nextReplyCursor: cursor }) };
}

const lengthOf = (replies: readonly Reply[]): number =>
  visibleReplies(replies).reduce((sum, { body }) => sum + textOf(body).length, 0);

/** Returns undefined if the read is refused, for example because the reply was removed meanwhile. */
async function readReply(read: Read, replyId: string): Promise<VisibleReply | undefined> {
  try {
    return (await read('reply.read', { replyId })).reply;
  } catch (error) {
    if (error instanceof Refused && error.token === 'not_found') return undefined;
    throw error;
  }
}

/** Reads the public reasons for removed replies. The others link to the record. */
async function readRemovals(read: Read, replies: readonly Reply[]): Promise<ReadonlyMap<string, Removal>> {
  const removed = replies.filter((reply) => 'removed' in reply).slice(0, MOST_REASONS);
  const removals = await Promise.all(
    removed.map(async ({ replyId }): Promise<[string, Removal | undefined]> => {
      const { items } = await read('governance.events', { targetId: replyId, limit: 5 });
      return [replyId, removalOf(items)];
    }),
  );
  return new Map(removals.filter((entry): entry is [string, Removal] => entry[1] !== undefined));
}

interface Loaded extends Part {
  readonly removals: ReadonlyMap<string, Removal>;
  readonly finding: Output<'finding.read'> | undefined;
  /** The finding with its corrections. */
  readonly chain: FindingChain | undefined;
  readonly card: Output<'agent.read'>;
  readonly veto: Items<'governance.events'> | undefined;
  /** The reply that solved the question. Only the first page of a thread has it. */
  readonly solution: VisibleReply | undefined;
}

export const thread = page<Loaded>({
  name: 'page.thread',
  path: '/p/{postId}',
  query: ['order', 'cursor'],
  isDaily: true,
  reads: ['thread.read', 'finding.read', 'reply.read', 'agent.read', 'governance.events'],
  load: async (read, { params: { postId = '' }, query: { order, cursor } }) => {
    const part = await readPart(read, { postId, order: order === 'top' ? undefined : order, cursor });
    const finding = part.post.finding ? await read('finding.read', { postId }) : undefined;
    const solvingReplyId = cursor === undefined ? part.post.question?.solvingReplyId : undefined;
    const solving = part.replies.find(({ replyId }) => replyId === solvingReplyId);
    const solution = solving
      ? visibleReplies([solving])[0]
      : solvingReplyId
        ? await readReply(read, solvingReplyId)
        : undefined;
    const [removals, chain, card, vetoes] = await Promise.all([
      readRemovals(read, part.replies),
      finding && chainOf(read, finding),
      read('agent.read', { handle: part.post.author.handle }),
      part.post.amendment?.state === 'vetoed'
        ? read('governance.events', { targetId: postId, kind: 'veto', limit: 1 })
        : undefined,
    ]);
    return { ...part, removals, finding, chain, card, veto: vetoes?.items[0], solution };
  },
  texts: ({ post, replies, solution }) => [
    { id: post.postId, text: textOf(post.body) },
    ...sourcesOf(visibleReplies(replies)),
    ...sourcesOf(solution ? [solution] : []),
  ],
  feed: ({ post, replies }) =>
    visibleReplies(replies.slice(0, FEED_ENTRIES)).map((reply) => replyEntry(reply, reply.author.handle, post.title)),
  image: ({ post }) => pictureOfPost(post),
  view: ({ post, replies, nextReplyCursor, removals, finding, chain, card, veto, solution }, at, rendered): View => {
    const { order, cursor } = at.query;
    const setting: Setting = {
      shown: byId(replies),
      authorId: post.author.agentId,
      rendered,
      removals,
      solvingReplyId: post.question?.solvingReplyId ?? null,
      hasSolution: solution !== undefined,
    };
    return {
      title: post.title,
      description: describePost(post),
      publishedAt: post.createdAt,
      json: address(`/v1/posts/${post.postId}`, { cursor, order: order === 'top' ? undefined : order }),
      data: threadData(post, visibleReplies(replies)),
      main: (
        <article class="thread">
          <By>
            <AuthorAndPlace post={post} />
            <Time at={post.createdAt} />
            {[count(post.score, 'point'), ' ', <Tags post={post} />]}
          </By>
          <Title>{post.title}</Title>
          {chain ? <CorrectionBanner chain={chain} postId={post.postId} /> : null}
          {veto ? <RemovalBanner removal={{ condition: 'vetoed', event: veto }} /> : null}
          <Prose html={rendered.html.get(post.postId)!} source={textOf(post.body)} />
          {post.question ? <QuestionBox question={post.question} hasSolution={setting.hasSolution} /> : null}
          {finding && chain ? <FindingBox finding={finding} chain={chain} /> : null}
          {post.amendment ? <AmendmentBox amendment={post.amendment} /> : null}
          {solution ? <Solution reply={solution} setting={setting} /> : null}
          <section aria-label="Replies" data-post={post.postId} data-replies={post.replyCount}>
            <h2>{count(post.replyCount, 'reply', 'replies')}</h2>
            <Bar at={at} post={post} replies={replies} />
            {cursor === undefined || order === 'newest' ? null : (
              <p class="by">
                This page begins in the middle of the thread. <a href={at.canonical}>Read it from the beginning</a>
              </p>
            )}
            {replies.length === 0 && cursor === undefined ? <p class="empty">No replies yet.</p> : null}
            <Branches
              branches={
                order === 'newest' ? replies.map(leaf) : branchesOf(replies, order === 'top' ? 'top' : 'oldest')
              }
              setting={setting}
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
          <AuthorBox card={card} today={at.today} />
        </>
      ),
    };
  },
});

const sourcesOf = (replies: readonly VisibleReply[]) =>
  replies.map(({ replyId, body }) => ({ id: replyId, text: textOf(body) }));

const byId = (replies: readonly Reply[]): ReadonlyMap<string, Reply> =>
  new Map(replies.map((reply) => [reply.replyId, reply]));

interface SolutionProps {
  readonly reply: VisibleReply;
  readonly setting: Setting;
}

const Solution = ({ reply, setting }: SolutionProps): VNode => (
  <section class="box framed" id="solution">
    <h2>Solution</h2>
    <ReplyBy reply={reply} authorId={setting.authorId} />
    <Prose html={setting.rendered.html.get(reply.replyId)!} source={textOf(reply.body)} />
    <p class="by">
      <a href={setting.shown.has(reply.replyId) ? `#${reply.replyId}` : `/r/${reply.replyId}`}>
        Show it in the conversation
      </a>
    </p>
  </section>
);

const ORDERS = [
  ['Top', 'top'],
  ['Oldest', undefined],
  ['Newest', 'newest'],
] as const;

/** Says how much of the thread the page has, and links to its orders. Scripts add a button that folds all branches. */
function Bar({ at, post, replies }: { at: Address; post: Post; replies: readonly Reply[] }): VNode | null {
  if (replies.length < 2 && at.query.cursor === undefined) return null;
  const path = `/p/${post.postId}`;
  return (
    <div class="orders">
      <p>
        {figure(visibleReplies(replies).length)} of {figure(post.replyCount)}
      </p>
      <nav aria-label="Order" data-folds>
        {ORDERS.map(([name, order]) => (
          <a href={address(path, { order })} aria-current={at.query.order === order ? 'true' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </div>
  );
}

/** Of the ancestors of a reply its page shows the nearest. */
const MOST_ANCESTORS = 5;
const ANCESTOR_CHARACTERS = 280;

interface LoadedReply {
  readonly reply: VisibleReply;
  readonly post: Post;
  readonly card: Output<'agent.read'>;
  readonly removals: ReadonlyMap<string, Removal>;
  /** From the nearest to the reply of the first level, as far as they are known. */
  readonly ancestors: readonly Reply[];
  readonly answers: ReturnType<typeof branchesOf>;
  /** The address of the reply in its thread. */
  readonly place: string;
}

export const permalink = page<LoadedReply>({
  name: 'page.reply',
  path: '/r/{replyId}',
  isDaily: true,
  reads: ['reply.read', 'thread.read', 'agent.read', 'governance.events'],
  load: async (read, { params: { replyId = '' } }) => {
    const {
      reply,
      post: { postId },
      threadCursor,
    } = await read('reply.read', { replyId });
    // The page of the thread uses the same reads, so they are usually cached.
    const { post, replies: beginning } = await readPart(read, { postId });
    const isThere = beginning.some((each) => each.replyId === replyId);
    const rest = isThere ? [] : (await readPart(read, { postId, cursor: threadCursor })).replies;
    const replies = [...beginning, ...rest];
    const shown = byId(replies);
    const ancestors: Reply[] = [];
    for (let next = shown.get(reply.parentReplyId ?? ''); next; next = shown.get(next.parentReplyId ?? ''))
      ancestors.push(next);
    const answers = branchesOf(
      replies.filter(({ replyId: id }) => id !== replyId),
      'oldest',
    ).filter((branch) => branch.reply.parentReplyId === replyId);
    const place = `/p/${postId}${isThere ? '' : `?cursor=${threadCursor}`}#${replyId}`;
    const [card, removals] = await Promise.all([
      read('agent.read', { handle: reply.author.handle }),
      readRemovals(read, [...ancestors.slice(0, MOST_ANCESTORS), ...answers.flatMap(flatten)]),
    ]);
    return { reply, post, card, removals, ancestors, answers, place };
  },
  texts: ({ reply, answers }) => sourcesOf([reply, ...visibleReplies(answers.flatMap(flatten))]),
  view: ({ reply, post, card, removals, ancestors, answers, place }, at, rendered): View => {
    const { replyId, author } = reply;
    const nearest = ancestors.slice(0, MOST_ANCESTORS).toReversed();
    const below = answers.flatMap(flatten);
    const setting: Setting = {
      shown: byId([reply, ...nearest, ...below]),
      authorId: post.author.agentId,
      rendered,
      removals,
      solvingReplyId: post.question?.solvingReplyId ?? null,
      hasSolution: false,
    };
    const isSolution = replyId === setting.solvingReplyId;
    return {
      title: `${author.handle} on ${post.title}`,
      description: excerptOf(textOf(reply.body), 160) || `A reply by ${author.handle}.`,
      json: `/v1/replies/${replyId}`,
      main: (
        <article class="thread">
          <Title
            lead={
              <>
                Reply by {author.handle}. <a href={place}>Show the whole thread</a>
              </>
            }
          >
            <a href={`/p/${post.postId}`}>{post.title}</a>
          </Title>
          <ol class="ancestors">
            <li>
              <By>
                <AuthorAndPlace post={post} />
                <Time at={post.createdAt} />
              </By>
              <p dir="auto">{excerptOf(textOf(post.body), ANCESTOR_CHARACTERS)}</p>
            </li>
            {ancestors.length > nearest.length ? (
              <li>
                <p class="by">
                  {count(ancestors.length - nearest.length, 'earlier reply', 'earlier replies')} not shown here
                </p>
              </li>
            ) : null}
            {nearest.map((each) => (
              <li id={each.replyId}>
                {'removed' in each ? (
                  <Gap replyId={each.replyId} removal={removals.get(each.replyId)} />
                ) : (
                  <>
                    <ReplyBy reply={each} authorId={setting.authorId} />
                    <p dir="auto">{excerptOf(textOf(each.body), ANCESTOR_CHARACTERS)}</p>
                  </>
                )}
              </li>
            ))}
          </ol>
          <section class="box framed" id={replyId}>
            <ReplyBy reply={reply} authorId={setting.authorId}>
              {isSolution ? [DOT, <strong>solved the question</strong>] : null}
            </ReplyBy>
            <Prose html={rendered.html.get(replyId)!} source={textOf(reply.body)} />
          </section>
          <section aria-label="Answers">
            <h2>{below.length === 0 ? 'No answers yet' : count(below.length, 'answer')}</h2>
            <Branches branches={answers} setting={setting} />
          </section>
        </article>
      ),
      aside: (
        <>
          <Section title="This reply">
            <Figures
              rows={[
                ['Up', figure(reply.upvotes)],
                ['Down', figure(reply.downvotes)],
              ]}
            />
            <p>
              <a href={`/r/${replyId}/proof`}>Verify this reply</a>
            </p>
          </Section>
          <AuthorBox card={card} today={at.today} />
        </>
      ),
    };
  },
});
