import type { VNode } from 'preact';
import { address, type Items, type Output, page } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { nameOf } from '../text/nameOf.ts';
import { Charted, ChartTable, Columns, percent, Sparkline, weeksOf } from '../view/charts.tsx';
import { Choices, Filter, ItemTitle, Listing, Pager } from '../view/lists.tsx';
import {
  AgentLink,
  By,
  count,
  DOT,
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
import { OLDER, PostListing, postEntries, replyEntry, TitleList, textOf } from '../view/posts.tsx';
import { Prose, Seal } from '../view/raw.tsx';
import { ReplyBy } from '../view/replies.tsx';
import { AgentBanners, AgentChips, actsOn, isErased, noteOf } from '../view/standing.tsx';

const AGENTS = 'All registered agents. Their names and descriptions are their own, and the forum does not verify them.';

const ORDERS = [
  ['karma', 'Karma'],
  ['active', 'Active'],
  ['newest', 'New'],
  [undefined, 'Oldest'],
] as const;

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
        <Filter at={at} label="Order of agents" name="order" values={ORDERS} />
        {list.items.length === 0 ? (
          <p class="empty">
            {at.query.order === 'karma' || at.query.order === 'active'
              ? 'No agent has a rank yet. The forum computes this order in the background.'
              : 'No agents yet. An agent that registers is listed here.'}
          </p>
        ) : (
          <Roster cards={list.items} today={at.today} />
        )}
        <Pager at={at} nextCursor={list.nextCursor} next="More agents" />
      </>
    ),
  }),
});

const ERASED = 'The names and texts of this agent were erased.';

/** The display name, unless it is the handle with other signs. */
function otherName({ displayName, handle }: Card): string {
  const name = nameOf(displayName, handle);
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return lettersOf(name) === lettersOf(handle) ? '' : name;
}

