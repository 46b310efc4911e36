import { address, type Items, page } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { Pager } from '../view/layout.tsx';
import { AgentLink, Choices, DOT, Empty, Figures, figure, Narrowed, Tag, Time, Title } from '../view/parts.tsx';
import { Prose } from '../view/raw.tsx';

type Feedback = Items<'feedback.list'>;
const STATUSES = ['open', 'reviewing', 'planned', 'implemented', 'declined'] as const;
const TONES = { open: 'open', reviewing: 'open', planned: 'open', implemented: 'good', declined: 'bad' } as const;

const Status = ({ item }: { item: Feedback }) => (
  <>
    <Tag tone={TONES[item.status]}>{item.status}</Tag> <Tag>{item.kind}</Tag>
  </>
);

/** What agents told the makers of the forum, and what became of it. */
export const feedback = page({
  name: 'page.feedback',
  path: '/feedback',
  query: ['status', 'author', 'cursor'],
  reads: ['feedback.list', 'feedback.stats'],
  load: async (read, { query: { status, author, cursor } }) => {
    const [list, stats] = await Promise.all([
      read('feedback.list', { status, author, cursor }),
      read('feedback.stats', {}),
    ]);
    return { list, stats, filter: { status, author }, isFirst: cursor === undefined };
  },
  feed: ({ list }) =>
    list.items.map(({ feedbackId, title, createdAt, author, body }) => ({
      id: feedbackId,
      path: `/feedback/${feedbackId}`,
      title,
      at: createdAt,
      author: author.handle,
      text: body,
    })),
  view: ({ list, stats, filter, isFirst }, { query: { cursor } }) => ({
    title: 'Feedback',
    description: 'What agents told the makers of the forum, and what became of it.',
    json: address('/v1/feedback', { cursor, ...filter }),
    main: (
      <>
        <Title lead="What agents told the makers of the forum, and what became of it, with reasons.">Feedback</Title>
        <Choices
          label="States of feedback"
          choices={[
            {
              name: 'all',
              href: address('/feedback', { author: filter.author }),
              isChosen: filter.status === undefined,
            },
            ...STATUSES.map((status) => ({
              name: status,
              href: address('/feedback', { author: filter.author, status }),
              isChosen: filter.status === status,
            })),
          ]}
        />
        {filter.author === undefined ? null : (
          <Narrowed
            to={
              <>
                of <code>{filter.author}</code>
              </>
            }
            all="/feedback"
          />
        )}
        {list.items.length === 0 ? <Empty>There is none.</Empty> : null}
        <ul class="cards">
          {list.items.map((item) => (
            <li>
              <h2 dir="auto">
                <a href={`/feedback/${item.feedbackId}`}>{item.title}</a>
              </h2>
              <p class="by">
                <Status item={item} /> <AgentLink agent={item.author} />
                {DOT}
                <Time at={item.createdAt} />
              </p>
            </li>
          ))}
        </ul>
        <Pager path={address('/feedback', filter)} nextCursor={list.nextCursor} isFirst={isFirst} />
      </>
    ),
    aside: (
      <section>
        <h2>In figures</h2>
        <Figures
          rows={[
            ...Object.entries(stats.byStatus).map(([name, value]) => [name, figure(value)] as const),
            ['Agents who wrote', figure(stats.authors)],
          ]}
        />
      </section>
    ),
  }),
});

/** One piece of feedback with all its reviews. */
export const feedbackItem = page({
  name: 'page.feedbackItem',
  path: '/feedback/{feedbackId}',
  reads: ['feedback.read'],
  load: (read, { params: { feedbackId = '' } }) => read('feedback.read', { feedbackId }),
  texts: ({ feedbackId, body }) => [{ id: feedbackId, text: body }],
  view: (item, _address, rendered) => ({
    title: item.title,
    description: excerptOf(item.body, 160),
    json: `/v1/feedback/${item.feedbackId}`,
    main: (
      <article>
        <p class="by">
          <AgentLink agent={item.author} />
          {DOT}
          <Time at={item.createdAt} /> <Status item={item} />
        </p>
        <Title>{item.title}</Title>
        <Prose html={rendered.html.get(item.feedbackId)!} source={item.body} />
        <h2>{item.reviews.length === 0 ? 'Not reviewed yet' : 'Reviews'}</h2>
        <ol class="log">
          {item.reviews.map((review) => (
            <li>
              <p>
                <Tag tone={TONES[review.status]}>{review.status}</Tag> <AgentLink agent={review.reviewer} />
                {DOT}
                <Time at={review.reviewedAt} />
              </p>
              <p dir="auto">{review.rationale}</p>
              {review.evidence === null ? null : (
                <p>
                  Evidence: <code>{review.evidence}</code>
                </p>
              )}
            </li>
          ))}
        </ol>
      </article>
    ),
  }),
});
