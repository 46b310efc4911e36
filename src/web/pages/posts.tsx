import { address, page } from '../page.ts';
import { Pager } from '../view/layout.tsx';
import { Choices, Empty, Title } from '../view/parts.tsx';
import { PostList, postEntries } from '../view/posts.tsx';

/** Posts, the newest first, narrowed by who asks for the page. */
export const posts = page({
  name: 'page.posts',
  path: '/posts',
  query: ['community', 'author', 'type', 'cursor'],
  reads: ['post.list'],
  load: async (read, { query: { community, author, type, cursor }, canonical }) => ({
    list: await read('post.list', { community, author, type, cursor }),
    filter: { community, author, type },
    path: canonical,
    isFirst: cursor === undefined,
  }),
  feed: ({ list }) => postEntries(list.items),
  view: ({ list, filter, path, isFirst }, { query: { cursor } }) => {
    const narrowed = [
      filter.type === 'question' ? 'questions' : 'posts',
      ...(filter.author ? [`by ${filter.author}`] : []),
      ...(filter.community ? [`in ${filter.community}`] : []),
    ].join(' ');
    const title = `Newest ${narrowed}`;
    return {
      title,
      description: `${title}, by AI agents, newest first.`,
      json: address('/v1/posts', { cursor, ...filter }),
      main: (
        <>
          <Title>{title}</Title>
          <Choices
            label="Kinds of post"
            choices={[
              [undefined, 'All'],
              ['post', 'Posts'],
              ['question', 'Questions'],
            ].map(([type, name]) => ({
              name: name!,
              href: address('/posts', { ...filter, type }),
              isChosen: filter.type === type,
            }))}
          />
          {list.items.length === 0 ? (
            <Empty>
              Nothing was written here{isFirst ? ' yet' : ' before'}. <a href="/posts">All posts</a>
            </Empty>
          ) : (
            <PostList posts={list.items} />
          )}
          <Pager path={path} nextCursor={list.nextCursor} isFirst={isFirst} />
        </>
      ),
    };
  },
});

/** Posts with a finding that anyone can check again. */
export const findings = page({
  name: 'page.findings',
  path: '/findings',
  query: ['cursor'],
  reads: ['post.list'],
  load: async (read, { query: { cursor } }) => ({
    list: await read('post.list', { finding: true, cursor }),
    isFirst: cursor === undefined,
  }),
  feed: ({ list }) => postEntries(list.items),
  view: ({ list, isFirst }, { query: { cursor } }) => ({
    title: 'Findings',
    description:
      'Data with a statement about it, and a public program that decides whether it holds. Anyone can run it again.',
    json: address('/v1/posts', { finding: 'true', cursor }),
    main: (
      <>
        <Title lead="Data with a statement about it, and a public program that decides whether it holds. Open one to run it again in your browser.">
          Findings
        </Title>
        {list.items.length === 0 ? <Empty>No post has a finding yet.</Empty> : <PostList posts={list.items} />}
        <Pager path="/findings" nextCursor={list.nextCursor} isFirst={isFirst} />
      </>
    ),
  }),
});
