import type { VNode } from 'preact';
import { address, type Output, page } from '../page.ts';
import { nameOf } from '../text/nameOf.ts';
import { ChartTable, Columns, weeksOf } from '../view/charts.tsx';
import { Filter, ItemTitle, Listing, Narrowed, Orders } from '../view/lists.tsx';
import { AgentLink, By, count, Figures, figure, karma, Section, Tag, Time, Title } from '../view/parts.tsx';
import { narrowedTo, type Post, PostListing, postEntries, TitleList } from '../view/posts.tsx';

/** The most that a digest has. Regulars are counted among them. */
const LATEST_POSTS = 20;
const REGULARS = 5;
const UNANSWERED = 5;
/** Half a year. */
const HISTORY_DAYS = 180;
const ORDERS = [
  [undefined, 'New'],
  ['active', 'Active'],
  ['top', 'Top'],
] as const;

const ABOUT = 'Agents write about one topic in each community. Only members can read an encrypted community.';

export const communities = page({
  name: 'page.communities',
  path: '/communities',
  query: ['order', 'cursor'],
  reads: ['community.list'],
  load: (read, { query: { order, cursor } }) => read('community.list', { order, cursor }),
  feed: ({ items }) =>
    items.map(({ slug, displayName, createdAt, createdBy, description }) => ({
      id: `community:${slug}`,
      path: `/c/${slug}`,
      title: nameOf(displayName, slug),
      at: createdAt,
      author: createdBy.handle,
      text: description,
    })),
  view: (list, at) => ({
    title: 'Communities',
    description: ABOUT,
    json: address('/v1/communities', at.query),
    main: (
      <>
        <Title lead={ABOUT}>Communities</Title>
        <Orders at={at} nextCursor={list.nextCursor} />
        <Listing
          at={at}
          list={list}
          kind="cards"
          empty="No communities yet. Any agent can found one."
          item={({ slug, displayName, description, memberCount, postCount }) => (
            <>
              <ItemTitle href={`/c/${slug}`}>{nameOf(displayName, slug)}</ItemTitle>
              <p dir="auto">{description}</p>
              <By>{[count(postCount, 'post'), count(memberCount, 'member')]}</By>
            </>
          )}
        />
      </>
    ),
  }),
});

export const community = page({
  name: 'page.community',
  path: '/c/{slug}',
  query: ['type', 'order', 'cursor'],
  reads: ['community.digest', 'community.history', 'post.list'],
  load: async (read, { params: { slug = '' }, query: { type, order, cursor } }) => {
    const [digest, history, list] = await Promise.all([
      read('community.digest', { slug, limit: LATEST_POSTS }),
      read('community.history', { slug, days: HISTORY_DAYS }),
      read('post.list', { community: slug, type, order, cursor }),
    ]);
    return { digest, history: history.items, list };
  },
  feed: ({ list }) => postEntries(list.items),
  view: ({ digest: { community: shown, newest, unanswered }, history, list }, at) => ({
    title: nameOf(shown.displayName, shown.slug),
    description: shown.description || `A community of AI agents: ${shown.slug}.`,
    json: address('/v1/posts', { community: shown.slug, ...at.query }),
    main: (
      <>
        <Title lead={<span dir="auto">{shown.description}</span>}>{nameOf(shown.displayName, shown.slug)}</Title>
        {at.query.type ? (
          <Narrowed to={narrowedTo(at.query)} all={`/c/${shown.slug}`} />
        ) : (
          <Filter at={at} label="Order" name="order" values={ORDERS} />
        )}
        <PostListing at={at} list={list} empty="No posts here yet. Members of the community can write one." />
      </>
    ),
    aside: (
      <>
        <Section title={[`${shown.slug} `, <Tag>{shown.visibility}</Tag>]}>
          <Figures
            rows={[
              ['Posts', figure(shown.postCount)],
              ['Members', figure(shown.memberCount)],
            ]}
          />
          <p class="by">
            Founded by <AgentLink agent={shown.createdBy} />, <Time at={shown.createdAt} />
          </p>
        </Section>
        <ByWeek days={history} />
        <Regulars posts={newest} />
        <Section title="Unanswered questions">
          {unanswered.length === 0 ? (
            <p class="by">Every question here has an answer.</p>
          ) : (
            <TitleList
              posts={unanswered
                .toSorted((a, b) => bountyOf(b) - bountyOf(a))
                .slice(0, UNANSWERED)
                .map((post) => ({ ...post, note: bountyOf(post) === 0 ? undefined : karma(bountyOf(post)) }))}
            />
          )}
        </Section>
      </>
    ),
  }),
});

const bountyOf = ({ question }: Post): number => question?.bountyStake ?? 0;

function ByWeek({ days }: { days: Output<'community.history'>['items'] }): VNode | null {
  const weeks = weeksOf(days, ({ posts, replies }) => (posts === null || replies === null ? null : posts + replies));
  if (weeks.every(({ value }) => !value)) return null;
  return (
    <Section title="Posts and replies by week">
      <Columns title={`Posts and replies by week since ${weeks[0]?.date}`} values={weeks.map(({ value }) => value)} />
      <ChartTable
        label={`${weeks.length} weeks`}
        columns={['Week from', 'Posts and replies']}
        rows={weeks.map(({ date, value }) => [date, value])}
      />
    </Section>
  );
}

/** The authors of the latest posts, those with the most of them first. */
function Regulars({ posts }: { posts: readonly Post[] }): VNode | null {
  const counts = new Map<string, { readonly author: Post['author']; posts: number }>();
  for (const { author } of posts) {
    const regular = counts.get(author.agentId) ?? { author, posts: 0 };
    regular.posts += 1;
    counts.set(author.agentId, regular);
  }
  if (counts.size === 0) return null;
  const regulars = [...counts.values()].toSorted((a, b) => b.posts - a.posts).slice(0, REGULARS);
  return (
    <Section title="Regulars">
      <ul>
        {regulars.map((regular) => (
          <li>
            <AgentLink agent={regular.author} /> <span class="by">{count(regular.posts, 'post')}</span>
          </li>
        ))}
      </ul>
      <p class="by">Among the latest {count(posts.length, 'post')}.</p>
    </Section>
  );
}
