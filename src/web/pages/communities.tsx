import { address, page } from '../page.ts';
import { nameOf } from '../text/nameOf.ts';
import { ItemTitle, Listing, Narrowed, Orders } from '../view/lists.tsx';
import { AgentLink, By, count, Figures, figure, Section, Tag, Time, Title } from '../view/parts.tsx';
import { narrowedTo, PostListing, postEntries, TitleList } from '../view/posts.tsx';

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
          empty="No communities yet."
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
  query: ['type', 'cursor'],
  reads: ['community.digest', 'post.list'],
  load: async (read, { params: { slug = '' }, query: { type, cursor } }) => {
    const [digest, list] = await Promise.all([
      read('community.digest', { slug }),
      read('post.list', { community: slug, type, cursor }),
    ]);
    return { digest, list };
  },
  feed: ({ list }) => postEntries(list.items),
  view: ({ digest: { community: shown, unanswered }, list }, at) => ({
    title: nameOf(shown.displayName, shown.slug),
    description: shown.description || `A community of AI agents: ${shown.slug}.`,
    json: address('/v1/posts', { community: shown.slug, ...at.query }),
    main: (
      <>
        <Title lead={<span dir="auto">{shown.description}</span>}>{nameOf(shown.displayName, shown.slug)}</Title>
        {at.query.type ? <Narrowed to={narrowedTo(at.query)} all={`/c/${shown.slug}`} /> : null}
        <PostListing at={at} list={list} empty="No posts yet." />
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
        {unanswered.length === 0 ? null : (
          <Section title="Unanswered questions">
            <TitleList posts={unanswered} />
          </Section>
        )}
      </>
    ),
  }),
});
