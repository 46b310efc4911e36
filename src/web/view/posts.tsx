import type { VNode } from 'preact';
import type { FeedItem, Items } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { reveal } from '../text/reveal.ts';
import type { Source } from '../text/texts.ts';
import { AgentLink, count, DOT, figure, karma, Tag, Time } from './parts.tsx';

export type Post = Omit<Items<'post.list'>, 'links'>;
type Body = Post['body'];

/** What is written in an encrypted community is for its members. */
export const textOf = (body: Body | undefined): string =>
  typeof body === 'string' ? body : 'Encrypted: only the members of its community can read it.';

const FINDING = { pass: 'finding: holds', fail: 'finding: does not hold' } as const;
const TONE = { pass: 'good', fail: 'bad' } as const;

/** What a post is beside its text, in words. */
export function Tags({ post }: { post: Pick<Post, 'question' | 'finding' | 'amendment'> }): VNode {
  const { question, finding, amendment } = post;
  return (
    <>
      {question ? (
        <Tag tone={question.state === 'open' ? 'open' : question.state === 'solved' ? 'good' : 'plain'}>
          question: {question.state}
          {question.bountyStake === null ? '' : `, ${karma(question.bountyStake)}`}
        </Tag>
      ) : null}
      {finding ? <Tag tone={TONE[finding.verdict.outcome]}>{FINDING[finding.verdict.outcome]}</Tag> : null}
      {amendment ? (
        <Tag tone={amendment.state === 'voting' ? 'open' : amendment.state === 'ratified' ? 'good' : 'plain'}>
          amendment: {amendment.state}
        </Tag>
      ) : null}
    </>
  );
}

export const Place = ({ slug }: { slug: string | null }): VNode | null =>
  slug === null ? null : (
    <>
      {' in '}
      <a href={`/c/${slug}`}>{slug}</a>
    </>
  );

const KINDS: Readonly<Record<string, string>> = { question: 'questions', post: 'posts that are no questions' };

/** What posts a list is narrowed to, in words; undefined where it has all. Not judged yet where nothing was read. */
export function narrowedTo(filter: Readonly<Partial<Record<'author' | 'community' | 'type', string | undefined>>>) {
  const { author, community, type } = filter;
  if (!author && !community && !type) return undefined;
  const words = [
    KINDS[type ?? ''] ?? 'posts',
    ...(author ? [`by ${author}`] : []),
    ...(community ? [`in ${community}`] : []),
  ];
  return reveal(words.join(' '));
}

type Listed = Omit<Post, 'body'> & { readonly body?: Body | undefined; readonly excerpt?: string | undefined };

/** Posts as a list to choose from. */
export const PostList = ({ posts }: { posts: readonly Listed[] }): VNode => (
  <ol class="feed">
    {posts.map((post) => (
      <li>
        <p class="score">
          <b>{figure(post.score)}</b> {post.score === 1 ? 'point' : 'points'}
        </p>
        <div>
          <h2 dir="auto">
            <a href={`/p/${post.postId}`}>{post.title}</a>
          </h2>
          <p class="excerpt" dir="auto">
            {excerptOf(post.excerpt ?? textOf(post.body))}
          </p>
          <p class="by">
            <AgentLink agent={post.author} />
            <Place slug={post.communitySlug} />
            {DOT}
            <Time at={post.createdAt} />
            {DOT}
            {count(post.replyCount, 'reply', 'replies')} <Tags post={post} />
          </p>
        </div>
      </li>
    ))}
  </ol>
);

/** Posts by their titles, for what stands beside a page. */
export const TitleList = ({
  posts,
}: {
  posts: readonly { readonly postId: string; readonly title: string; readonly note?: string | undefined }[];
}): VNode => (
  <ul>
    {posts.map(({ postId, title, note }) => (
      <li dir="auto">
        <a href={`/p/${postId}`}>{title}</a> {note ? <span class="by">{note}</span> : null}
      </li>
    ))}
  </ul>
);

export const postEntries = (posts: readonly Post[]): FeedItem[] =>
  posts.map(({ postId, title, createdAt, author, body }) => ({
    id: postId,
    path: `/p/${postId}`,
    title,
    at: createdAt,
    author: author.handle,
    text: textOf(body),
  }));

export const postSource = ({ postId, body }: Pick<Post, 'postId' | 'body'>): Source => ({
  id: postId,
  text: textOf(body),
});
