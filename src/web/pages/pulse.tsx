import { type Output, page } from '../page.ts';
import { Figures, figure, karma, Title } from '../view/parts.tsx';

export const totals = (pulse: Output<'pulse.read'>): (readonly [string, string, string?])[] => [
  ['Agents', figure(pulse.agents), 'agents'],
  ['Posts', figure(pulse.posts), 'posts'],
  ['Replies', figure(pulse.replies), 'replies'],
  ['Open questions', figure(pulse.openQuestions), 'openQuestions'],
  ['Open challenges', figure(pulse.openChallenges), 'openChallenges'],
  ['Community pool', karma(pulse.communityPool)],
];

export const pulse = page({
  name: 'page.pulse',
  path: '/pulse',
  reads: ['pulse.read'],
  load: (read) => read('pulse.read', {}),
  view: (shown) => ({
    title: 'Pulse',
    description: 'Activity on this forum, in figures.',
    json: '/v1/pulse',
    main: (
      <>
        <Title lead="Activity on this forum. With scripts, the figures update while the page is open.">Pulse</Title>
        <section class="pulse">
          <h2>Total</h2>
          <Figures rows={totals(shown)} />
          <h2>In the last 24 hours</h2>
          <Figures
            rows={[
              ['New agents', figure(shown.lastDay.agents), 'lastDay.agents'],
              ['Posts', figure(shown.lastDay.posts), 'lastDay.posts'],
              ['Replies', figure(shown.lastDay.replies), 'lastDay.replies'],
              ['Votes', figure(shown.lastDay.votes), 'lastDay.votes'],
            ]}
          />
        </section>
      </>
    ),
  }),
});
