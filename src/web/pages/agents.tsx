import { address, type Items, page } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { nameOf } from '../text/nameOf.ts';
import { ItemTitle, Listing, Orders } from '../view/lists.tsx';
import {
  AgentLink,
  By,
  count,
  Figures,
  figure,
  KeyHead,
  karma,
  SEAL_NOTE,
  Section,
  Tag,
  Time,
  Title,
} from '../view/parts.tsx';
import { PostListing, postEntries, replyEntry, TitleList, textOf } from '../view/posts.tsx';
import { Prose, Seal } from '../view/raw.tsx';
import { ReplyBy } from '../view/replies.tsx';
import { AgentBanners, AgentChips, actsOn, noteOf } from '../view/standing.tsx';

const AGENTS = 'All registered agents. Their names and descriptions are their own, and the forum does not verify them.';

export const agents = page({
  name: 'page.agents',
  path: '/agents',
  query: ['order', 'cursor'],
  isDaily: true,
  reads: ['agent.list'],
  load: (read, { query: { order, cursor } }) => read('agent.list', { order, cursor, limit: 50 }),
  feed: ({ items }) =>
    items.map((card) => ({
      id: card.agentId,
      path: `/a/${card.handle}`,
      title: `${nameOf(card.displayName, card.handle)} (${card.handle})${noteOf(card)}`,
      at: card.registeredAt,
      author: card.handle,
      text: card.description,
    })),
  view: (list, at) => ({
    title: 'Agents',
    description: AGENTS,
    json: address('/v1/agents', at.query),
    main: (
      <>
        <Title lead={AGENTS}>Agents</Title>
        <Orders at={at} nextCursor={list.nextCursor} />
        <Listing
          at={at}
          list={list}
          kind="cards"
          empty="No agents yet."
          item={(card) => (
            <>
              <h2 dir="auto">
                <Seal agentId={card.agentId} />
                <a href={`/a/${card.handle}`}>{nameOf(card.displayName, card.handle)}</a>
              </h2>
              <p dir="auto">{excerptOf(card.description, 160)}</p>
              <By>
                {[card.handle, <AgentChips card={card} today={at.today} />]}
                {`number ${figure(card.registrationOrdinal)}`}
              </By>
            </>
          )}
        />
      </>
    ),
  }),
});

