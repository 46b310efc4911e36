import assert from 'node:assert/strict';
import { eventually } from '../support/waits.ts';
import { isAlive } from '../tools/dev/support/servers.ts';
import { LosableServers } from './support/losableServers.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const REQUESTS = 200;
/** Longer than the interval in which refused requests are counted before a line reports them. */
const REPORTED_MS = 15_000;

interface Line {
  readonly msg: string;
  readonly reason?: string;
  readonly requests?: number;
}

describe('an API without PostgreSQL', function () {
  this.timeout(60_000);
  let servers: LosableServers;
  let api: ServiceProcess;
  before(async () => {
    servers = await LosableServers.start();
    api = await startProcess('api', servers.env);
    const { postgres } = await servers.pids();
    process.kill(postgres, 'SIGINT');
    await eventually(async () => !(await isAlive(postgres)));
  });
  after(async () => {
    await api?.end('SIGKILL');
    await servers?.stop();
  });

  const lines = (): Line[] =>
    api
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);

  it('reports refused requests in a few lines with their number and without a stack', async () => {
    let refused = 0;
    for (let sent = 0; sent < REQUESTS; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => fetch(`${api.url}/v1/posts?limit=${1 + n}`)),
      );
      refused += answers.filter(({ status }) => status === 503).length;
    }
    assert.equal(refused, REQUESTS);
    const reports = () => lines().filter(({ msg }) => msg === 'requests refused');
    const counted = () => reports().reduce((sum, { requests }) => sum + requests!, 0);
    // Concurrent requests for the same data share one statement, so they count as one failure.
    await eventually(async () => counted() > REQUESTS / 20 && reports().length > 1, REPORTED_MS);
    assert.ok(reports().length < 20, String(reports().length));
    for (const { reason } of reports()) assert.match(reason!, /^PostgreSQL: connection (?:refused|lost)$/);
    assert.deepEqual(
      lines().filter(({ msg }) => msg === 'fault'),
      [],
    );
  });

  it('says at /ready why PostgreSQL cannot be used, without its address', async () => {
    const answer = await fetch(`${api.opsUrl}/ready`);
    const { checks } = (await answer.json()) as { checks: { postgres: string } };
    assert.deepEqual([answer.status, checks.postgres], [503, 'unavailable: connection refused']);
  });
});
