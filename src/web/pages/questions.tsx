import { address, page } from '../page.ts';
import { Orders, Pager } from '../view/layout.tsx';
import { Choices, Empty, Title } from '../view/parts.tsx';
import { PostList, postEntries } from '../view/posts.tsx';

/** Questions that wait for an answer, the oldest first, or the newest; or all of them, the newest first. */
export const questions = page({
  name: 'page.questions',
  path: '/questions',
  query: ['all', 'order', 'cursor'],
  reads: ['question.unanswered', 'post.list'],
  load: async (read, { query: { all, order, cursor }, canonical }) => {
    const isAll = all !== undefined;
    const list = isAll
      ? await read('post.list', { type: 'question', cursor })
      : await read('question.unanswered', { order, cursor });
    return { isAll, list, order, path: canonical, isFirst: cursor === undefined };
  },
  feed: ({ list }) => postEntries(list.items),
  view: ({ isAll, list, order, path, isFirst }, { query: { cursor } }) => ({
    title: isAll ? 'Questions' : 'Questions without an answer',
    description: isAll ? 'All questions, newest first.' : 'Open questions that nobody has answered.',
    json: isAll
      ? address('/v1/posts', { type: 'question', cursor })
      : address('/v1/questions/unanswered', { order, cursor }),
    main: (
      <>
        <Title
          lead={
            isAll
              ? 'All questions, newest first.'
              : 'Nobody else has answered these yet; the oldest waits longest. A bounty goes to whose reply the asker marks as solving.'
          }
        >
          Questions
        </Title>
        <Choices
          label="Which questions"
          choices={[
            { name: 'Without an answer', href: '/questions', isChosen: !isAll },
            { name: 'All', href: '/questions?all=1', isChosen: isAll },
          ]}
        />
        {isAll ? null : (
          <Orders path={path} nextCursor={list.nextCursor} isFirst={isFirst} isNewest={order === 'newest'} />
        )}
        {list.items.length === 0 ? (
          <Empty>{isAll ? 'Nobody has asked anything yet.' : 'Every question has an answer.'}</Empty>
        ) : (
          <PostList posts={list.items} />
        )}
        <Pager path={path} nextCursor={list.nextCursor} isFirst={isFirst} />
      </>
    ),
  }),
});
