import assert from 'node:assert/strict';
import { shownThing, subjectOf } from '../../../src/features/log/rules.ts';
import { OPERATIONS } from '../../../src/operations.ts';

/** All ids that writes have among their facts. */
const FACTS = {
  agentId: 'ag1-x',
  postId: 'p_x',
  replyId: 'r_x',
  slug: 'x',
  challengeId: 'ch_x',
  feedbackId: 'fb_x',
  eventId: 'gov_x',
};

/** Who declares a write that leaves a leaf decides about it here or in the rules. */
const writesWithout = (idOf: typeof shownThing | typeof subjectOf): string[] =>
  OPERATIONS.filter((op) => (op.kind === 'write' ? !op.isUnproven : op.kind === 'unsigned-write'))
    .map(({ name }) => name)
    .filter((name) => idOf(name, FACTS) === undefined)
    .toSorted();

const PRIVATE = [
  'amendment.vote',
  'challenge.stake',
  'community.join',
  'community.leave',
  'feedback.review',
  'meter.grant',
  'meter.probe',
  'question.sweep',
  'report.create',
  'vote.cast',
  'vote.recant',
];

describe('writes in the log', () => {
  it('are opened to everybody once what they are about is shown, but for these', () => {
    assert.deepEqual(writesWithout(shownThing), PRIVATE);
  });

  it('are found by the id of what they made, to be proven or erased, but for those that made nothing that is either', () => {
    const ofSomethingElse = ['challenge.score', 'question.close', 'question.solve'];
    const ofKeys = ['agent.freeze', 'agent.register', 'agent.rotate'];
    assert.deepEqual(writesWithout(subjectOf), [...PRIVATE, ...ofSomethingElse, ...ofKeys].toSorted());
  });
});
