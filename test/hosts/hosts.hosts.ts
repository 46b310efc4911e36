import assert from 'node:assert/strict';
import { copyTree, type Tree } from '../releases/support/trees.ts';
import { eventually } from '../support/waits.ts';
import { audit } from './support/audit.ts';
import { HostsStage } from './support/stage.ts';

const STEP_MS = 2_000;
/**
 * The services send their packets again 13 s and 26 s after a cut, even if the process has ended. The connection
 * returns between the two, so that packets arrive when no process expects them any more.
 */
const CUT_MS = 18_000;
const ARRIVES_MS = 12_000;

describe('two API hosts and two worker hosts under load', function () {
  this.timeout(240_000);
  let stage: HostsStage;
  before(async () => {
    stage = await HostsStage.open();
    await stage.crowd.gather();
  });
  after(() => stage?.close());
  beforeEach(async () => {
    stage.caller.takeTally();
    stage.begin();
    await stage.act(STEP_MS);
  });
  /** No acknowledged write is lost or doubled, and no caller got an unexpected response. */
  afterEach(async () => {
    await stage.settle();
    console.log(`      ${JSON.stringify(stage.caller.takeTally())}`);
    stage.caller.expectsUnavailable = false;
    const problems = stage.caller.problems.splice(0);
    if (problems.length > 0) console.log(problems.join('\n'));
    assert.deepEqual(problems, []);
    await audit(stage);
  });

  const warningsOf = async (name: string): Promise<{ status: number; warnings: string[] }> => {
    const answer = await fetch(`${stage.of(name).process.opsUrl}/ready`);
    const { warnings } = (await answer.json()) as { warnings: string[] };
    return { status: answer.status, warnings };
  };

  it('all are restarted, one after another', async () => {
    for (const name of ['api1', 'worker1', 'api2', 'worker2']) {
      await stage.stop(stage.of(name));
      await stage.act(STEP_MS / 2);
      await stage.start(name);
      await stage.act(STEP_MS);
    }
  });

  describe('and a release', () => {
    let next: Tree;
    before(async () => {
      next = await copyTree();
      // A release with another schema of functions, although the functions do the same.
      const gate = 'src/recording/sql/enter_write.sql';
      await next.edit(gate, 'CREATE FUNCTION', '-- Of the release that comes after this one.\nCREATE FUNCTION');
    });
    after(() => next?.remove());

    it('goes out host by host, the new beside the old', async () => {
      await stage.migrate(next.root);
      for (const name of ['api1', 'worker1', 'api2', 'worker2']) {
        const old = stage.of(name);
        const port = 8_081;
        await stage.start(name, { root: next.root, port });
        await stage.act(STEP_MS);
        await stage.stop(old);
        await stage.act(STEP_MS);
      }
    });
  });

  it('an API host is lost', async () => {
    const lost = await stage.lose('api1');
    await stage.act(5 * STEP_MS);
    await stage.returned('api1', lost);
    await stage.start('api1');
    await stage.act(STEP_MS);
  });

  it('a worker host is lost', async () => {
    const lost = await stage.lose('worker1');
    await stage.act(5 * STEP_MS);
    await stage.returned('worker1', lost);
    await stage.start('worker1');
    await stage.act(STEP_MS);
  });

  it('the replica is lost, and a new one takes its place', async () => {
    await eventually(async () => (await warningsOf('api1')).warnings.length === 0);
    await stage.hosts.replica!.plug(false);
    await stage.replica.kill();
    await stage.act(3 * STEP_MS);
    await eventually(async () => (await warningsOf('api1')).warnings.join().includes('replica: '));
    await stage.hosts.replica!.plug(true);
    await stage.renewReplica();
    await stage.act(STEP_MS);
    await eventually(async () => (await warningsOf('api1')).warnings.length === 0, 20_000);
  });

  it('a Redis node is lost, and its replica takes over', async () => {
    // Until then, a third of the agents cannot write. No read fails.
    await stage.redis.loseMaster(0);
    await stage.act(2 * STEP_MS);
    await stage.redis.bringBack(0);
    await stage.act(STEP_MS);
  });

  it('an API host cannot reach PostgreSQL', async () => {
    stage.caller.expectsUnavailable = true;
    const { api1, primary } = stage.hosts;
    await api1!.cutFrom(primary!);
    await stage.act(CUT_MS);
    assert.equal((await warningsOf('api1')).status, 503);
    await api1!.reunite(primary!);
    await eventually(async () => (await warningsOf('api1')).status === 200, 30_000);
    await stage.act(ARRIVES_MS);
  });

  it('a worker host cannot reach PostgreSQL', async () => {
    const { worker1, primary } = stage.hosts;
    await worker1!.cutFrom(primary!);
    await stage.act(CUT_MS);
    await worker1!.reunite(primary!);
    await stage.act(2 * STEP_MS);
  });

  for (const clockOff of ['+300s', '-420s']) {
    it(`the clock of a host is off by ${clockOff}`, async () => {
      for (const name of ['api2', 'worker2']) {
        await stage.stop(stage.of(name));
        await stage.start(name, { clockOff });
      }
      await stage.act(2 * STEP_MS);
      const { status, warnings } = await warningsOf('api2');
      const off = Number(clockOff.slice(0, -1)) * 1_000;
      assert.equal(status, 200);
      const told = Number(/^the clock of this host is off by (-?\d+) ms$/.exec(warnings.join())?.[1]);
      assert.ok(Math.abs(told - off) < 1_000, warnings.join());
      const { url } = stage.of('api2').process;
      const date = Date.parse((await fetch(`${url}/v1/greeting`)).headers.get('date')!);
      assert.ok(Math.abs(date - Date.now()) < 2_500, 'the header has the time of the database');
      for (const name of ['api2', 'worker2']) {
        await stage.stop(stage.of(name));
        await stage.start(name);
      }
    });
  }
});
