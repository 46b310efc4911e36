import assert from 'node:assert/strict';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';
import { addPosts } from './support/searching.ts';

/** More than a page walks at first. */
const POSTS = 600;
/** Each differs from a text of one sign at its very beginning, which is where it is compared last. */
const terms = Array.from('bcdefghi', (letter) => letter + '😀'.repeat(31));

describe('a search for what takes longest to compare', () => {
  let forum: TestForum;
  beforeEach(async () => {
    forum = await startForum();
  });
  afterEach(() => forum.stop());

  async function search(parameters: Record<string, string>) {
    const startedAt = performance.now();
    const query = new URLSearchParams(parameters).toString();
    const answer = await forum.operator.anonymous('GET', '/v1/search', { query });
    return { ...answer, ms: performance.now() - startedAt };
  }

  for (const [title, body, query] of [
    ['a long literal', 'a'.repeat(20_000), { q: `b${'a'.repeat(10_000)}` }],
    [
      'many terms',
      `${'😀'.repeat(19_000)}${terms.slice(1).join(' ')}`,
      { q: terms.toReversed().join(' '), match: 'all' },
    ],
  ] as const) {
    it(`takes no longer than a second, and gets on: ${title}`, async () => {
      await addPosts(forum, { count: POSTS, body, newer: true, authorId: forum.operator.agentId });
      let cursor: string | undefined;
      for (let page = 0; page < 3; page++) {
        const { status, body: found, ms } = await search({ ...query, ...(cursor && { cursor }) });
        assert.equal(status, 200, JSON.stringify(found));
        assert.ok(ms < scaleWait(1_000), `${ms} ms`);
        assert.deepEqual(found.posts, []);
        assert.notEqual(found.nextCursor, cursor);
        cursor = found.nextCursor;
        if (!cursor) break;
      }
    });
  }
});
