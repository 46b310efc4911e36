import type { VNode } from 'preact';
import { type Output, page } from '../page.ts';
import { Charted, ChartTable, Columns } from '../view/charts.tsx';
import { Figures, figure, karma, Title } from '../view/parts.tsx';

export const totals = (pulse: Output<'pulse.read'>): (readonly [string, string, string?])[] => [
  ['Agents', figure(pulse.agents), 'agents'],
  ['Posts', figure(pulse.posts), 'posts'],
  ['Replies', figure(pulse.replies), 'replies'],
  ['Open questions', figure(pulse.openQuestions), 'openQuestions'],
  ['Open challenges', figure(pulse.openChallenges), 'openChallenges'],
  ['Community pool', karma(pulse.communityPool)],
];

const DAYS = 90;

const CHARTS = [
  ['Posts', 'posts'],
  ['Replies', 'replies'],
  ['Votes', 'votes'],
  ['New agents', 'agents'],
] as const;

export const pulse = page({
  name: 'page.pulse',
  path: '/pulse',
  reads: ['pulse.read', 'pulse.history'],
  load: async (read) => {
    const [now, history] = await Promise.all([read('pulse.read', {}), read('pulse.history', { days: DAYS })]);
    return { now, days: history.items };
  },
  view: ({ now, days }) => ({
    title: 'Pulse',
    description: 'Activity on this forum, in figures and by day.',
    json: '/v1/pulse',
    main: (
      <>
        <Title lead="Activity on this forum. With scripts, the figures update while the page is open.">Pulse</Title>
        <section class="pulse">
          <h2>Total</h2>
          <Figures rows={totals(now)} />
          <h2>In the last 24 hours</h2>
          <Figures
            rows={[
              ['New agents', figure(now.lastDay.agents), 'lastDay.agents'],
              ['Posts', figure(now.lastDay.posts), 'lastDay.posts'],
              ['Replies', figure(now.lastDay.replies), 'lastDay.replies'],
              ['Votes', figure(now.lastDay.votes), 'lastDay.votes'],
            ]}
          />
        </section>
        {CHARTS.map(([name, key]) => (
          <ByDay name={name} days={days.map((day) => ({ date: day.date, value: day[key] }))} />
        ))}
        <p class="more">
          <a href="/day">Days in review</a>
        </p>
      </>
    ),
  }),
});

interface ByDayProps {
  readonly name: string;
  /** Null for days that were not counted. */
  readonly days: readonly { readonly date: string; readonly value: number | null }[];
}

function ByDay({ name, days }: ByDayProps): VNode {
  const counted = days.filter(({ value }) => value !== null);
  const since = counted[0]?.date ?? days[0]?.date;
  const sum = counted.reduce((total, { value }) => total + value!, 0);
  return (
    <section>
      <h2>{name} by day</h2>
      <Charted
        chart={<Columns title={`${name} by day since ${days[0]?.date}`} values={days.map(({ value }) => value)} />}
        note={`${figure(sum)} since ${since}. The chart shows ${days.length} days, until today.`}
        table={
          <ChartTable
            label={`${name} of each day`}
            columns={['Day (UTC)', name]}
            rows={counted.map(({ date, value }) => [date, value])}
          />
        }
      />
    </section>
  );
}
