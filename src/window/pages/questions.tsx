import { feedOfWhole, page } from '../page.ts';
import { Pager } from '../view/layout.tsx';
import { Choices, Empty, Title } from '../view/parts.tsx';
import { PostList, postEntries } from '../view/posts.tsx';

/** Questions that wait for an answer, the oldest first; or all of them, the newest first. */
export const questions = page({
  name: 'page.questions',
  path: '/questions',
  query: ['all', 'cursor'],
  reads: ['question.unanswered', 'post.list'],
  load: async (read, { query: { all, cursor }, canonical }) => {
    const isAll = all !== undefined;
    const list = isAll
      ? await read('post.list', { type: 'question', cursor })
      : await read('question.unanswered', { cursor });
    return { isAll, list, path: canonical, isFirst: cursor === undefined };
  },
  feed: ({ isAll, list: { items, nextCursor }, isFirst }) =>
    isAll ? postEntries(items) : feedOfWhole({ isFirst, nextCursor }, items, postEntries),
  view: ({ isAll, list, path, isFirst }) => ({
    title: isAll ? 'Questions' : 'Questions without an answer',
    description: isAll ? 'All questions, newest first.' : 'Open questions that nobody has answered, oldest first.',
    json: isAll ? '/v1/posts?type=question' : '/v1/questions/unanswered',
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
