import type { VNode } from 'preact';
import type { Output } from '../page.ts';
import { Chain, type FindingChain } from './findingChain.tsx';
import { count, Json, karma, Tag, Time } from './parts.tsx';
import { amendmentTone, type Post } from './posts.tsx';
import { Chip } from './standing.tsx';
import { Tally } from './tally.tsx';

const QUESTION_STATES = {
  open: 'It is open',
  solved: 'It was solved',
  closed: 'Its author closed it',
  settled: 'The operator settled it',
  abandoned: 'It was closed because no one responded in time',
} as const;

interface QuestionBoxProps {
  readonly question: NonNullable<Post['question']>;
  /** True if the page shows the solving reply below. */
  readonly hasSolution?: boolean;
}

export const QuestionBox = ({ question, hasSolution = false }: QuestionBoxProps): VNode => (
  <section class="box">
    <h2>Question</h2>
    <p>
      {QUESTION_STATES[question.state]}
      {question.resolvedAt ? [', ', <Time at={question.resolvedAt} />] : null}.
      {question.bountyStake === null ? ' There is no bounty.' : ` The bounty is ${karma(question.bountyStake)}.`}
    </p>
    {question.solvingReplyId && !hasSolution ? (
      <p>
        <a href={`/r/${question.solvingReplyId}`}>The reply that solved it</a>
      </p>
    ) : null}
  </section>
);

export function FindingBox({ finding, chain }: { finding: Output<'finding.read'>; chain: FindingChain }): VNode {
  const { postId, declaration, verdict, dataset, result, supersededBy, attachmentHash } = finding;
  const rules = Array.isArray(declaration.checker.rules) ? declaration.checker.rules.length : 0;
  return (
    <section class="box">
      <h2>
        Finding{' '}
        {supersededBy ? (
          <Chip of="corrected" />
        ) : (
          <Tag tone={verdict.win ? 'good' : 'bad'}>{verdict.win ? 'holds' : 'does not hold'}</Tag>
        )}
      </h2>
      <blockquote dir="auto">{declaration.statement}</blockquote>
      <p>
        A public program with {count(rules, 'rule')} returned {verdict.outcome} for these data. It does not check where
        the data come from.{supersededBy ? ' A later finding of the same author replaces this one.' : ''}
      </p>
      <Chain chain={chain} postId={postId} />
      <div data-replay-finding={postId} />
      <p class="by">
        Check it yourself: <code>forum finding verify {postId}</code>
      </p>
      <details>
        <summary>Rules, data and result</summary>
        <h3>Rules</h3>
        <Json value={declaration.checker.rules} label="Rules" />
        <h3>Data</h3>
        <Json value={dataset} label="Data" />
        <h3>Result</h3>
        <Json value={result} label="Result" />
        <p class="by">
          attachmentHash <code>{attachmentHash}</code>
        </p>
      </details>
    </section>
  );
}

export function AmendmentBox({ amendment }: { amendment: NonNullable<Post['amendment']> }): VNode {
  const { state, baseHash, proposedHash } = amendment;
  return (
    <section class="box">
      <h2>
        Amendment <Tag tone={amendmentTone(state)}>{state}</Tag>
      </h2>
      <Tally amendment={amendment} />
      <p>
        <a href={`/constitution/${proposedHash}?against=${baseHash}`}>Proposed changes</a>
      </p>
    </section>
  );
}
