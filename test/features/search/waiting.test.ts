import assert from 'node:assert/strict';
import pg from 'pg';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { indexPosts } from '../../../src/features/search/indexing.ts';
import { WAITING } from '../../../src/features/search/store.ts';
import { QueueStart } from '../../../src/platform/postgres/queueStart.ts';
import { newId } from '../../../src/protocol/ids.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const ONE_A_BLOCK = { blockPosts: 1, segmentBlocks: 2 };

describe('the first post that waits for a segment', () => {
  let forum: TestForum;
  let ada: TestAgent;
  beforeEach(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  afterEach(() => forum.stop());

  const post = async () =>
    (await ada.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId as string;

  it('is at the oldest, and does not pass one that is still being written', async () => {
    const { db } = forum.api.services;
    const start = new QueueStart(WAITING, { lookMs: 0, settledMs: 0 });
    const writer = new pg.Client({ connectionString: forum.database.url });
    await writer.connect();
    const held = newId('p_', Date.now() - 5_000);
    await writer.query('BEGIN');
    await writer.query(`INSERT INTO search_waiting (post_id) SELECT $1 FROM (SELECT pg_current_xact_id()) drawn`, [
      held,
    ]);
    await post();
    assert.equal(await indexPosts(searchDatabases(db), ONE_A_BLOCK), 1);
    const waiting = await post();
    for (let look = 0; look < 3; look++) assert.equal(await start.below(db), '', 'one may still come before it');
    await writer.query('COMMIT');
    await writer.end();
    await eventually(async () => (await start.below(db)) === held);
    await forum.rows('DELETE FROM search_waiting WHERE post_id = $1', [held]);
    await eventually(async () => (await start.below(db)) === waiting);
    assert.equal(await indexPosts(searchDatabases(db), ONE_A_BLOCK), 1);
    await eventually(async () => (await start.below(db)) === waiting, undefined, 'nothing waits: the newest there is');
    const next = await post();
    assert.ok((await start.below(db)) <= next);
    assert.equal(await indexPosts(searchDatabases(db), ONE_A_BLOCK), 1);
  });
});