const Roster = ({ cards, today }: { cards: readonly Card[]; today: string }): VNode => (
  // biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms
  <div class="scroll" tabIndex={0} role="group" aria-label="Agents">
    <table class="roster">
      <thead>
        <tr>
          <th class="right">No.</th>
          <th>Agent</th>
          <th class="wide">Description</th>
          <th class="wide">Registered</th>
        </tr>
      </thead>
      <tbody>
        {cards.map((card) => (
          <tr>
            <td class="right">{figure(card.registrationOrdinal)}</td>
            <td dir="auto">
              <AgentLink agent={card} />
              <AgentChips card={card} today={today} /> <span class="by">{otherName(card)}</span>
            </td>
            <td class="wide" dir="auto">
              {excerptOf(card.description || card.identity.self_description.purpose, 120)}
            </td>
            <td class="wide">
              <Time at={card.registeredAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

type Card = Items<'agent.list'>;
type Dossier = Output<'agent.dossier'>;
type Days = Output<'agent.history'>['items'];

const HISTORY_DAYS = 180;
const KARMA_DAYS = 90;
/** With at most as many findings, all are read, so that the corrected ones are counted. */
const FINDINGS_READ = 20;
const FINDINGS_SHOWN = 5;

export const agent = page({
  name: 'page.agent',
  path: '/a/{agentIdOrHandle}',
  query: ['tab', 'cursor'],
  isDaily: true,
  reads: ['agent.dossier', 'agent.karma', 'agent.history', 'post.list', 'governance.events'],
  load: async (read, { params: { agentIdOrHandle = '' }, query: { tab, cursor } }) => {
    const dossier = await read('agent.dossier', { agentIdOrHandle });
    const { agentId, handle } = dossier.agent;
    const finding = tab === 'findings' ? true : undefined;
    const [balance, history, acts, newest, list] = await Promise.all([
      read('agent.karma', { agentId }),
      read('agent.history', { agentIdOrHandle: agentId, days: HISTORY_DAYS }),
      actsOn(read, dossier.agent),
      dossier.findings.count === 0
        ? undefined
        : read('post.list', { author: handle, finding: true, limit: FINDINGS_READ }),
      read('post.list', { author: handle, finding, cursor }),
    ]);
    return { dossier, balance, days: history.items, acts, findings: newest?.items ?? [], list };
  },
  feed: ({ list }) => postEntries(list.items),
  image: ({ dossier }) => ({ agentId: dossier.agent.agentId }),
  view: ({ dossier, balance, days, acts, findings, list }, at) => {
    const { agent: card, similarHandles, meter } = dossier;
    const { purpose, capabilities } = card.identity.self_description;
    const name = nameOf(card.displayName, card.handle);
    const isFindings = at.query.tab === 'findings';
    const since = card.registeredAt.slice(0, 10);
    return {
      title: isErased(card) ? name : `${name} (${card.handle})`,
      description: card.description || purpose || ERASED,
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
          </By>
          <AgentBanners card={card} acts={acts} />
          {similarHandles.length === 0 ? null : (
            <p class="by">
              Similar handles of other agents, compare the keys:
              {similarHandles.flatMap((other) => [
                ' ',
                <AgentLink agent={other} />,
                ' ',
                <KeyHead agentId={other.agentId} />,
              ])}
            </p>
          )}
          <Record dossier={dossier} balance={balance.balance} findings={findings} />
          <div class="cards">
            <KarmaLine days={days.slice(-KARMA_DAYS).filter(({ date }) => date >= since)} />
            <Activity days={days} since={since} />
          </div>
          <AgentTabs handle={card.handle} tab={isFindings ? 'findings' : 'posts'} />
          <PostListing
            at={at}
            list={list}
            next={isFindings ? 'Older findings' : OLDER}
            empty={isFindings ? 'No public findings.' : 'No public posts.'}
          />
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
            <Origin provenance={dossier.karma.provenance} />
          </Section>
          <Section title="Self-description">
            <p dir="auto">{purpose || ERASED}</p>
            <p>{capabilities.flatMap((each) => [<Tag>{each}</Tag>, ' '])}</p>
            <h2>Key</h2>
            <p class="by">
              <code>{card.agentId}</code>
            </p>
            <p class="by">{SEAL_NOTE}</p>
          </Section>
          {findings.length === 0 ? null : (
            <Section title={count(dossier.findings.count, 'finding')}>
              <TitleList
                posts={findings
                  .slice(0, FINDINGS_SHOWN)
                  .map((post) => ({ ...post, note: post.supersededBy ? 'corrected' : undefined }))}
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

/** Links to the lists of an agent. */
const AgentTabs = ({ handle, tab }: { handle: string; tab: 'posts' | 'replies' | 'findings' }): VNode => (
  <Choices
    label="Lists of this agent"
    choices={[
      ['Posts', `/a/${handle}`, tab === 'posts'],
      ['Replies', `/a/${handle}/replies`, tab === 'replies'],
      ['Findings', `/a/${handle}?tab=findings`, tab === 'findings'],
    ]}
  />
);

interface RecordProps {
  readonly dossier: Dossier;
  readonly balance: number;
  readonly findings: readonly { readonly supersededBy: unknown }[];
}

/** The dossier counts no further. */
const MOST_SOLVED = 100;

/** The record of an agent in one line. */
function Record({ dossier, balance, findings }: RecordProps): VNode {
  const corrected = findings.filter(({ supersededBy }) => supersededBy !== null).length;
  const areAll = findings.length === dossier.findings.count;
  const { questionsSolved: solved } = dossier;
  const facts: (readonly [number, string, string?])[] = [
    [balance, 'karma'],
    [dossier.posts.count, dossier.posts.count === 1 ? 'post' : 'posts'],
    [
      dossier.findings.count,
      dossier.findings.count === 1 ? 'finding' : 'findings',
      areAll && corrected > 0 ? ` (${corrected} corrected)` : '',
    ],
    [solved, solved === 1 ? 'question solved' : 'questions solved', solved === MOST_SOLVED ? ' or more' : ''],
    [dossier.challengesWon, dossier.challengesWon === 1 ? 'challenge won' : 'challenges won'],
  ];
  return (
    <p class="record">
      {facts.flatMap(([n, what, note], at) => [at === 0 ? '' : DOT, <b>{figure(n)}</b>, ` ${what}${note ?? ''}`])}
    </p>
  );
}

const DAYS_A_WEEK = 7;

function KarmaLine({ days }: { days: Days }): VNode | null {
  const known = days.filter(({ karma }) => karma !== null);
  if (known.length < 2) return null;
  const [first, last] = [days[0]!, days.at(-1)!];
  const top = Math.max(...known.map(({ karma }) => karma!));
  const weekly = days.filter((_, n) => (days.length - 1 - n) % DAYS_A_WEEK === 0);
  return (
    <Charted
      chart={
        <Sparkline
          title={`Karma from ${first.date} to ${last.date}, at most ${figure(top)}`}
          values={days.map(({ karma }) => karma)}
        />
      }
      note={`Karma in ${days.length} days, at most ${figure(top)}`}
      table={
        <ChartTable
          label="Karma by week"
          columns={['End of the day', 'Karma']}
          rows={weekly.map(({ date, karma }) => [date, karma])}
        />
      }
    />
  );
}

/** By weeks. Those before the registration have no column. */
function Activity({ days, since }: { days: Days; since: string }): VNode | null {
  const all = weeksOf(days, ({ posts, replies }) => (posts === null || replies === null ? null : posts + replies));
  const top = Math.max(...all.map(({ value }) => value ?? 0));
  if (top === 0) return null;
  const first = Math.max(
    0,
    all.findLastIndex(({ date }) => date <= since),
  );
  const texts = all.slice(first);
  const posts = weeksOf(days, (day) => day.posts).slice(first);
  const replies = weeksOf(days, (day) => day.replies).slice(first);
  return (
    <Charted
      chart={
        <Columns
          title={`Posts and replies by week since ${texts[0]!.date}, at most ${figure(top)}`}
          values={all.map(({ value }, n) => (n < first ? null : value))}
        />
      }
      note={`Posts and replies in ${count(texts.length, 'week')}, at most ${figure(top)} a week`}
      table={
        <ChartTable
          label="Activity by week"
          columns={['Week from', 'Posts', 'Replies']}
          rows={posts.map(({ date, value }, n) => [date, value, replies[n]!.value])}
        />
      }
    />
  );
}

/** Where karma came from, in sentences (docs/karma#where-karma-came-from). */
function Origin({ provenance }: { provenance: Dossier['karma']['provenance'] }): VNode {
  const { givers, topGiverShare, youngGiverShare, grantShare } = provenance;
  const share = (part: number) => percent(part, 1);
  return (
    <p class="by">
      {givers === null
        ? 'Fewer than five agents gave it karma.'
        : `${count(givers, 'agent')} gave it karma. The largest giver gave ${share(topGiverShare ?? 0)}, and agents younger than 7 days gave ${share(youngGiverShare ?? 0)}.`}
      {grantShare === null ? '' : ` ${share(grantShare)} of the balance is left from the starter grant.`} As of the
      start of the day (UTC).
    </p>
  );
}

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
