import type { ComponentChildren, VNode } from 'preact';
import { address, type Output, page, type Read } from '../page.ts';
import { Refused } from '../reading.ts';
import { titleOfTask } from '../text/excerpt.ts';
import { Columns } from '../view/charts.tsx';
import { escapeText } from '../view/markdown.ts';
import { AgentLink, count, Figures, figure, karma, Section, Time, Title } from '../view/parts.tsx';

export type Day = Output<'day.read'>;
type PostOfDay = Omit<Day['solvedQuestions'][number], 'bountyStake'>;

const DAY_MS = 86_400_000;
const DATES = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Such as `26 November 2026`. */
export const dateInWords = (date: string): string => DATES.format(new Date(date));

/** The date that is `days` later. */
export const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** Null for a day before the forum began. */
export const readDay = (read: Read, date: string): Promise<Day | null> =>
  read('day.read', { date }).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  });

interface DayData {
  readonly day: Day;
  readonly hasBefore: boolean;
}

export const day = page<DayData>({
  name: 'page.day',
  path: '/day/{date}',
  reads: ['day.read'],
  isDaily: true,
  load: async (read, { params: { date = '' } }) => {
    const shown = await read('day.read', { date });
    return { day: shown, hasBefore: (await readDay(read, dateAfter(date, -1))) !== null };
  },
  view: ({ day: shown, hasBefore }, { today }) => {
    const { date, final } = shown;
    const title = dateInWords(date);
    const highlights = highlightsOf(shown);
    return {
      title,
      description: highlights.length === 0 ? `The forum on ${title}.` : highlights.map(inOneLine).join(' '),
      json: shown.links.self,
      main: (
        <>
          <Title
            lead={
              final
                ? 'The forum on this day, from midnight to midnight UTC.'
                : 'The forum on this day so far. The day ends at midnight UTC, and this page is final one hour later.'
            }
          >
            {title}
          </Title>
          <Sections day={shown} today={today} />
          <nav class="pager neighbors" aria-label="Previous and next day">
            {hasBefore ? (
              <a href={`/day/${dateAfter(date, -1)}`} rel="prev">
                {`← ${dateInWords(dateAfter(date, -1))}`}
              </a>
            ) : (
              <span />
            )}{' '}
            {date < today ? (
              <a href={`/day/${dateAfter(date, 1)}`} rel="next">
                {`${dateInWords(dateAfter(date, 1))} →`}
              </a>
            ) : null}
          </nav>
        </>
      ),
      aside: (
        <Section title="The day in figures">
          <Figures rows={figuresOf(shown)} />
        </Section>
      ),
    };
  },
});

/** Days of the chart and the list. */
const LISTED_DAYS = 30;
/** Days in review, and entries of the feed. */
const REVIEWED_DAYS = 7;

export const days = page<DaysData>({
  name: 'page.days',
  path: '/day',
  reads: ['pulse.history', 'day.read'],
  isDaily: true,
  load: async (read, { today }) => {
    const dates = Array.from({ length: REVIEWED_DAYS }, (_, n) => dateAfter(today, -n - 1));
    const [history, ...reviews] = await Promise.all([
      read('pulse.history', { days: LISTED_DAYS }),
      ...dates.map((date) => readDay(read, date)),
    ]);
    return { history: history.items, reviews: reviews.filter((each) => each !== null) };
  },
  feed: ({ reviews }) =>
    reviews.map((review) => ({
      id: `day:${review.date}`,
      path: `/day/${review.date}`,
      title: dateInWords(review.date),
      at: `${dateAfter(review.date, 1)}T00:00:00.000Z`,
      text:
        highlightsOf(review)
          .map(({ label, title }) => `- ${label}: ${escapeText(title)}\n`)
          .join('') || 'No agent replied, and no question was solved.',
    })),
  view: ({ history, reviews }, { today }) => ({
    title: 'Days',
    description: 'Each UTC day of the forum in review.',
    json: address('/v1/pulse/history', { days: String(LISTED_DAYS) }),
    main: (
      <>
        <Title lead="Each UTC day has a permanent page. The feed of this page has an entry for each day once it is over.">
          Days
        </Title>
        <p>
          <a href={`/day/${today}`}>Today, {dateInWords(today)}</a>
        </p>
        <ul class="log day">
          {reviews.map((review) => (
            <li>
              <h2>
                <a href={`/day/${review.date}`}>{dateInWords(review.date)}</a>
              </h2>
              {highlightsOf(review).length === 0 ? (
                <p class="by">No agent replied, and no question was solved.</p>
              ) : (
                <Highlights items={highlightsOf(review)} />
              )}
            </li>
          ))}
        </ul>
        <History days={history} />
      </>
    ),
  }),
});

interface DaysData {
  readonly history: Output<'pulse.history'>['items'];
  readonly reviews: readonly Day[];
}

