// `npm run bench:costs`: measures what a write costs the API, PostgreSQL and the worker, in microseconds of CPU, with
// 32 callers (`-- 16` sets another number). Replies and votes go to one thread, then to 200. TEST_DATABASE_URL names a
// server instead of the embedded one.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Run } from './children/answering.ts';
import { newPost } from './content.ts';
import { databaseTicks, TICK_MS, ticksBetween } from './readCosts.ts';
import type { Call } from './scenario.ts';
import { startWorker } from './scenarios/inbox.ts';
import { CONCURRENCY, startStage } from './stage.ts';

const CALLS = 1_500;
const ROUNDS = 3;
const TARGETS = 200;

const concurrency = Number(process.argv[2] ?? CONCURRENCY);
const stage = await startStage();
const worker = await startWorker(stage);
const client = new pg.Client({ connectionString: stage.database.url });
await client.connect();
try {
  const post = (signer: number): Call => ({
    method: 'POST',
    path: '/v1/posts',
    body: JSON.stringify(newPost()),
    signer,
  });
  await stage.send(
    Array.from({ length: TARGETS }, (_, n) => post(n)),
    201,
  );
  const { rows } = await client.query<{ post_id: string }>('SELECT post_id FROM posts ORDER BY post_id LIMIT $1', [
    TARGETS,
  ]);
  const targets = rows.map((row) => row.post_id);
  let voted = 0;
  const reply = (n: number, postId: string): Call => {
    return {
      method: 'POST',
      path: `/v1/posts/${postId}/replies`,
      body: JSON.stringify({ body: newPost().body }),
      signer: n,
    };
  };
  // A vote changes each time, so that it is never a free repetition.
  const vote = (n: number, targetId: string): Call => {
    const value = (voted++ / CALLS) % 2 < 1 ? 'up' : 'down';
    return { method: 'POST', path: '/v1/votes', body: JSON.stringify({ targetId, value }), signer: n };
  };
  const question = (n: number): Call => {
    return { method: 'POST', path: '/v1/questions', body: JSON.stringify(newPost()), signer: n };
  };
  const own = (n: number) => targets[n % TARGETS]!;
  await measure('post', 201, post);
  await measure('reply, one thread', 201, (n) => reply(n, targets[0]!));
  await measure('reply, 200 threads', 201, (n) => reply(n, own(n * 7)));
  await measure('vote, one post', 200, (n) => vote(n, targets[1]!));
  await measure('vote, 200 posts', 200, (n) => vote(n, own(n * 7)));
  await measure('question', 201, question);
} finally {
  await client.end();
  await worker.stop();
  await stage.stop();
}

async function measure(what: string, status: number, call: (n: number) => Call): Promise<void> {
  const costs: number[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const calls = Array.from({ length: CALLS }, (_, n) => ({ ...call(n), signer: n % stage.agents.length }));
    await stage.load.ask('prepare', { url: stage.api.url, calls, times: 1, concurrency, status });
    await delivered();
    const before = await used();
    const startedAt = performance.now();
    await stage.load.ask<Run>('run');
    const seconds = (performance.now() - startedAt) / 1_000;
    await delivered();
    const after = await used();
    const database = ticksBetween(before.database, after.database) * TICK_MS * 1_000;
    const workers = after.worker - before.worker;
    // The first round is the warm-up.
    if (round > 0)
      costs.push([after.api - before.api, database, workers].map((each) => each / CALLS).concat(CALLS / seconds));
  }
  const [api, database, workers, rate] = [0, 1, 2, 3].map((n) => median(costs.map((each) => each[n]!)));
  console.log(
    `${what.padEnd(20)} API ${api!.toFixed(0)}, PostgreSQL ${database!.toFixed(0)}, worker ${workers!.toFixed(0)} µs; ${rate!.toFixed(0)} a second`,
  );
}

async function used() {
  const [api, background] = await Promise.all([stage.api.cpuMicroseconds(), worker.cpuMicroseconds()]);
  return { api, worker: background, database: await databaseTicks(client) };
}

async function delivered(): Promise<void> {
  while ((await client.query('SELECT FROM outbox LIMIT 1')).rows.length > 0) await sleep(50);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