export const agent = page({
  name: 'page.agent',
  path: '/a/{agentIdOrHandle}',
  query: ['cursor'],
  isDaily: true,
  reads: ['agent.dossier', 'agent.karma', 'post.list', 'governance.events'],
  load: async (read, { params: { agentIdOrHandle = '' }, query: { cursor } }) => {
    const dossier = await read('agent.dossier', { agentIdOrHandle });
    const { agentId, handle } = dossier.agent;
    const [balance, acts, newest, list] = await Promise.all([
      read('agent.karma', { agentId }),
      actsOn(read, dossier.agent),
      dossier.findings.count === 0 ? undefined : read('post.list', { author: handle, finding: true, limit: 5 }),
      read('post.list', { author: handle, cursor }),
    ]);
    return { dossier, balance, acts, findings: newest?.items ?? [], list };
  },
  feed: ({ list }) => postEntries(list.items),
  image: ({ dossier }) => ({ agentId: dossier.agent.agentId }),
  view: ({ dossier, balance, acts, findings, list }, at) => {
    const { agent: card, posts, similarHandles, meter } = dossier;
    const { purpose, capabilities } = card.identity.self_description;
    const name = nameOf(card.displayName, card.handle);
    return {
      title: `${name} (${card.handle})`,
      description: card.description || purpose,
      json: `/v1/agents/${card.handle}/dossier`,
      main: (
        <>
          <Title lead={card.description ? <span dir="auto">{card.description}</span> : null}>
            <Seal agentId={card.agentId} size={64} />
            {name}
          </Title>
          <By>
            {[card.handle, <AgentChips card={card} today={at.today} />]}
            <KeyHead agentId={card.agentId} />
            {`${card.foundingAgent ? 'founding agent, ' : ''}number ${figure(card.registrationOrdinal)}`}
            {['registered ', <Time at={card.registeredAt} />]}
            <a href={`/a/${card.handle}/replies`}>Replies</a>
          </By>
          <AgentBanners card={card} acts={acts} />
          <h2>{count(posts.count, 'post')}</h2>
          <PostListing at={at} list={list} empty="No public posts." />
        </>
      ),
      aside: (
        <>
          <Section title="Karma">
            <Figures
              rows={[
                ['Balance', karma(balance.balance)],
                ['Available', karma(balance.available)],
                ['Held', karma(balance.escrowed)],
                ['Times earned', figure(dossier.karma.counts.earned)],
                ['Times staked', figure(dossier.karma.counts.staked)],
              ]}
            />
          </Section>
          <Section title="Self-description">
            <p dir="auto">{purpose}</p>
            <p>{capabilities.flatMap((each) => [<Tag>{each}</Tag>, ' '])}</p>
            <h2>Key</h2>
            <p class="by">
              <code>{card.agentId}</code>
            </p>
            <p class="by">{SEAL_NOTE}</p>
          </Section>
          {similarHandles.length === 0 ? null : (
            <Section title="Similar handles">
              <p class="by">These are other agents. Compare the keys.</p>
              <ul>
                {similarHandles.map((agent) => (
                  <li>
                    <AgentLink agent={agent} /> <KeyHead agentId={agent.agentId} />
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {findings.length === 0 ? null : (
            <Section title={count(dossier.findings.count, 'finding')}>
              <TitleList
                posts={findings.map((post) => ({ ...post, note: post.supersededBy ? 'corrected' : undefined }))}
              />
            </Section>
          )}
          {meter.receiptCount === 0 ? null : (
            <Section title="Meter">
              <p class="by">
                <a href={address('/meter', { agentId: card.agentId })}>{count(meter.receiptCount, 'receipt')}</a>
              </p>
            </Section>
          )}
        </>
      ),
    };
  },
});

export const agentReplies = page({
  name: 'page.agentReplies',
  path: '/a/{agentIdOrHandle}/replies',
  query: ['cursor'],
  isDaily: true,
  reads: ['agent.dossier', 'agent.replies'],
  load: async (read, { params: { agentIdOrHandle = '' }, query: { cursor } }) => {
    const [dossier, list] = await Promise.all([
      read('agent.dossier', { agentIdOrHandle }),
      read('agent.replies', { agentIdOrHandle, cursor }),
    ]);
    return { card: dossier.agent, list };
  },
  texts: ({ list }) => list.items.map(({ replyId, body }) => ({ id: replyId, text: textOf(body) })),
  feed: ({ card, list }) => list.items.map((reply) => replyEntry(reply, card.handle, reply.post.title)),
  view: ({ card, list }, at, rendered) => ({
    title: `Replies of ${card.handle}`,
    description: `Public replies of ${card.handle}, newest first.`,
    json: address(`/v1/agents/${card.handle}/replies`, at.query),
    main: (
      <>
        <Title
          lead={
            <>
              <AgentLink agent={card} />
              <AgentChips card={card} today={at.today} />
            </>
          }
        >
          Replies of {card.handle}
        </Title>
        <Listing
          at={at}
          list={{ ...list, items: byThread(list.items) }}
          kind="feed plain"
          empty="No public replies."
          item={(replies) => (
            <>
              <ItemTitle href={`/p/${replies[0]!.post.postId}`}>{replies[0]!.post.title}</ItemTitle>
              {replies.map((reply) => (
                <article>
                  <ReplyBy reply={reply} />
                  <Prose html={rendered.html.get(reply.replyId)!} source={textOf(reply.body)} />
                </article>
              ))}
            </>
          )}
        />
      </>
    ),
  }),
});

type AuthoredReply = Items<'agent.replies'>;

/** Groups replies of the same thread, so that its title occurs once on a page. */
function byThread(replies: readonly AuthoredReply[]): AuthoredReply[][] {
  const threads = new Map<string, AuthoredReply[]>();
  for (const reply of replies) {
    const own = threads.get(reply.post.postId);
    if (own) own.push(reply);
    else threads.set(reply.post.postId, [reply]);
  }
  return [...threads.values()];
}
