import assert from 'node:assert/strict';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { applyThrough, DeliveryPace } from '../../../workers/delivery.ts';
import { OWN_JOB_KINDS } from '../../../workers/relay.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { apply, outboxFor } from './support.ts';

const LIMIT_MS = 800;
/** The time of each notification: a hundred of them take longer than the limit. */
const SLOW_MS = 10;
const EVENTS = 150;

describe('deliveries on a database that is slow', () => {
  let forum: TestForum;
  let db: Postgres;
  let agent: TestAgent;
  before(async () => {
    forum = await startForum();
    agent = await forum.agent();
    const waiting = await forum.rows<{ outbox_id: string }>('SELECT outbox_id FROM outbox');
    await apply(
      forum,
      waiting.map((row) => row.outbox_id),
    );
    const url = new URL(forum.database.url);
    url.searchParams.set('options', `-c statement_timeout=${LIMIT_MS}`);
    db = new Postgres({ url: url.href, maxConnections: 2, applicationName: 'slow deliveries' });
    await forum.rows(`CREATE FUNCTION tire() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(${SLOW_MS} / 1000.0); RETURN NEW; END $$`);
    await forum.rows('CREATE TRIGGER tire BEFORE INSERT ON inbox_entries FOR EACH ROW EXECUTE FUNCTION tire()');
  });
  after(async () => {
    await db.close();
    await forum.stop();
  });

  it('are done in pieces that end in time, each once and in order, and again in large ones afterwards', async function () {
    this.timeout(30_000);
    const pace = new DeliveryPace();
    const delivery = { from: '0', otherKinds: OWN_JOB_KINDS, stuck: new Set<string>(), pace };
    const ids = await outboxFor(forum, agent, EVENTS);
    assert.equal(await applyThrough(db, ids, delivery), EVENTS);
    assert.ok(pace.piece < EVENTS, `${pace.piece}`);
    assert.equal((await forum.rows('SELECT FROM outbox')).length, 0);
    const entries = await forum.rows<{ subject: string }>(
      `SELECT subject FROM inbox_entries WHERE agent_id = $1 AND type = 'karma' ORDER BY number`,
      [agent.agentId],
    );
    const expected = Array.from({ length: EVENTS }, (_, n) => String(n + 1));
    assert.deepEqual(
      entries
        .map(({ subject }) => subject)
        .filter((subject) => expected.includes(subject))
        .slice(-EVENTS),
      expected,
    );
    await forum.rows('DROP TRIGGER tire ON inbox_entries');
    while (pace.piece < 1_000) assert.equal(await applyThrough(db, await outboxFor(forum, agent, 100), delivery), 100);
  });
});
