import { redisForTest } from '../../support/database.ts';
import { Child } from '../child.ts';
import type { Delivered, DeliveryOrder } from '../children/delivery.ts';
import { newPost } from '../content.ts';
import type { TargetResult, VariantResult } from '../measure.ts';
import type { OwnScenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const REPLIES_PER_SECOND = 500;
const WARM_UP_SECONDS = 2;
const SECONDS = 8;
const POSTS = 128;
const AT_MOST_MS = 50;
/** The relay polls more rarely after a silence. */
const IDLE_AT_MOST_MS = 100;

/** Measures from an accepted reply to its notification, at 500 writes per second that all go to one inbox. */
export const inbox: OwnScenario = {
  name: 'inbox.delivery',
  title: 'Reply accepted → pointer visible',
  measure: async (stage) => {
    const worker = await startWorker(stage);
    const load = await Child.start('children/delivery.ts');
    try {
      const order = await orderOf(stage);
      await load.ask<Delivered>('deliver', { ...order, seconds: WARM_UP_SECONDS });
      const watched = async (more: Partial<DeliveryOrder>) => {
        const before = await worker.cpuMicroseconds();
        const run = await load.ask<Delivered>('deliver', { ...order, ...more });
        return { ...run, cpu: ((await worker.cpuMicroseconds()) - before) / run.calls };
      };
      const steady = await watched({});
      const idle = await watched({ repliesPerSecond: 2 });
      return {
        name: 'inbox.delivery',
        title: 'Reply accepted → pointer visible',
        variants: [
          resultOf('steady', 'steady rate; CPU of relay and worker', steady),
          resultOf('idle', 'each after half a second of silence', idle),
        ],
        targets: [
          targetOf(`99th percentile in milliseconds at ${REPLIES_PER_SECOND} replies a second`, steady, AT_MOST_MS),
          targetOf('the slowest after a silence, in milliseconds', idle, IDLE_AT_MOST_MS),
          ...[steady, idle].flatMap(targetOfMissing),
        ],
      };
    } finally {
      await load.stop();
      await worker.stop();
    }
  },
};

const resultOf = (name: string, title: string, run: Delivered & { cpu: number }): VariantResult => ({
  name,
  title,
  callsPerSecond: Math.round(run.calls / run.seconds),
  cpuMicrosecondsPerCall: Number(run.cpu.toFixed(1)),
  medianMs: Number(run.median.toFixed(2)),
  percentile99Ms: Number(run.percentile99.toFixed(2)),
});

const targetOf = (title: string, { percentile99 }: Delivered, atMost: number): TargetResult => ({
  title,
  ratio: Number(percentile99.toFixed(1)),
  bound: `at most ${atMost}`,
  met: percentile99 <= atMost,
});

/** Reported only if notifications are missing. Times depend on the machine, but a lost notification is a defect. */
function targetOfMissing({ missing, waiting }: Delivered): TargetResult[] {
  if (missing === 0) return [];
  const title = `notifications that had not come 10 s after the last that did, with ${waiting} events in the outbox`;
  return [{ title, ratio: missing, bound: 'at most 0', met: false }];
}

export async function startWorker(stage: Stage): Promise<Child> {
  const env = {
    DATABASE_URL: stage.database.url,
    REDIS_URL: (await redisForTest()).url,
    LOG_LEVEL: 'warn',
    OPS_PORT: '0',
  };
  return Child.startService('workers/main', { env });
}

/** The posts of one agent, to which all others reply. */
export async function orderOf(stage: Stage): Promise<DeliveryOrder> {
  const posts = Array.from({ length: POSTS }, () => JSON.stringify(newPost()));
  await stage.send(
    posts.map((body) => ({ method: 'POST', path: '/v1/posts', body, signer: 0 })),
    201,
  );
  const [recipient, ...others] = stage.agents;
  const { rows } = await stage.database.pool.query<{ post_id: string }>(
    'SELECT post_id FROM posts WHERE author_id = $1 ORDER BY post_id DESC LIMIT $2',
    [recipient!.agentId, POSTS],
  );
  return {
    url: stage.api.url!,
    databaseUrl: stage.database.url,
    keys: others.map(({ keys }) => keys),
    postIds: rows.map((row) => row.post_id),
    recipientId: recipient!.agentId,
    repliesPerSecond: REPLIES_PER_SECOND,
    seconds: SECONDS,
  };
}
