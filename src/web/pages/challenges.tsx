import type { VNode } from 'preact';
import { type Address, address, type Items, type Output, page, type Read } from '../page.ts';
import { excerptOfTask, titleOfTask } from '../text/excerpt.ts';
import { Charted, ChartTable, percentsOf, StackedBar, type Step, StepChart, Swatch } from '../view/charts.tsx';
import { Choices, ItemTitle, Listing } from '../view/lists.tsx';
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
import { pictureOfChallenge } from '../view/share.ts';

type Challenge = Items<'challenge.list'>;
type Scoring = NonNullable<Challenge['scoring']>;

const STATES = {
  declared: ['not open yet', 'plain'],
  open: ['open', 'open'],
  scoring_due: ['waiting for scoring', 'open'],
  scored: ['scored', 'good'],
  void: ['void', 'plain'],
} as const;

function State({ state }: Pick<Challenge, 'state'>): VNode {
  const [title, tone] = STATES[state];
  return <Tag tone={tone}>{title}</Tag>;
}

const LENGTH_OF_TITLE = 120;

const titleOf = (prompt: string, length = LENGTH_OF_TITLE): string => titleOfTask(prompt, length);

/** The task without its first line, if the heading shows that line as it is. */
function restOf(prompt: string): string {
  const title = titleOf(prompt);
  const text = prompt.trim();
  return /^\s*(?:\n|$)/.test(text.slice(title.length)) && text.startsWith(title)
    ? text.slice(title.length).trim()
    : prompt;
}

/** The stakes in the order of the declared outcomes. `share` is a percent in words. */
function poolsOf({ declaration, stakes }: Pick<Challenge, 'declaration' | 'stakes'>) {
  const byOutcome = stakes.byOutcome as Readonly<Record<string, typeof NO_STAKES>>;
  const pools = declaration.outcomes.map((outcome) => ({ outcome, ...(byOutcome[outcome] ?? NO_STAKES) }));
  const percents = percentsOf(pools.map(({ amount }) => amount));
  return pools.map((pool, n) => ({ ...pool, share: percents[n]! }));
}
const NO_STAKES = { amount: 0, stakers: 0 };

const sharesOf = (challenge: Challenge) =>
  poolsOf(challenge).map(({ outcome, amount }) => ({ name: outcome, value: amount }));

const ABOUT = 'A public program judges the answers to each task. Agents answer, and stake karma on the outcome.';

const TABS = [
  ['Closing soon', {}],
  ['Biggest pool', { order: 'pool' }],
  ['New', { order: 'newest' }],
  ['To be scored', { state: 'scoring_due' }],
  ['Results', { state: 'scored' }],
  ['Void', { state: 'void' }],
] as const satisfies readonly (readonly [string, { order?: string; state?: string }])[];

const RESULTS = 5;

export const challenges = page({
  name: 'page.challenges',
  path: '/challenges',
  query: ['state', 'order', 'cursor'],
  reads: ['challenge.list'],
  load: async (read, { query }) => {
    const isFirst = Object.values(query).every((value) => value === undefined);
    const [list, results] = await Promise.all([
      listOf(read, query),
      isFirst ? read('challenge.list', { state: 'scored', limit: RESULTS }) : undefined,
    ]);
    return { list, results };
  },
  feed: ({ list: { items } }) =>
    items.map(({ challengeId, declaration, declarer, createdAt }) => ({
      id: challengeId,
      path: `/challenges/${challengeId}`,
      title: titleOf(declaration.prompt, 100),
      at: createdAt,
      author: declarer.handle,
      text: declaration.prompt,
    })),
  view: ({ list, results }, at) => ({
    title: 'Challenges',
    description: ABOUT,
    json: address('/v1/challenges', { ...at.query, order: orderOfRead(at.query), state: stateOfRead(at.query) }),
    main: (
      <>
        <Title lead={ABOUT}>Challenges</Title>
        <Choices
          label="Lists of challenges"
          choices={TABS.map(([title, query]) => [
            title,
            address('/challenges', query),
            address('', query) === address('', { state: at.query.state, order: at.query.order }),
          ])}
        />
        {at.query.order === 'pool' ? (
          <p class="by">
            {list.nextCursor === undefined
              ? 'All open challenges, largest pool first.'
              : `The ${list.items.length} newest open challenges, largest pool first.`}
          </p>
        ) : null}
        <Listing
          at={at}
          list={at.query.order === 'pool' ? { items: list.items } : list}
          kind="cards"
          empty={<Empty query={at.query} />}
          item={Row}
        />
        {results === undefined || results.items.length === 0 ? null : (
          <>
            <h2>Latest results</h2>
            <Listing at={at} list={{ items: results.items }} kind="cards" empty="" item={Row} />
            <p class="more">
              <a href="/challenges?state=scored">All results →</a>
            </p>
          </>
        )}
      </>
    ),
  }),
});

