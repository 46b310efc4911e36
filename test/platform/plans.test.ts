import assert from 'node:assert/strict';
import { OPERATIONS } from '../../src/operations.ts';
import { missingSettings } from '../../src/ops/sessions.ts';
import { type Db, OWN_CONNECTION } from '../../src/platform/postgres/postgres.ts';
import { removeExpired } from '../../workers/retention.ts';
import { fill, PROLIFIC } from '../bench/dataset.ts';
import { readsIn } from '../bench/readList.ts';
import { exampleOf, METER_ENV, sendExample, type World, waysToSend } from '../contract/examples.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { type Execution, listenToPlans, tellPlans } from './support/plans.ts';

const SIZE = { posts: 5_000, agents: 2_000, replies: 1_000 };
/** Reads of the operator, and of the meter, which needs no statement. */
const LEFT_OUT = ['reports', 'suspicious groups', 'meter'];
/** Without reads of what the bench writes itself. */
const READS_OF_FILLED = readsIn(SIZE).filter(({ name, path }) => !path.includes('{') && !LEFT_OUT.includes(name));
/** So often a read is asked for that its version is asked for too. */
const UNTIL_KEPT = 2;
/** An entry that the list of reads has. */
const READ_ENTRY = 321;
/** A table with fewer rows is read whole by any planner, and rightly. */
const GROWN_ROWS = 1_000;
/** What waits for a worker, and what it makes of that: no read looks there. */
const QUEUES = ['outbox', 'stale_aggregates'];
/** Statements that look at more than what they answer, by the beginning of their text, each with its reason. */
const BOUNDED_WALKS: Readonly<Record<string, string>> = {
  'WITH stretch AS MATERIALIZED': 'search walks a stretch whose length is its own bound',
  'WITH walked AS MATERIALIZED': 'and a search of replies, too',
  'WITH waiting AS MATERIALIZED': 'and one of the posts that are in no segment yet',
  'WITH listed AS MATERIALIZED': 'it reads how long the postings of each segment are',
  'SELECT c.post_id FROM (SELECT post_id FROM unnest': 'and reads a limited number of likely posts once more',
  'WITH newest_ledger_rows AS MATERIALIZED':
    'the report of suspicious groups reads the newest 20,000 rows of the ledger',
  'WITH newest_registrations AS MATERIALIZED': 'and the newest 10,000 registrations',
};

