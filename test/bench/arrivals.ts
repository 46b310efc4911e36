// `npm run bench:arrivals`: sends requests at a fixed rate, whether or not earlier ones were answered, and raises the
// rate until the service falls behind. It measures replies alone, from the response to the notification in one inbox,
// then the mix of a day. Latency counts from the moment a request was due. TEST_DATABASE_URL names a server instead of
// the embedded one.
import { cpus } from 'node:os';
import { Child } from './child.ts';
import type { Run } from './children/answering.ts';
import type { Stream, StreamResult } from './children/traffic.ts';
import { newPost } from './content.ts';
import type { Call } from './scenario.ts';
import { orderOf, startWorker } from './scenarios/inbox.ts';
import { type Stage, startStage } from './stage.ts';

const WARM_UP_SECONDS = 3;
const SECONDS = 8;
const RATES = [250, 500, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000];
/** Requests of each kind in a hundred. Reads are anonymous. */
const MIX = { posts: 2, replies: 10, votes: 10, reads: 78 } as const;
/** The most concurrent requests of one kind. Later requests are delayed, and the delay counts as latency. */
const CONNECTIONS = 64;
const TARGETS = 500;
/** The service falls behind if it accepts a smaller share in time, or if the 99th percentile is longer. */
const KEPT_UP = 0.95;
const BENT_MS = 1_000;

const stage = await startStage();
const worker = await startWorker(stage);
try {
  // Run first: the mix leaves the worker with a backlog of texts to index, leaves of the log and sums.
  await measureDelivery();
  await measureMix();
} finally {
  await worker.stop();
  await stage.stop();
}

async function measureDelivery(): Promise<void> {
  const order = await orderOf(stage);
  const title = `\n${'replies a second'.padEnd(18)}${'sent'.padEnd(8)}${'CPU of API, worker, of all'.padEnd(28)}`;
  console.log(`${title}median / 99th ms from answer to notification`);
  for (const repliesPerSecond of RATES.slice(1)) {
    const load = await Child.start('children/delivery.ts');
    const cpuOfBoth = () => Promise.all([stage.api, worker].map((each) => each.cpuMicroseconds()));
    const before = [await cpuOfBoth(), machineTimes()] as const;
    const run = await load.ask<Run>('deliver', { ...order, repliesPerSecond, seconds: SECONDS });
    const after = [await cpuOfBoth(), machineTimes()] as const;
    await load.stop();
    const rate = run.calls / run.seconds;
    const shares = after[0].map((each, n) => `${((each - before[0][n]!) / (run.seconds * 10_000)).toFixed(0)} %`);
    const used = [...shares, `${busyBetween(before[1], after[1]).toFixed(0)} %`].join(', ');
    console.log(`${String(repliesPerSecond).padEnd(18)}${rate.toFixed(0).padEnd(8)}${used.padEnd(28)}${spread(run)}`);
    if (rate < repliesPerSecond * KEPT_UP || run.percentile99 > BENT_MS) break;
  }
}