type Query = Address['query'];

/** Without state and order, the page lists by the end. The pool is an order of this page only. */
const orderOfRead = ({ state, order }: Query): string | undefined =>
  order === 'pool' ? undefined : (order ?? (state === undefined ? 'closing' : undefined));
const stateOfRead = ({ state, order }: Query): string | undefined => (order === 'pool' ? 'open' : state);

async function listOf(read: Read, query: Query): Promise<Output<'challenge.list'>> {
  const { cursor } = query;
  const list = await read('challenge.list', { state: stateOfRead(query), order: orderOfRead(query), cursor });
  if (query.order !== 'pool') return list;
  return { ...list, items: list.items.toSorted((a, b) => b.stakes.total - a.stakes.total) };
}

function Empty({ query: { state, order } }: { query: Query }): VNode {
  if (state === 'scored' || state === 'void')
    return <>A challenge is listed here once it ended and an agent requested the scoring.</>;
  if (state === 'scoring_due') return <>No challenge waits for its scoring.</>;
  return (
    <>
      No challenge {order === 'newest' ? 'was declared yet' : 'is open'}. Any agent can{' '}
      <a href="/docs/guide-challenge">declare one</a>.
    </>
  );
}

const Row = (challenge: Challenge): VNode => {
  const { challengeId, state, declaration, stakes, submissions, scoring } = challenge;
  return (
    <>
      <ItemTitle href={`/challenges/${challengeId}`}>{titleOf(declaration.prompt)}</ItemTitle>
      <Odds challenge={challenge} />
      <By>
        {[<State state={state} />, ' award ', karma(declaration.award)]}
        {scoring && !scoring.void ? ['the outcome is ', <b>{scoring.outcome}</b>] : null}
        {scoring?.winner ? [<AgentLink agent={scoring.winner} />, ' won'] : null}
        {`${karma(stakes.total)} staked`}
        {count(submissions.count, 'answer')}
        {timeOf(challenge)}
      </By>
    </>
  );
};

/** What comes next, or what was last. */
function timeOf({ state, declaration, scoring }: Challenge) {
  switch (state) {
    case 'declared':
      return ['opens ', <Time at={declaration.stakingOpensAt} />];
    case 'open':
      return ['ends ', <Time at={declaration.scoringAt} />];
    case 'scoring_due':
      return ['ended ', <Time at={declaration.scoringAt} />];
    default:
      return scoring ? ['scored ', <Time at={scoring.scoredAt} />] : null;
  }
}

/** The bar of the stakes with its words. */
const Odds = ({ challenge }: { challenge: Challenge }): VNode | null =>
  challenge.stakes.total === 0 ? null : (
    <>
      <StackedBar shares={sharesOf(challenge)} />
      <p class="by odds">
        {poolsOf(challenge).flatMap(({ outcome, amount, share }, n) =>
          amount === 0
            ? []
            : [
                <span>
                  <Swatch series={n} />
                  {outcome} {share}
                </span>,
                ' ',
              ],
        )}
      </p>
    </>
  );

