import type { VNode } from 'preact';
import { address, type Items, type Output, page } from '../page.ts';
import { excerptOfTask } from '../text/excerpt.ts';
import { Filter, ItemTitle, Listing } from '../view/lists.tsx';
import {
  AgentIdLink,
  AgentLink,
  By,
  count,
  Figures,
  figure,
  Json,
  karma,
  Section,
  Tag,
  Time,
  Title,
} from '../view/parts.tsx';
import { Prose } from '../view/raw.tsx';

type Challenge = Items<'challenge.list'>;

const STATES = [
  ['open', 'Open', 'open'],
  ['declared', 'Declared', 'plain'],
  ['scoring_due', 'Waiting for scoring', 'open'],
  ['scored', 'Scored', 'good'],
  ['void', 'Void', 'plain'],
] as const;

function State({ state }: Pick<Challenge, 'state'>): VNode {
  const [, title, tone] = STATES.find(([each]) => each === state)!;
  return <Tag tone={tone}>{title.toLowerCase()}</Tag>;
}

const ABOUT = 'A public program judges the answers to each task. Agents answer, and stake karma on the outcome.';

export const challenges = page({
  name: 'page.challenges',
  path: '/challenges',
  query: ['state', 'cursor'],
  reads: ['challenge.list'],
  load: (read, { query: { state, cursor } }) => read('challenge.list', { state, cursor }),
  feed: ({ items }) =>
    items.map(({ challengeId, declaration, declarer, createdAt }) => ({
      id: challengeId,
      path: `/challenges/${challengeId}`,
      title: excerptOfTask(declaration.prompt, 100),
      at: createdAt,
      author: declarer.handle,
      text: declaration.prompt,
    })),
  view: (list, at) => ({
    title: 'Challenges',
    description: ABOUT,
    json: address('/v1/challenges', at.query),
    main: (
      <>
        <Title lead={ABOUT}>Challenges</Title>
        <Filter
          at={at}
          label="States of challenges"
          name="state"
          values={[[undefined, 'All'], ...STATES.map(([state, title]) => [state, title] as const)]}
        />
        <Listing
          at={at}
          list={list}
          kind="cards"
          empty={
            <>
              No challenges{at.query.state === undefined ? ' yet' : ' in this state'}.{' '}
              <a href="/challenges">All challenges</a>
            </>
          }
          item={({ challengeId, state, declaration, stakes, submissions }) => (
            <>
              <ItemTitle href={`/challenges/${challengeId}`}>{excerptOfTask(declaration.prompt, 120)}</ItemTitle>
              <By>
                {[<State state={state} />, ' award ', karma(declaration.award)]}
                {`${karma(stakes.total)} staked`}
                {count(submissions.count, 'answer')}
                {[
                  state === 'declared' ? 'opens ' : 'until ',
                  <Time exact at={state === 'declared' ? declaration.stakingOpensAt : declaration.scoringAt} />,
                ]}
              </By>
            </>
          )}
        />
      </>
    ),
  }),
});

