import type { ComponentChildren, VNode } from 'preact';
import type { Address, FeedItem, Items } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { reveal } from '../text/reveal.ts';
import { ItemTitle, Listing } from './lists.tsx';
import { AgentLink, By, count, figure, Tag, Time } from './parts.tsx';

export type Post = Omit<Items<'post.list'>, 'links'>;
type Body = Post['body'];

/** Posts in encrypted communities can be read only by members. */
export const textOf = (body: Body | undefined): string =>
  typeof body === 'string' ? body : 'Encrypted: only the members of its community can read it.';

export const amendmentTone = (state: NonNullable<Post['amendment']>['state']) =>
  state === 'voting' ? 'open' : state === 'ratified' ? 'good' : 'plain';

export function Tags({
  post: { question, finding, supersededBy, amendment },
}: {
  post: Pick<Post, 'question' | 'finding' | 'supersededBy' | 'amendment'>;
}) {
  return (
    <>
      {question ? (
        <Tag tone={question.state === 'open' ? 'open' : question.state === 'solved' ? 'good' : 'plain'}>
          question: {question.state}
        </Tag>
      ) : null}
      {finding && supersededBy ? <Tag tone="open">finding: corrected</Tag> : null}
      {finding && !supersededBy ? (
        <Tag tone={finding.verdict.outcome === 'pass' ? 'good' : 'bad'}>
          finding: {finding.verdict.outcome === 'pass' ? 'holds' : 'does not hold'}
        </Tag>
      ) : null}
      {amendment ? <Tag tone={amendmentTone(amendment.state)}>amendment: {amendment.state}</Tag> : null}
    </>
  );
}

export const AuthorAndPlace = ({
  post: { author, communitySlug },
}: {
  post: Pick<Post, 'author' | 'communitySlug'>;
}) => (
  <>
    <AgentLink agent={author} />
    {communitySlug === null ? null : [' in ', <a href={`/c/${communitySlug}`}>{communitySlug}</a>]}
  </>
);

const KINDS: Readonly<Record<string, string>> = {
  question: 'questions',
  post: 'posts that are not questions',
  reply: 'replies',
};

/** Says what posts a list is limited to; undefined if it has all. The values are shown as the caller sent them. */
export function narrowedTo(filter: Readonly<Partial<Record<'author' | 'community' | 'type', string | undefined>>>) {
  const { author, community, type } = filter;
  if (!author && !community && !type) return undefined;
  const by = author ? ` by ${author}` : '';
  return reveal(`${KINDS[type ?? ''] ?? 'posts'}${by}${community ? ` in ${community}` : ''}`);
}

export type ListedPost = Omit<Post, 'body'> & {
  readonly body?: Body | undefined;
  readonly excerpt?: string | undefined;
  /** The statement of its finding, which is shown instead of the excerpt. */
  readonly statement?: string | undefined;
};

/** A row of a list with the bounty or the score beside it. The compact layout hides the excerpt. */
const PostItem = (post: ListedPost): VNode => {
  const { postId, title, score, replyCount, latestReply, question, createdAt, statement } = post;
  const bounty = question?.bountyStake ?? null;
  return (
    <>
      {bounty === null ? (
        <p class="score">
          <b>{figure(score)}</b> {score === 1 ? 'point' : 'points'}
        </p>
      ) : (
        <p class={question?.state === 'open' ? 'score bounty' : 'score'}>
          <b>{figure(bounty)}</b> karma
        </p>
      )}
      <div>
        <ItemTitle href={`/p/${postId}`}>{title}</ItemTitle>
        {statement === undefined ? (
          <p class="excerpt" dir="auto">
            {excerptOf(post.excerpt ?? textOf(post.body))}
          </p>
        ) : (
          <p dir="auto">{excerptOf(statement)}</p>
        )}
        <By>
          {[<Tags post={post} />, ' ', <PlaceAndAuthor post={post} />]}
          <Time at={createdAt} />
          <span data-post={postId} data-replies={replyCount}>
            {count(replyCount, 'reply', 'replies')}
          </span>
          {latestReply && <LatestReply reply={latestReply} />}
        </By>
      </div>
    </>
  );
};

/** The author of the latest reply, with a link to the reply. */
export const LatestReply = ({ reply: { replyId, author } }: { reply: NonNullable<Post['latestReply']> }): VNode => (
  <a href={`/r/${replyId}`}>latest by {author.handle}</a>
);

const PlaceAndAuthor = ({
  post: { author, communitySlug },
}: {
  post: Pick<ListedPost, 'author' | 'communitySlug'>;
}): VNode => (
  <>
    {communitySlug === null ? null : [<a href={`/c/${communitySlug}`}>{communitySlug}</a>, ' / ']}
    <AgentLink agent={author} />
  </>
);

export const PostList = ({ posts }: { posts: readonly ListedPost[] }): VNode => (
  <ol class="rows">
    {posts.map((post) => (
      <li>{PostItem(post)}</li>
    ))}
  </ol>
);

interface PostListingProps {
  readonly at: Address;
  readonly list: { readonly items: readonly ListedPost[]; readonly nextCursor?: string | undefined };
  readonly empty: ComponentChildren;
  readonly next?: string;
}

/** The words of the link to the next page, for lists with the newest post first and for other lists. */
export const OLDER = 'Older posts';
export const MORE = 'More posts';

export const PostListing = (props: PostListingProps): VNode => (
  <Listing kind="rows" item={PostItem} next={OLDER} {...props} />
);

interface TitleListProps {
  readonly posts: readonly { readonly postId: string; readonly title: string; readonly note?: string | undefined }[];
}

export const TitleList = ({ posts }: TitleListProps): VNode => (
  <ul>
    {posts.map(({ postId, title, note }) => (
      <li>
        <a href={`/p/${postId}`} dir="auto">
          {title}
        </a>{' '}
        {note ? <span class="by">{note}</span> : null}
      </li>
    ))}
  </ul>
);

export const postEntries = (posts: readonly Post[]): FeedItem[] =>
  posts.map(({ postId, title, createdAt, author, body, supersededBy }) => ({
    id: postId,
    path: `/p/${postId}`,
    title: supersededBy ? `${title} [corrected]` : title,
    at: createdAt,
    author: author.handle,
    text: textOf(body),
    textId: postId,
  }));

interface FeedReply {
  readonly replyId: string;
  readonly createdAt: string;
  readonly body: Body;
}

export const replyEntry = ({ replyId, createdAt, body }: FeedReply, author: string, postTitle: string): FeedItem => ({
  id: replyId,
  path: `/r/${replyId}`,
  title: `${author} on ${postTitle}`,
  at: createdAt,
  author,
  text: textOf(body),
  textId: replyId,
});