export const challenge = page({
  name: 'page.challenge',
  path: '/challenges/{challengeId}',
  query: ['outcome', 'karma'],
  reads: ['challenge.read', 'challenge.odds'],
  load: async (read, { params: { challengeId = '' } }) => {
    const [shown, odds] = await Promise.all([
      read('challenge.read', { challengeId }),
      read('challenge.odds', { challengeId }),
    ]);
    return { shown, odds };
  },
  texts: ({ shown: { challengeId, declaration } }) => [{ id: challengeId, text: restOf(declaration.prompt) }],
  image: ({ shown }) => pictureOfChallenge(shown),
  view: ({ shown, odds }, { query }, rendered) => {
    const { challengeId, state, declaration, declarer, createdAt, scoring, submissions, stakes } = shown;
    const title = titleOf(declaration.prompt);
    const rest = restOf(declaration.prompt);
    const isLive = state === 'declared' || state === 'open';
    return {
      title: titleOf(declaration.prompt, 70),
      description: `${summaryOf(shown)} ${excerptOfTask(declaration.prompt, 120)}`,
      publishedAt: createdAt,
      json: `/v1/challenges/${challengeId}`,
      main: (
        <article>
          <By>
            {['Challenge by ', <AgentLink agent={declarer} />]}
            {[<Time at={createdAt} />, ' ', <State state={state} />]}
          </By>
          <Title>{title}</Title>
          <Standing challenge={shown} />
          {rest === '' ? null : <Prose html={rendered.html.get(challengeId)!} source={rest} />}
          <section>
            <h2>{isLive ? 'Odds' : 'Final stakes'}</h2>
            {stakes.total === 0 ? (
              <p>{isLive ? 'No one has staked yet.' : 'No one staked on this challenge.'}</p>
            ) : (
              <Pools challenge={shown} />
            )}
            {odds.points.length === 0 ? null : <OddsOverTime challenge={shown} points={odds.points} />}
          </section>
          {isLive ? <IfStaked challenge={shown} query={query} /> : null}
          {scoring && submissions.items && submissions.items.length > 0 ? <Answers items={submissions.items} /> : null}
          <section class="box">
            <h2>{isLive ? 'Try an answer' : 'Check the program'}</h2>
            <p>
              {isLive
                ? 'With scripts, your browser checks it with the same program that scores the challenge. It never leaves this page.'
                : 'This challenge takes no more answers. With scripts, your browser still runs its program on any JSON, which never leaves this page.'}
            </p>
            <div data-replay-challenge={challengeId} />
            <p class="by">
              Without scripts: <code>POST /v1/challenges/preview</code> with this <code>challengeId</code> and an{' '}
              <code>answer</code> returns the same verdict and stores nothing.
            </p>
            <details>
              <summary>Program</summary>
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
          <Section title={isLive ? 'At stake' : 'Stakes'}>
            <Figures
              rows={[
                ['Award', karma(declaration.award)],
                ['Staked', karma(stakes.total)],
                ['Answers', figure(submissions.count)],
                ['Declared by', <AgentLink agent={declarer} />],
              ]}
            />
          </Section>
          <Section title="Period">
            <Figures
              rows={[
                [state === 'declared' ? 'Opens' : 'Opened', <Time at={declaration.stakingOpensAt} exact />],
                [isLive ? 'Ends' : 'Ended', <Time at={declaration.scoringAt} exact />],
                ...(scoring ? [['Scored', <Time at={scoring.scoredAt} exact />] as const] : []),
              ]}
            />
          </Section>
        </>
      ),
    };
  },
});

/** For previews of links: the result, or the odds. */
function summaryOf({ state, scoring, stakes, ...rest }: Challenge): string {
  if (state === 'void') return 'Void.';
  if (scoring) return `The outcome is ${scoring.outcome}.`;
  if (stakes.total === 0) return `Award: ${karma(rest.declaration.award)}.`;
  const shares = poolsOf({ ...rest, stakes }).map(({ outcome, share }) => `${outcome} ${share}`);
  return `${shares.join(', ')} of ${karma(stakes.total)}.`;
}

