import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Answer, TestAgent } from '../support/agent.ts';
import { eventually } from '../support/waits.ts';
import { withServers } from '../tools/dev/support/servers.ts';
import { LosableServers } from './support/losableServers.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const POST = { title: 't', body: 'b' };
const WRITERS = 12;
/** Longer than the 6 s after which a process abandons a statement. `statement_timeout` does not limit a commit. */
const SLOW_COMMIT = `
  CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('forum.slept', true) IS DISTINCT FROM txid_current()::text THEN
      PERFORM set_config('forum.slept', txid_current()::text, true), pg_sleep(9);
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON write_evidence
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commit_slowly()`;
/** Waits for the commits that are under way. */
const USUAL_COMMIT =
  'SET lock_timeout = 0; SET statement_timeout = 0; DROP TRIGGER slow_commit ON write_evidence; DROP FUNCTION commit_slowly()';

interface Write {
  readonly name: string;
  readonly writer: TestAgent;
  readonly nonce: string;
  readonly answer: Promise<Answer>;
}

/** docs/errors#failed-writes. */
describe('503 of a write', function () {
  this.timeout(120_000);
  let servers: LosableServers;
  let api: ServiceProcess;
  let redis: Redis;
  let operator: TestAgent;
  let ada: TestAgent;
  let ben: TestAgent;
  let cleo: TestAgent;
  let dora: TestAgent;
  let postId: string;
  let removedId: string;

  const newcomer = () => new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);

  before(async () => {
    servers = await LosableServers.start();
    const seed = randomBytes(32);
    api = await startProcess('api', {
      ...servers.env,
      OPERATOR_AGENT_ID: new TestAgent('', Date.now, seed).agentId,
    });
    redis = new Redis(servers.redisUrl);
    operator = await new TestAgent(api.url, Date.now, seed).register('forum-keeper');
    ada = await newcomer();
    [ben, cleo, dora] = [await newcomer(), await newcomer(), await newcomer()];
    postId = (await ada.post('/v1/posts', POST)).body.post.postId;
    removedId = (await cleo.post('/v1/posts', POST)).body.post.postId;
    for (const agent of [ben, dora]) await agent.get('/v1/greeting');
  });
  after(async () => {
    redis.disconnect();
    await api.end('SIGKILL');
    await servers.stop();
  });

  function signedWrite(name: string, writer: TestAgent, path: string, body: object): Write {
    const nonce = randomBytes(16).toString('base64url');
    return { name, writer, nonce, answer: writer.signed('POST', path, { body, nonce }) };
  }

  /**
   * Sends a write in each way that reaches the database: alone, in a transaction, by the operator, and over MCP. The
   * pause gives each its own connection. Two on one connection wait for each other, and the later one is lost when a
   * slow commit ends the connection.
   */
  async function writeInEveryWay(pauseMs = 0): Promise<Write[]> {
    const call = { name: 'create_post', arguments: POST };
    const removal = { action: 'remove_content', targetType: 'post', targetId: removedId, reason: 'A test.' };
    const ways: Parameters<typeof signedWrite>[] = [
      ['post.create', ada, '/v1/posts', POST],
      ['vote.cast', ben, '/v1/votes', { targetId: postId, value: 'up' }],
      ['governance.enforce', operator, '/v1/governance/enforcement', removal],
      ['post.create over MCP', dora, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }],
    ];
    const writes: Write[] = [];
    for (const way of ways) {
      writes.push(signedWrite(...way));
      await setTimeout(pauseMs);
    }
    return writes;
  }

  /** The refusal as REST returns it. For a tool it includes the texts of advice. */
  function refusalOf({ status, body }: Answer): { status: number; body: unknown; advice?: Record<string, unknown> } {
    if (!body.jsonrpc) return { status, body };
    const texts = body.result.content.map(({ text }: { text: string }) => text);
    return { status: body.result.isError ? 503 : 200, body: JSON.parse(texts[0]), advice: JSON.parse(texts.at(-1)) };
  }

  async function assertOutcome({ name, nonce, answer }: Write, outcome: 'none' | 'unknown'): Promise<void> {
    const { headers, ...answered } = await answer;
    const refusal = refusalOf({ headers, ...answered });
    assert.deepEqual([refusal.status, refusal.body], [503, { error: 'unavailable' }], name);
    assert.equal(headers.get('x-svc-outcome'), outcome, name);
    const help = `</docs/operations/${name.split(' ')[0]}>; rel="help"`;
    assert.equal(headers.get('link'), outcome === 'none' ? help : `${help}, </v1/writes/${nonce}>; rel="status"`, name);
    if (!refusal.advice) return;
    assert.equal(refusal.advice.outcome, outcome);
    assert.equal(refusal.advice.retryAfterSeconds, 1);
    assert.equal(refusal.advice.nonce, outcome === 'none' ? undefined : nonce);
    assert.match(
      String(refusal.advice.hint),
      outcome === 'none' ? /^The service stored nothing/ : new RegExp(`get_write.*${nonce}`),
    );
  }

  const reconciled = async ({ writer, nonce }: Write): Promise<number> =>
    (await writer.get(`/v1/writes/${nonce}`)).status;
  /** A separate session, which may hold a lock for as long as it likes. */
  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: servers.databaseUrl });
    client.on('error', () => {});
    await client.connect();
    await client.query('SET idle_in_transaction_session_timeout = 0');
    return client;
  }

  async function withSlowCommits<T>(work: () => Promise<T>): Promise<T> {
    await withServers(servers, (client) => client.query(SLOW_COMMIT));
    try {
      return await work();
    } finally {
      await withServers(servers, (client) => client.query(USUAL_COMMIT));
    }
  }

  it('reports none while Redis does not respond', async () => {
    await redis.call('CLIENT', 'PAUSE', 3_000, 'ALL');
    const writes = await writeInEveryWay();
    for (const write of writes) await assertOutcome(write, 'none');
    await redis.call('CLIENT', 'UNPAUSE');
    await eventually(async () => (await ada.get('/v1/greeting')).body.rateLimits !== undefined);
    for (const write of writes) assert.equal(await reconciled(write), 404, write.name);
  });

  it('reports none if a read before the commit failed', async () => {
    const body = { targetType: 'post', targetId: postId, category: 'spam', details: 'A test.' };
    const client = await connected();
    await client.query('BEGIN; LOCK TABLE posts IN ACCESS EXCLUSIVE MODE');
    const write = signedWrite('report.create', ben, '/v1/reports', body);
    await assertOutcome(write, 'none');
    await client.end();
    assert.equal(await reconciled(write), 404);
  });

  it('says unknown when the commit took too long, and links to where the write is found later', async () => {
    const writes = await withSlowCommits(async () => {
      const sent = await writeInEveryWay(300);
      for (const write of sent) await assertOutcome(write, 'unknown');
      return sent;
    });
    for (const write of writes) {
      await eventually(async () => (await reconciled(write)) === 200, 10_000, write.name);
    }
  });

  it('says unknown of every write of a batch, and of a registration, without a link, since it has no nonce', async () => {
    const stranger = new TestAgent(api.url);
    const body = stranger.registration('stranger');
    const writers = await Promise.all(Array.from({ length: WRITERS }, newcomer));
    for (const writer of writers) assert.equal((await writer.post('/v1/posts/preview', POST)).status, 200);
    const { writes, registered } = await withSlowCommits(async () => {
      const registering = stranger.anonymous('POST', '/v1/agents', { body });
      await setTimeout(300);
      const sent = writers.map((writer) => signedWrite('post.create', writer, '/v1/posts', POST));
      for (const write of sent) await assertOutcome(write, 'unknown');
      return { writes: sent, registered: await registering };
    });
    const { status, headers } = registered;
    assert.deepEqual([status, headers.get('x-svc-outcome')], [503, 'unknown']);
    assert.equal(headers.get('link'), '</docs/operations/agent.register>; rel="help"');
    await eventually(async () => (await ada.get('/v1/agents/stranger')).status === 200);
    for (const write of writes) await eventually(async () => (await reconciled(write)) === 200);
    const nonces = writes.map(({ nonce }) => nonce);
    const TRANSACTIONS =
      'SELECT count(DISTINCT xmin::text)::integer AS count FROM write_receipts WHERE nonce = ANY ($1)';
    const { rows } = await withServers(servers, (client) => client.query(TRANSACTIONS, [nonces]));
    assert.ok(rows[0].count < WRITERS, `${rows[0].count} transactions`);
  });

  it('reports none after the database is gone', async () => {
    const { postgres } = await servers.pids();
    process.kill(postgres, 'SIGINT');
    // Until the process has noticed, it may still send a write on a connection that is already closed.
    const isNoticed = async () => {
      const answers = await Promise.all((await writeInEveryWay()).map(({ answer }) => answer));
      return answers.every(({ headers }) => headers.get('x-svc-outcome') === 'none');
    };
    await eventually(isNoticed);
    for (const write of await writeInEveryWay()) await assertOutcome(write, 'none');
  });
});
