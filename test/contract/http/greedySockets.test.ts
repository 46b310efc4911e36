import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startProcess } from '../../faults/support/processes.ts';
import { TestAgent } from '../../support/agent.ts';
import { wantCalm } from '../../support/calm.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../../support/database.ts';
import { scaleWait } from '../../support/waits.ts';

wantCalm();

const SOCKETS = 120;
const PIPELINED_BYTES = 1_300_000;
const MAX_RSS_MB = 600;
const BOUND_MS = 1_000;
/** Of one probe among many, on machines that run other tests beside this one. */
const WORST_MS = 5_000;
const POSTS = 25;
const WATCHED_MS = 2_000;

/** An API process of its own, so that other load affects neither its memory nor its event loop. */
describe('greedy sockets', function () {
  this.timeout(90_000);
  let database: TestDatabase;
  let api: ServiceProcess;
  let ada: TestAgent;
  let postPath: string;
  const sockets: Socket[] = [];
  before(async () => {
    database = await createDatabase();
    api = await startProcess('api', { DATABASE_URL: database.url, REDIS_URL: (await redisForTest()).url });
    ada = await new TestAgent(api.url).register('ada');
    for (let n = 0; n < POSTS; n++) {
      const { body } = await ada.post('/v1/posts', { title: `t${n}`, body: 'wordy '.repeat(1_000) });
      postPath = `/v1/posts/${body.post.postId}`;
    }
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(async () => {
    await api?.end('SIGTERM');
    await database?.drop();
  });

  function open(): Socket {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  }

  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const peakRssMb = async (): Promise<number> => {
    const status = await readFile(`/proc/${api.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1_024;
  };

  for (const path of ['/v1/search?q=wordy', '/v1/posts', '/']) {
    it(`${SOCKETS} that pipeline ${PIPELINED_BYTES / 1e6} MB of GET ${path} and never read`, async function () {
      if (!existsSync('/proc/self/status')) {
        console.log('        memory is read from /proc, which is not on this machine');
        return this.skip();
      }
      const bytes = Buffer.from(request(path).repeat(Math.ceil(PIPELINED_BYTES / request(path).length)));
      for (let n = 0; n < SOCKETS; n++) open().write(bytes);
      const times: number[] = [];
      const until = performance.now() + WATCHED_MS;
      while (performance.now() < until) {
        const startedAt = performance.now();
        const { status } = await ada.anonymous('GET', postPath);
        times.push(performance.now() - startedAt);
        assert.equal(status, 200);
        await sleep(50);
      }
      times.sort((a, b) => a - b);
      const [median, late, slowest] = [0.5, 0.95, 1].map((share) => times[Math.ceil(share * times.length) - 1]!);
      const rss = await peakRssMb();
      console.log(
        `        others in ${median!.toFixed(0)} ms at the median, ${slowest!.toFixed(0)} ms at worst; at most ${rss.toFixed(0)} MB`,
      );
      assert.ok(late! < scaleWait(BOUND_MS) && slowest! < scaleWait(WORST_MS), `${late} ms and ${slowest} ms`);
      assert.ok(rss < MAX_RSS_MB, `${rss} MB`);
    });
  }

  it('a thousand clients that keep their connections are all answered', async () => {
    const ask = async (socket: Socket) => {
      for (const path of ['/health', postPath, '/health']) {
        socket.write(request(path));
        let answer = '';
        while (!/\r\n\r\n.*\}$/s.test(answer)) answer += (await once(socket, 'data'))[0];
        assert.match(answer, /^HTTP\/1\.1 200/, path);
        assert.doesNotMatch(answer, /connection: close/i);
      }
    };
    await Promise.all(Array.from({ length: 1_000 }, () => ask(open())));
  });
});