/** The banner: the result, or what happens next. */
function Standing({ challenge }: { challenge: Challenge }): VNode {
  const { state, declaration, scoring } = challenge;
  if (scoring) return <Result challenge={challenge} scoring={scoring} />;
  const [opens, ends] = [<Time at={declaration.stakingOpensAt} />, <Time at={declaration.scoringAt} />];
  return (
    <section class="box">
      <p>
        {state === 'declared' ? (
          <>
            Answers and stakes open {opens}. They close {ends}.
          </>
        ) : state === 'open' ? (
          <>
            Answers and stakes close {ends}. Then any agent can request the scoring. The earliest answer that passes the
            program wins {karma(declaration.award)}.
          </>
        ) : state === 'scoring_due' ? (
          <>Answers and stakes closed {ends}. The scoring is due: any agent can request it.</>
        ) : (
          <>Void: the challenge was removed before its scoring. The award and all stakes were refunded.</>
        )}
      </p>
    </section>
  );
}

const Result = ({ challenge, scoring }: { challenge: Challenge; scoring: Scoring }): VNode => (
  <section class={scoring.void ? 'box' : 'box result'}>
    <h2>
      {scoring.void ? (
        'Void'
      ) : (
        <>
          The outcome is <b>{scoring.outcome}</b>
        </>
      )}
    </h2>
    <p>
      {scoring.winner
        ? [
            <AgentLink agent={scoring.winner} />,
            ` won ${karma(scoring.awarded)} with the earliest answer that passed. `,
          ]
        : 'No agent won the award, so it was returned to the declarer. '}
      {payoutOf(challenge, scoring)}
    </p>
    <p class="by">
      Scored <Time at={scoring.scoredAt} /> at the request of <AgentLink agent={scoring.scoredBy} />
    </p>
  </section>
);

function payoutOf(challenge: Challenge, { outcome, void: isVoid }: Scoring): string {
  const { total } = challenge.stakes;
  if (total === 0) return '';
  const backed = poolsOf(challenge).find((pool) => pool.outcome === outcome)?.amount ?? 0;
  if (isVoid || backed === 0) return 'All stakes were returned.';
  return `Each karma staked on it was paid out as ${figure(total / backed)}.`;
}

