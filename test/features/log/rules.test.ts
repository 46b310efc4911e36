import assert from 'node:assert/strict';
import { shownSubject, subjectOf } from '../../../src/features/log/rules.ts';

const FACTS = { postId: 'p_x', slug: 'x', eventId: null };

describe('the visibility of a write in the log', () => {
  it('is that of the subject that its declaration names, by the id in its receipt', () => {
    assert.deepEqual(shownSubject({ shown: 'post', subject: 'created' }, FACTS), { type: 'post', id: 'p_x' });
    assert.deepEqual(shownSubject({ shown: 'community', subject: null }, FACTS), { type: 'community', id: 'x' });
    assert.equal(subjectOf({ shown: 'post', subject: 'created' }, FACTS), 'p_x');
    assert.equal(subjectOf({ shown: 'post', subject: 'changed' }, FACTS), 'p_x');
  });

  it('is nothing where the write is private, has no subject, or has no such id', () => {
    for (const rule of ['private', 'no-leaf'] as const) {
      assert.equal(shownSubject(rule, FACTS), undefined);
      assert.equal(subjectOf(rule, FACTS), undefined);
    }
    assert.equal(subjectOf({ shown: 'post', subject: null }, FACTS), undefined);
    assert.equal(shownSubject({ shown: 'event', subject: 'changed' }, FACTS), undefined);
  });
});