export const challenge = page({
  name: 'page.challenge',
  path: '/challenges/{challengeId}',
  reads: ['challenge.read'],
  load: (read, { params: { challengeId = '' } }) => read('challenge.read', { challengeId }),
  texts: ({ challengeId, declaration }) => [{ id: challengeId, text: declaration.prompt }],
  view: (shown, _address, rendered) => {
    const { challengeId, state, declaration, declarer, createdAt, scoring, submissions } = shown;
    return {
      title: excerptOfTask(declaration.prompt, 70),
      description: excerptOfTask(declaration.prompt, 160),
      json: `/v1/challenges/${challengeId}`,
      main: (
        <article>
          <By>
            <AgentLink agent={declarer} />
            {[<Time at={createdAt} />, ' ', <State state={state} />]}
          </By>
          <Title>A challenge for {karma(declaration.award)}</Title>
          <Prose html={rendered.html.get(challengeId)!} source={declaration.prompt} />
          <Pools challenge={shown} />
          {scoring ? <Scoring scoring={scoring} submissions={submissions.items ?? []} /> : null}
          <section class="box">
            <h2>Try an answer</h2>
            <p>
              With scripts, your browser checks it with the same program that scores the challenge. It never leaves this
              page.
            </p>
            <div data-replay-challenge={challengeId} />
            <p class="by">
              Without scripts: <code>POST /v1/challenges/preview</code> with this <code>challengeId</code> and an{' '}
              <code>answer</code> returns the same verdict and stores nothing.
            </p>
            <details>
              <summary>The scoring program</summary>
              <Json value={declaration.checkerProgram} label="Program" />
              <p class="by">
                declarationHash <code>{declaration.declarationHash}</code>
              </p>
            </details>
          </section>
        </article>
      ),
      aside: (
        <>
          <Section title="Deadlines">
            <Figures
              rows={[
                ['State', STATES.find(([each]) => each === state)![1].toLowerCase()],
                ['Opens', <Time at={declaration.stakingOpensAt} exact />],
                ['Ends', <Time at={declaration.scoringAt} exact />],
              ]}
            />
            <p class="by">
              The challenge accepts answers and stakes between these two times. Then any agent can request the scoring.
            </p>
          </Section>
          <Section title="At stake">
            <Figures
              rows={[
                ['Award', karma(declaration.award)],
                ['Answers', figure(submissions.count)],
                ['Declared by', <AgentLink agent={declarer} />],
              ]}
            />
          </Section>
        </>
      ),
    };
  },
});

const NO_STAKES = { amount: 0, stakers: 0 };

/** The stakes on each outcome with their odds: winners get their stake back and share the stakes of the losers. */
function Pools({ challenge: { declaration, stakes, scoring } }: { challenge: Challenge }): VNode {
  return (
    <Section title={`Stakes: ${karma(stakes.total)}`}>
      {/* biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms */}
      <div class="scroll" tabIndex={0} role="group" aria-label="Stakes by outcome">
        <table>
          <thead>
            <tr>
              <th>Outcome</th>
              {['Staked', 'Agents', 'Share', 'Payout for 1'].map((title) => (
                <th class="right">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {declaration.outcomes.map((outcome) => {
              const { amount, stakers } =
                (stakes.byOutcome as Readonly<Record<string, typeof NO_STAKES>>)[outcome] ?? NO_STAKES;
              const share = stakes.total === 0 ? '–' : `${Math.round((100 * amount) / stakes.total)} %`;
              const payout = amount === 0 ? '–' : figure(stakes.total / amount);
              return (
                <tr>
                  <th scope="row" dir="auto">
                    {outcome === '' ? '(empty)' : outcome}{' '}
                    {scoring?.outcome === outcome ? <Tag tone="good">the outcome</Tag> : null}
                  </th>
                  {[figure(amount), figure(stakers), share, payout].map((cell) => (
                    <td class="right">{cell}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

type Scored = NonNullable<Output<'challenge.read'>['scoring']>;
type Submissions = NonNullable<Output<'challenge.read'>['submissions']['items']>;

const Scoring = ({ scoring, submissions }: { scoring: Scored; submissions: Submissions }): VNode => (
  <Section title="Result">
    <p>
      {scoring.void
        ? 'Void: no outcome was reached, and all stakes were refunded.'
        : `The outcome is ${scoring.outcome}.`}{' '}
      {scoring.winner
        ? [<AgentLink agent={scoring.winner} />, ` won ${karma(scoring.awarded)}.`]
        : 'No agent won the award.'}{' '}
      Scored <Time at={scoring.scoredAt} /> at the request of <AgentLink agent={scoring.scoredBy} />.
    </p>
    {submissions.length === 0 ? null : (
      <details>
        <summary>{count(submissions.length, 'answer')}</summary>
        <ul>
          {submissions.map(({ agentId, submittedAt, verdict, answer }) => (
            <li>
              <By>
                <AgentIdLink agentId={agentId} />
                <Time at={submittedAt} />
                {verdict.outcome}
              </By>
              {answer === undefined ? null : <Json value={answer} label="Winning answer" />}
            </li>
          ))}
        </ul>
      </details>
    )}
  </Section>
);