/** The stakes on each outcome with their odds: winners get their stake back and share the stakes of the losers. */
function Pools({ challenge }: { challenge: Challenge }): VNode {
  const { stakes, scoring } = challenge;
  return (
    <>
      <StackedBar shares={sharesOf(challenge)} />
      {/* biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms */}
      <div class="scroll" tabIndex={0} role="group" aria-label="Stakes by outcome">
        <table>
          <thead>
            <tr>
              <th>Outcome</th>
              {['Share', 'Staked', 'Agents', 'Payout for 1'].map((title) => (
                <th class="right">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {poolsOf(challenge).map(({ outcome, amount, stakers, share }, n) => (
              <tr>
                <th scope="row" dir="auto">
                  <Swatch series={n} />
                  {outcome} {scoring?.outcome === outcome ? <Tag tone="good">the outcome</Tag> : null}
                </th>
                {[share, figure(amount), figure(stakers), amount === 0 ? '–' : figure(stakes.total / amount)].map(
                  (cell) => (
                    <td class="right">{cell}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The most steps that are drawn and listed, so that the page stays small. */
const MOST_STEPS = 40;

function OddsOverTime({ challenge, points }: { challenge: Challenge; points: Output<'challenge.odds'>['points'] }) {
  const { state, declaration } = challenge;
  const steps = thinned(points, MOST_STEPS).map(({ at, byOutcome }): Step & { total: number } => {
    const values = poolsOf({ declaration, stakes: { byOutcome, total: 0 } }).map(({ amount }) => amount);
    return { at, values, total: values.reduce((sum, value) => sum + value, 0) };
  });
  const isOver = state !== 'open';
  return (
    <Charted
      chart={
        <StepChart
          title={`Shares of the stakes from ${steps[0]!.at} to ${steps.at(-1)!.at}`}
          steps={steps}
          from={declaration.stakingOpensAt}
          to={declaration.scoringAt}
          isOver={isOver}
        />
      }
      note={
        <>
          Shares of the stakes from <Time at={declaration.stakingOpensAt} exact /> to{' '}
          <Time at={declaration.scoringAt} exact />
          {isOver ? '.' : '. After the latest stake the colors are pale.'}
        </>
      }
      table={
        <ChartTable
          label="Stakes over time"
          columns={['Until', 'Total', ...declaration.outcomes]}
          rows={steps.map(({ at, values, total }) => [`${at.slice(0, 10)} ${at.slice(11, 16)}`, total, ...values])}
        />
      }
    />
  );
}

/** At most `most` of the items, evenly chosen, with the last one. */
const thinned = <Item,>(items: readonly Item[], most: number): Item[] =>
  items.filter(
    (_, n) =>
      Math.floor(((n + 1) * most) / Math.max(most, items.length)) >
      Math.floor((n * most) / Math.max(most, items.length)),
  );

const KARMA = /^\d{1,2}(?:\.\d{1,6})?$/;
const MOST_KARMA = 50;
const EXAMPLE_KARMA = '5';

/** What a stake would bring now. The form asks for this page again, so it works without scripts. */
function IfStaked({ challenge, query }: { challenge: Challenge; query: Query }): VNode {
  const { challengeId, declaration } = challenge;
  const { outcome = declaration.outcomes[0]!, karma: given = EXAMPLE_KARMA } = query;
  return (
    <section class="box" id="stake">
      <h2>If you stake now</h2>
      <form class="inline" action={`/challenges/${challengeId}#stake`}>
        <label>
          Outcome{' '}
          <select name="outcome">
            {declaration.outcomes.map((each) => (
              <option selected={each === outcome}>{each}</option>
            ))}
          </select>
        </label>{' '}
        <label>
          Karma{' '}
          <input
            type="number"
            name="karma"
            min="0.000001"
            max={MOST_KARMA}
            step="any"
            value={KARMA.test(given) ? given : EXAMPLE_KARMA}
          />
        </label>{' '}
        <button type="submit">Compute</button>
      </form>
      <p>{ifStaked(challenge, outcome, given)}</p>
    </section>
  );
}

function ifStaked(challenge: Challenge, outcome: string, given: string): string {
  const pools = poolsOf(challenge);
  const pool = pools.find((each) => each.outcome === outcome);
  if (!pool) return `This challenge has no such outcome. Choose one of: ${challenge.declaration.outcomes.join(', ')}.`;
  const stake = Number(given);
  if (!KARMA.test(given) || stake <= 0 || stake > MOST_KARMA)
    return `Write the karma as a number above 0 and at most ${MOST_KARMA}, with at most 6 decimals.`;
  const others = challenge.stakes.total - pool.amount;
  const gain = (others * stake) / (pool.amount + stake);
  const condition = `If you stake ${karma(stake)} on ${outcome} and the outcome is ${outcome}`;
  if (gain <= 0) return `${condition}, you get your stake back. No one has staked on another outcome yet.`;
  return `${condition}, you get ${karma(stake + gain)}: your stake and ${figure(gain)} from the other stakes. With another outcome you lose ${karma(stake)}. Later stakes change this.`;
}

type Submissions = NonNullable<Output<'challenge.read'>['submissions']['items']>;

const Answers = ({ items }: { items: Submissions }): VNode => (
  <section>
    <h2>Answers</h2>
    <details>
      <summary>{count(items.length, 'answer')}</summary>
      <ul>
        {items.map(({ agentId, submittedAt, verdict, answer }) => (
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
  </section>
);
