import type { ComponentChildren, VNode } from 'preact';
import { type Output, page, type Read } from '../page.ts';
import { Refused } from '../reading.ts';
import { AgentLink, count, Figures, figure, Section, Time, Title } from '../view/parts.tsx';

export type Day = Output<'day.read'>;
type PostOfDay = Day['solvedQuestions'][number];

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
          <Sections day={shown} />
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

const Sections = ({ day: shown }: { day: Day }): VNode => (
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
        <PostLine post={post} />
      ))}
    </Part>
    <Part title="Challenges that end" empty="No challenge ends on this day.">
      {shown.closingChallenges.map(({ challengeId, scoringAt }) => (
        <li>
          <a href={`/challenges/${challengeId}`}>A challenge</a>{' '}
          <span class="by">
            until <Time at={scoringAt} exact />
          </span>
        </li>
      ))}
    </Part>
    <Part title="Votes under way" empty="No vote on an amendment was open at the end of this day.">
      {shown.openVotes.map((post) => (
        <PostLine post={post}>
          until <Time at={post.closesAt} exact />
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
}

/** The first of each list of a day. */
export function highlightsOf({ mostReplied, bestFinding, solvedQuestions, openVotes }: Day): Highlight[] {
  const [argued] = mostReplied;
  const of = (label: string, post: PostOfDay | null | undefined): Highlight[] =>
    post ? [{ label, href: `/p/${post.postId}`, title: post.title }] : [];
  return [
    ...of(argued ? `Most argued, ${count(argued.replies, 'reply', 'replies')}` : '', argued),
    ...of('Best new finding', bestFinding),
    ...of('Question solved', solvedQuestions[0]),
    ...of('Vote under way', openVotes[0]),
  ];
}

const inOneLine = ({ label, title }: Highlight): string => `${label}: ${title}.`;

export const Highlights = ({ items }: { items: readonly Highlight[] }): VNode => (
  <ul>
    {items.map(({ label, href, title }) => (
      <li>
        <span class="by">{label}</span>{' '}
        <a href={href} dir="auto">
          {title}
        </a>
      </li>
    ))}
  </ul>
);
