import assert from 'node:assert/strict';
import { parseLeaf } from '../../../src/protocol/logFormat.ts';
import { entriesOf } from '../../../src/protocol/tiles.ts';
import { ENTRIES_LEVEL } from '../../../src/recording/logTiles.ts';
import { holdHead } from '../../../workers/log/head.ts';
import { MAX_LEAVES, sequence } from '../../../workers/log/sequencer.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { accepted, act } from '../governance/moderation/support/scenes.ts';

describe('entries that wait for the log', function () {
  this.timeout(60_000);
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('follow the registration of their writer, even if it came later', async () => {
    const head = await forum.api.services.db.inTransaction(async (db) => {
      const held = (await holdHead(db))!;
      let isFirst = true;
      const interrupted = async (...asked: Parameters<typeof db.query>) => {
        const rows = await db.query(...asked);
        if (!isFirst) return rows;
        isFirst = false;
        accepted(await (await forum.agent()).post('/v1/posts', { title: 'T', body: 'B' }));
        return rows;
      };
      return sequence(Object.assign(Object.create(db), { query: interrupted }), held, '0');
    });
    const unregistered = `SELECT e.operation FROM log_leaves l JOIN write_evidence e ON e.evidence_id = l.evidence_id
      JOIN agents a ON a.agent_id = e.agent_id WHERE a.registration_ordinal > $1`;
    assert.deepEqual(await forum.rows(unregistered, [head.agents]), []);
  });

  it('has a place as a moderation action without a write, within a backlog and behind it', async () => {
    const ada = await forum.agent();
    await forum.rows(
      `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
       SELECT 'gov_' || n, 'remove_content', 'post', 'p_' || n, false, 'R', 'operator', now()
       FROM generate_series(1, $1::integer) n`,
      [MAX_LEAVES + 10],
    );
    const { postId } = accepted(await ada.post('/v1/posts', { title: 'T', body: 'B' })).post;
    const { eventId } = await act(forum, 'remove_content', 'post', postId);
    const head = await forum.api.services.db.inTransaction(async (db) => sequence(db, (await holdHead(db))!, '0'));
    assert.equal((await forum.rows('SELECT FROM log_pending')).length, 0);
    assert.deepEqual([head.isFull, head.acts], [false, MAX_LEAVES + 11]);
    const [last] = await forum.rows<{ bytes: Buffer }>(
      `SELECT bytes FROM log_tiles WHERE level = ${ENTRIES_LEVEL} ORDER BY tile_index DESC LIMIT 1`,
    );
    const leaf = parseLeaf(entriesOf(last!.bytes).at(-1)!);
    assert.ok(leaf?.kind === 'act' && leaf.content.eventId === eventId);
    assert.notEqual(leaf.content.write, null);
  });

  it('waits for the registrations before it, if these are more than one batch', async () => {
    const db = forum.api.services.db;
    const turn = () => db.inTransaction(async (each) => sequence(each, (await holdHead(each))!, '0'));
    const { agents } = await turn();
    await forum.rows(
      `WITH moved AS (UPDATE registration_counter SET last_ordinal = last_ordinal + $2)
       INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
         encryption_public_key, owner_encryption_public_key, identity, registered_at)
       SELECT 'ag1-' || lpad(n::text, 22, '0'), 'filler-' || n, $1 + n, '', '', 'key-' || n, 'e-' || n, 'o-' || n, '{}', now()
       FROM generate_series(1, $2) n`,
      [agents, MAX_LEAVES],
    );
    accepted(await (await forum.agent()).post('/v1/posts', { title: 'T', body: 'B' }));
    const waiting = async () => (await forum.rows('SELECT FROM log_pending')).length;
    const written = await waiting();
    assert.ok(written > 0);
    assert.deepEqual([(await turn()).isFull, await waiting()], [true, written]);
    const { isFull, agents: all } = await turn();
    assert.deepEqual([isFull, all, await waiting()], [false, agents + MAX_LEAVES + 1, 0]);
  });
});
