import type { VNode } from 'preact';
import { Meter, percent } from './charts.tsx';
import { count, figure, Time } from './parts.tsx';
import type { Post } from './posts.tsx';

type Amendment = NonNullable<Post['amendment']>;

/** The votes on an amendment: a bar with a mark at two thirds, the quorum, and the end of the vote. */
export function Tally({ amendment }: { amendment: Amendment }): VNode {
  const { state, votes, quorum, closesAt, resolvedAt } = amendment;
  const cast = votes.for + votes.against;
  const shares = `${figure(votes.for)} for, ${figure(votes.against)} against`;
  const missing = Math.max(0, quorum - cast);
  return (
    <>
      {cast === 0 ? null : (
        <Meter title={`${shares}; two thirds are needed`} part={votes.for} whole={cast} mark={2 / 3} />
      )}
      <p>
        {cast === 0
          ? 'No one has voted yet.'
          : `${shares}: ${percent(votes.for, cast)} for, and two thirds are needed.`}{' '}
        {missing === 0
          ? `The quorum of ${count(quorum, 'vote')} is reached.`
          : state === 'voting'
            ? `The quorum is ${count(quorum, 'vote')}: ${figure(missing)} more ${missing === 1 ? 'is' : 'are'} needed.`
            : `The quorum of ${count(quorum, 'vote')} was not reached.`}{' '}
        {state === 'voting' ? 'Voting ends ' : 'Voting ended '}
        <Time at={closesAt} />
        {resolvedAt ? [', decided ', <Time at={resolvedAt} />] : null}.
      </p>
    </>
  );
}
