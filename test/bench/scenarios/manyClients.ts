import { Child } from '../child.ts';
import type { Stream, StreamResult, TrafficOrder } from '../children/traffic.ts';
import { newPost } from '../content.ts';
import type { TargetResult, VariantResult } from '../measure.ts';
import type { Call, OwnScenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const SECONDS = 8;
const WARM_UP_SECONDS = 3;
/** Clients of each kind, a thousand in all. */
const [POSTING, VOTING, READING] = [300, 300, 400];
const MOST_A_SECOND = 2_500;
const TARGETS = 500;
const ANSWERED_MS = 1_000;
/** The pause that `Retry-After: 1` asks for. */
const PAUSE_MS = 1_000;
const MOST_MEGABYTES = 600;

/** A thousand clients at once, each with one request under way. Measures refusals and waiting times. */
export const manyClients: OwnScenario = {
  name: 'clients.thousand',
  title: 'A thousand clients',
  measure: async (stage) => {
    const load = await Child.start('children/traffic.ts');
    await load.ask(
      'agents',
      stage.agents.map(({ keys }) => keys),
    );
    try {
      const [warming, streams] = [await streamsOf(stage, WARM_UP_SECONDS), await streamsOf(stage, SECONDS)];
      await load.ask('traffic', { url: stage.api.url!, seconds: WARM_UP_SECONDS, streams: warming });
      const order: TrafficOrder = { url: stage.api.url!, seconds: SECONDS, streams };
      const before = await stage.api.cpuMicroseconds();
      const results = await load.ask<StreamResult[]>('traffic', order);
      const cpu = (await stage.api.cpuMicroseconds()) - before;
      const megabytes = (await stage.api.ask<number>('peakMemory')) / 1_024;
      const accepted = results.reduce((sum, { rate }) => sum + rate * SECONDS, 0);
      const refused = (name: string) => results.find((each) => each.name === name)!.statuses['503'] ?? 0;
      const slowest = Math.max(...results.map(({ percentile99 }) => percentile99));
      return {
        name: 'clients.thousand',
        title: 'A thousand clients',
        variants: results.map((result) => variant(result, cpu / accepted)),
        targets: [
          target('reads turned away', refused('reads'), 0),
          target('99th percentile of the slowest kind, in milliseconds', slowest, ANSWERED_MS),
          target('most memory, in megabytes', megabytes, MOST_MEGABYTES),
        ],
      };
    } finally {
      await load.stop();
    }
  },
};

/** Votes go to posts of their own, so that every vote is a new one. */
async function streamsOf(stage: Stage, seconds: number): Promise<Stream[]> {
  const signer = (index: number) => index % stage.agents.length;
  const post = (index: number): Call => {
    return { method: 'POST', path: '/v1/posts', body: JSON.stringify(newPost()), signer: signer(index) };
  };
  await stage.send(
    Array.from({ length: TARGETS }, (_, index) => post(index)),
    201,
  );
  const { rows } = await stage.database.pool.query<{ post_id: string }>(
    'SELECT post_id FROM posts ORDER BY post_id DESC LIMIT $1',
    [TARGETS],
  );
  const targets = rows.map((row) => row.post_id);
  const vote = (index: number): Call => {
    // Another target for each voter and each of its votes.
    const targetId = targets[(signer(index) * 13 + Math.floor(index / stage.agents.length)) % TARGETS]!;
    return {
      method: 'POST',
      path: '/v1/votes',
      body: JSON.stringify({ targetId, value: 'up' }),
      signer: signer(index),
    };
  };
  const most = Array.from({ length: (MOST_A_SECOND * seconds) / 2 }, (_, index) => index);
  const reads = targets.flatMap((id): Call[] => [
    { method: 'GET', path: `/v1/posts/${id}` },
    { method: 'GET', path: '/v1/posts' },
  ]);
  return [
    { name: 'posts', calls: most.map(post), connections: POSTING, pauseMs: PAUSE_MS },
    { name: 'votes', calls: most.map(vote), connections: VOTING, pauseMs: PAUSE_MS },
    { name: 'reads', calls: reads, connections: READING, pauseMs: PAUSE_MS },
  ];
}

const variant = ({ name, statuses, rate, median, percentile99 }: StreamResult, cpu: number): VariantResult => ({
  name,
  title: `${name}: ${Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')}`,
  callsPerSecond: Math.round(rate),
  cpuMicrosecondsPerCall: Math.round(cpu),
  medianMs: Number(median.toFixed(1)),
  percentile99Ms: Number(percentile99.toFixed(1)),
});

const target = (title: string, ratio: number, atMost: number): TargetResult => ({
  title,
  ratio: Math.round(ratio),
  bound: `at most ${atMost}`,
  met: ratio <= atMost,
});