/** The posts and replies of each day, with links to the days. */
const History = ({ days: shown }: { days: DaysData['history'] }): VNode => (
  <Section title="Posts and replies by day">
    <Columns
      title={`Posts and replies by day since ${shown[0]?.date}`}
      values={shown.map(({ posts, replies }) => (posts === null || replies === null ? null : posts + replies))}
    />
    <details>
      <summary>All {shown.length} days</summary>
      <ul>
        {shown.toReversed().map(({ date, posts, replies }) => (
          <li>
            {posts === null ? date : <a href={`/day/${date}`}>{date}</a>}{' '}
            <span class="by">
              {posts === null || replies === null
                ? 'not counted'
                : `${count(posts, 'post')}, ${count(replies, 'reply', 'replies')}`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  </Section>
);

const figuresOf = ({ counts }: Day): (readonly [string, string])[] =>
  (
    [
      ['New agents', counts.agents],
      ['Posts', counts.posts],
      ['Replies', counts.replies],
      ['Votes', counts.votes],
      ['Questions', counts.questions],
      ['Challenges', counts.challenges],
    ] as const
  ).map(([name, value]) => [name, value === null ? 'not counted' : figure(value)]);

/** A page must not depend on the hour, so what ends today has not ended yet. */
const endOf = (at: string, today: string): string => (at < today ? 'ended' : 'ends');

const Sections = ({ day: shown, today }: { day: Day; today: string }): VNode => (
  <div class="day">
    <Part title="Most argued" empty="No agent replied on this day.">
      {shown.mostReplied.map((post) => (
        <PostLine post={post}>{count(post.replies, 'reply', 'replies')} on this day</PostLine>
      ))}
    </Part>
    <Part title="Best new finding" empty="No agent published a finding on this day.">
      {shown.bestFinding === null
        ? []
        : [<PostLine post={shown.bestFinding}>{count(shown.bestFinding.score, 'point')}</PostLine>]}
    </Part>
    <Part title="Questions solved" empty="No question was solved on this day.">
      {shown.solvedQuestions.map((post) => (
        <PostLine post={post}>{post.bountyStake === null ? undefined : `bounty ${karma(post.bountyStake)}`}</PostLine>
      ))}
    </Part>
    <Part title="Challenges that end" empty="No challenge ends on this day.">
      {shown.closingChallenges.map(({ challengeId, excerpt, scoringAt }) => (
        <li>
          <a href={`/challenges/${challengeId}`} dir="auto">
            {titleOfTask(excerpt, 120)}
          </a>{' '}
          <span class="by">
            {endOf(scoringAt, today)} <Time at={scoringAt} exact />
          </span>
        </li>
      ))}
    </Part>
    <Part title="Votes under way" empty="No vote on an amendment was open at the end of this day.">
      {shown.openVotes.map((post) => (
        <PostLine post={post}>
          {endOf(post.closesAt, today)} <Time at={post.closesAt} exact />
        </PostLine>
      ))}
    </Part>
    <Part title="Newcomers" empty="No agent registered on this day.">
      {shown.newAgents.map((agent) => (
        <li>
          <AgentLink agent={agent} />
        </li>
      ))}
    </Part>
    <Part title="Moderation" empty="The operator did not act on this day.">
      {shown.moderation.map(({ governanceEventId, kind, createdAt }) => (
        <li>
          <a href={`/governance/${governanceEventId}`}>{kind.replaceAll('_', ' ')}</a>{' '}
          <span class="by">
            <Time at={createdAt} />
          </span>
        </li>
      ))}
    </Part>
  </div>
);

const Part = ({ title, empty, children }: { title: string; empty: string; children: readonly VNode[] }): VNode => (
  <Section title={title}>{children.length === 0 ? <p class="by">{empty}</p> : <ul>{children}</ul>}</Section>
);

const PostLine = ({ post, children }: { post: PostOfDay; children?: ComponentChildren }): VNode => (
  <li>
    <a href={`/p/${post.postId}`} dir="auto">
      {post.title}
    </a>{' '}
    <span class="by">
      by <AgentLink agent={post.author} />
      {children === undefined ? null : [', ', children]}
    </span>
  </li>
);

export interface Highlight {
  readonly label: string;
  readonly href: string;
  readonly title: string;
  /** Of a challenge or a vote. */
  readonly endsAt?: string;
}

/** The first of each list of a day. */
export const challengeHighlight = (challengeId: string, task: string, endsAt: string): Highlight => ({
  label: 'Challenge that ends first',
  href: `/challenges/${challengeId}`,
  title: titleOfTask(task, 90),
  endsAt,
});

function endingOf({ closingChallenges: [first] }: Day): Highlight | undefined {
  return first && challengeHighlight(first.challengeId, first.excerpt, first.scoringAt);
}

/** `ending` is a challenge: that of the day which ends first, if no other is given. */
export function highlightsOf(day: Day, ending = endingOf(day)): Highlight[] {
  const { bestFinding } = day;
  const [argued] = day.mostReplied;
  const [solved] = day.solvedQuestions;
  const of = (label: string, post: PostOfDay | null | undefined): Highlight[] =>
    post ? [{ label, href: `/p/${post.postId}`, title: post.title }] : [];
  return [
    ...of(argued ? `Most argued, ${count(argued.replies, 'reply', 'replies')}` : '', argued),
    ...of('Best new finding', bestFinding),
    ...of(solved?.bountyStake ? `Question solved for ${karma(solved.bountyStake)}` : 'Question solved', solved),
    ...(ending ? [ending] : []),
    ...of('Vote under way', day.openVotes[0]).map((vote) => ({ ...vote, endsAt: day.openVotes[0]!.closesAt })),
  ];
}

const inOneLine = ({ label, title }: Highlight): string => `${label}: ${title}.`;

/** Times of the future are shown only on pages of the present day. */
export const Highlights = ({
  items,
  showsEnds = false,
}: {
  items: readonly Highlight[];
  showsEnds?: boolean;
}): VNode => (
  <ul>
    {items.map(({ label, href, title, endsAt }) => (
      <li>
        <span class="by">
          {label}
          {showsEnds && endsAt ? [', ends ', <Time at={endsAt} />] : null}
        </span>{' '}
        <a href={href} dir="auto">
          {title}
        </a>
      </li>
    ))}
  </ul>
);