async function measureMix(): Promise<void> {
  const load = await Child.start('children/traffic.ts');
  await load.ask(
    'agents',
    stage.agents.map(({ keys }) => keys),
  );
  const targets = await writeTargets(stage);
  const kinds = Object.keys(MIX) as (keyof typeof MIX)[];
  console.log(`\n${'a second'.padEnd(10)}${'accepted'.padEnd(10)}${'CPU of API, of all'.padEnd(20)}median / 99th ms`);
  let sent = 0;
  const arrive = async (rate: number, seconds: number) => {
    const streams = kinds.map((kind) => streamOf(kind, (rate * MIX[kind]) / 100, { seconds, targets, first: sent }));
    sent += rate * seconds;
    return load.ask<StreamResult[]>('traffic', { url: stage.api.url!, seconds, streams });
  };
  await arrive(RATES[0]!, WARM_UP_SECONDS);
  for (const rate of RATES) {
    const before = [await stage.api.cpuMicroseconds(), machineTimes()] as const;
    const results = await arrive(rate, SECONDS);
    const cpu = ((await stage.api.cpuMicroseconds()) - before[0]) / (SECONDS * 10_000);
    const used = `${cpu.toFixed(0)} %, ${busyBetween(before[1], machineTimes()).toFixed(0)} %`;
    const accepted = results.reduce((sum, each) => sum + each.rate, 0);
    const latencies = results.map((each) => `${each.name} ${spread(each)}`).join('  ');
    const refused = results.flatMap(({ statuses }) => Object.entries(statuses).filter(([status]) => status >= '400'));
    const turnedAway = refused.map(([status, count]) => `  ${count} × ${status}`).join('');
    console.log(
      `${String(rate).padEnd(10)}${accepted.toFixed(0).padEnd(10)}${used.padEnd(20)}${latencies}${turnedAway}`,
    );
    if (accepted < rate * KEPT_UP || results.some(({ percentile99 }) => percentile99 > BENT_MS)) break;
  }
  await load.stop();
}

/** The time of all processors so far, used by any process. It shows when the machine, not the service, is the limit. */
function machineTimes(): { whole: number; idle: number } {
  const times = cpus().map((each) => each.times);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return { whole: sum(times.flatMap((each) => Object.values(each))), idle: sum(times.map((each) => each.idle)) };
}

/** In percent of all processors. */
function busyBetween(before: { whole: number; idle: number }, after: { whole: number; idle: number }): number {
  return 100 * (1 - (after.idle - before.idle) / (after.whole - before.whole));
}

function spread({ median, percentile99 }: Pick<Run, 'median' | 'percentile99'>): string {
  return `${median.toFixed(1)} / ${percentile99.toFixed(1)}`;
}

/** Creates posts as targets of replies, votes and reads. Their authors send nothing else. Returns the ids. */
async function writeTargets({ agents, floorAgents, database, send }: Stage): Promise<string[]> {
  await send(
    Array.from({ length: TARGETS }, (_, index) =>
      write('/v1/posts', newPost(), agents.length + (index % floorAgents.length)),
    ),
    201,
  );
  const { rows } = await database.pool.query<{ post_id: string }>('SELECT post_id FROM posts LIMIT $1', [TARGETS]);
  return rows.map((row) => row.post_id);
}

function write(path: string, body: object, signer: number): Call {
  return { method: 'POST', path, body: JSON.stringify(body), signer };
}

/** The stream of one kind. `first` is the number of requests already sent. */
function streamOf(
  kind: keyof typeof MIX,
  perSecond: number,
  { seconds, targets, first }: { seconds: number; targets: readonly string[]; first: number },
): Stream {
  const target = (index: number) => targets[(index * 7 + Math.floor(index / targets.length)) % targets.length]!;
  const calls: Readonly<Record<typeof kind, (index: number) => Call>> = {
    posts: (index) => write('/v1/posts', newPost(), index % stage.agents.length),
    replies: (index) =>
      write(`/v1/posts/${target(index)}/replies`, { body: newPost().body }, index % stage.agents.length),
    // After every agent has voted on every target, votes change direction.
    votes: (index) =>
      write('/v1/votes', { targetId: target(index), value: index % 3 ? 'up' : 'down' }, index % stage.agents.length),
    reads: (index) => ({
      method: 'GET',
      path: [
        '/v1/posts',
        `/v1/posts/${target(index)}`,
        `/v1/agents/${stage.agents[index % stage.agents.length]!.handle}`,
      ][index % 3]!,
    }),
  };
  const count = kind === 'reads' ? TARGETS * 3 : Math.ceil(perSecond * seconds);
  return {
    name: kind,
    perSecond,
    connections: CONNECTIONS,
    calls: Array.from({ length: count }, (_, index) => calls[kind](first + index)),
  };
}