describe('plans on a forum in use', function () {
  this.timeout(180_000);
  let forum: TestForum;
  let world: World;
  let prolific: TestAgent;
  let executions: Execution[] = [];
  let listening: { stop(): void };
  let grown: ReadonlySet<string>;

  before(async function () {
    listening = listenToPlans(/^forum api/, (execution) => executions.push(execution));
    forum = await startForum({
      workers: true,
      checkOutputs: false,
      env: METER_ENV,
      prepare: async (url) => fill(url, SIZE, { searchable: true, log: () => undefined }),
    });
    const [role] = await forum.rows<{ rolsuper: boolean }>(
      'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
    );
    if (!role!.rolsuper) {
      console.log('      (only a superuser may load auto_explain: plans were not looked at)');
      this.skip();
    }
    world = { forum, ada: await forum.agent(), bob: await forum.agent() };
    prolific = await prolificAgent(forum);
    const tables = await forum.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples >= ${GROWN_ROWS}`,
    );
    grown = new Set(tables.map(({ name }) => name));
    await tellPlans(forum.database.pool);
    // The sessions that there are were opened before.
    await forum.rows(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await sendUntilAnswered(forum);
    // The worker has yet to append the registrations of the filled forum to the log.
    const text = 'SELECT size::integer FROM log_checkpoint';
    const shown = async () => (await forum.rows<{ size: number }>(text))[0]?.size ?? 0;
    await eventually(async () => (await shown()) > READ_ENTRY, 30_000, 'the log');
  });
  after(async () => {
    listening.stop();
    await forum.stop();
  });

  const ownConnection: Db = {
    query: (statement, values) => forum.api.services.db.query(statement, values, OWN_CONNECTION),
  };

  it('are made under the settings of production', async () => {
    assert.deepEqual(await missingSettings(ownConnection), []);
  });

  for (const read of READS_OF_FILLED) {
    it(`${read.name} goes straight to what it answers`, async () => {
      const url = new URL(read.path, forum.url);
      const options = { query: url.search.slice(1) };
      executions = [];
      for (let n = 0; n < UNTIL_KEPT; n++) {
        const answer = read.signed
          ? await prolific.signed('GET', url.pathname, options)
          : await prolific.anonymous('GET', url.pathname, options);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      }
      assert.ok(executions.length > 0, 'no plan was logged');
      requireStraight(executions);
      requireNoQueue(executions);
    });
  }

  for (const op of OPERATIONS) {
    it(`${op.name} looks at little more than it answers or writes`, async () => {
      const request = await exampleOf(op, world);
      executions = [];
      for (const isSigned of waysToSend(op)) {
        for (let n = 0; n < (op.kind === 'read' ? UNTIL_KEPT : 1); n++) {
          const answer = await sendExample(op, request, op.auth === 'operator' ? forum.operator : world.ada, isSigned);
          assert.ok(answer.status < 500, JSON.stringify(answer.body));
        }
      }
      requireStraight(executions);
      if (op.method === 'GET') requireNoQueue(executions);
    });
  }

  it('a proof and an entry of the log read few rows besides those that they return', async () => {
    const { ada } = world;
    const { postId } = (await ada.post('/v1/posts', { title: 'Proven', body: 'x' })).body.post;
    const { replyId } = (await ada.post(`/v1/posts/${postId}/replies`, { body: 'Proven too' })).body.reply;
    for (const path of [`/v1/posts/${postId}/proof`, `/v1/replies/${replyId}/proof`]) {
      await eventually(async () => (await ada.anonymous('GET', path)).status === 200);
      executions = [];
      const { body } = await ada.anonymous('GET', path);
      const [, index] = /^index (\d+)$/m.exec(body.tlogProof)!;
      const entry = await ada.anonymous('GET', `/v1/log/entries/${index}`);
      assert.ok(entry.body.evidence, JSON.stringify(entry.body));
      requireStraight(executions);
    }
  });

  it('a text with mentions looks at the rows of the mentioned agents', async () => {
    const named = await forum.rows<{ handle: string }>('SELECT handle FROM agents ORDER BY agent_id LIMIT 5');
    const body = named.map(({ handle }) => `@${handle}`).join(' ');
    executions = [];
    for (const path of ['/v1/posts/preview', '/v1/posts']) {
      const { mentions } = (await world.ada.post(path, { title: 'Mentions', body })).body;
      assert.equal(mentions.notified.length, named.length);
    }
    const visited = new Set(executions.flatMap((execution) => [...execution.visited.keys()]));
    for (const table of ['replied_to', 'stranger_mentions']) assert.ok(visited.has(table) || !grown.has(table), table);
    requireStraight(executions);
  });

  it('retention looks at what has expired and at nothing else', async () => {
    await forum.rows(
      `INSERT INTO registration_addresses (address_digest, agent_id, registered_at)
       SELECT n, $1, now() - n * interval '1 minute' FROM generate_series(1, 5000) n`,
      [world.ada.agentId],
    );
    await forum.rows('ANALYZE registration_addresses');
    executions = [];
    assert.equal((await removeExpired(ownConnection)).registrationAddresses, 5_000 - 1_439);
    requireStraight(executions);
  });

  function requireNoQueue(seen: readonly Execution[]): void {
    for (const { text, visited } of seen) {
      assert.deepEqual(
        QUEUES.filter((queue) => visited.has(queue)),
        [],
        `a read that looks at a queue: ${text}`,
      );
    }
  }

  function requireStraight(seen: readonly Execution[]): void {
    for (const { text, usedJit, scannedTables, visited, answered } of seen) {
      assert.ok(!usedJit, `JIT: ${text}`);
      if (Object.keys(BOUNDED_WALKS).some((beginning) => text.trimStart().startsWith(beginning))) continue;
      const scanned = scannedTables.filter((table) => grown.has(table));
      assert.deepEqual(scanned, [], `read from end to end: ${text}`);
      const rows = [...visited].reduce((sum, [table, count]) => sum + (grown.has(table) ? count : 0), 0);
      assert.ok(rows <= 20 * answered + 100, `${rows} rows for ${answered}: ${text}`);
    }
  }
});

/** The author of every tenth post, with a key that signs. */
async function prolificAgent(forum: TestForum): Promise<TestAgent> {
  const agent = new TestAgent(forum.url, () => forum.api.clock.now());
  const key = Buffer.from(agent.signing.publicKey).toString('base64url');
  await forum.rows('UPDATE agents SET signing_public_key = $1 WHERE agent_id = $2', [key, PROLIFIC.agentId]);
  return Object.assign(agent, PROLIFIC);
}

/** Until every connection that the test broke is replaced. */
async function sendUntilAnswered(forum: TestForum): Promise<void> {
  for (let answered = 0, sent = 0; answered < 10; sent++) {
    assert.ok(sent < 200, 'the service did not come back');
    const response = await fetch(`${forum.url}/v1/briefing`);
    await response.arrayBuffer();
    answered = response.status === 200 ? answered + 1 : 0;
  }
}
