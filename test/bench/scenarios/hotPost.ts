import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../child.ts';
import type { Stream, StreamResult, TrafficOrder } from '../children/traffic.ts';
import { newPost } from '../content.ts';
import { indexAll } from '../dataset.ts';
import type { TargetResult, VariantResult } from '../measure.ts';
import type { Call, OwnScenario } from '../scenario.ts';
import { CONCURRENCY, type Stage } from '../stage.ts';

const ROUNDS = 3;
const SECONDS = 4;
const WARM_UP_SECONDS = 2;
/** The votes per second offered to one post, over as many connections as voters may wait. */
const OFFERED = 150;
const VOTERS = 100;
const OTHER_POSTS = 200;
/** The number of posts that a search covers. */
const SEARCHED_POSTS = 20_000;
const MOST_VOTES_A_SECOND = 4_000;
const MOST_OF_ONE_CLIENT = 1_000;

/** Votes on one post at the highest rate, and the capacity left for other requests during a steady stream of votes. */
export const hotPost: OwnScenario = {
  name: 'vote.hot',
  title: 'Votes on one post',
  measure: async (stage) => {
    await fillSearch(stage);
    const [hot, ...others] = await postIds(stage);
    const votes = new Votes(stage.agents.length);
    const signed = (count: number, targets: readonly string[]) => votes.calls(count, targets);
    const load = await Child.start('children/traffic.ts');
    const offering = await Child.start('children/traffic.ts');
    const keys = stage.agents.map((agent) => agent.keys);
    await load.ask('agents', keys);
    await offering.ask('agents', keys);
    const run = async (child: Child, stream: Stream, seconds = SECONDS): Promise<StreamResult> => {
      const order: TrafficOrder = { url: stage.api.url!, seconds, streams: [stream] };
      return (await child.ask<StreamResult[]>('traffic', order))[0]!;
    };
    const closed = (name: string, calls: readonly Call[], connections = CONCURRENCY) => ({ name, calls, connections });
    const elsewhere = () => closed('elsewhere', signed(MOST_OF_ONE_CLIENT * SECONDS, others), 1);
    const search = () => closed('search', [{ method: 'GET', path: '/v1/search?q=zyzzyva' }], 1);
    const beside = async (stream: Stream, perSecond?: number) => {
      const calls = signed((perSecond ?? MOST_VOTES_A_SECOND) * (SECONDS + 2), [hot!]);
      const pace = perSecond === undefined ? {} : { perSecond };
      const offer = run(offering, { name: 'offered', calls, connections: VOTERS, ...pace }, SECONDS + 2);
      await sleep(1_000);
      const result = await run(load, stream);
      return { result, offered: await offer };
    };
    /** Alternately, so that other work on the machine affects both. The round with the median share counts. */
    const compared = async (stream: () => Stream) => {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) {
        const alone = await run(load, stream());
        const { result, offered } = await beside(stream(), OFFERED);
        rounds.push({ alone, result, offered, share: result.rate / alone.rate });
      }
      return rounds.toSorted((one, other) => one.share - other.share)[Math.floor(ROUNDS / 2)]!;
    };
    try {
      await run(load, closed('warm', signed(MOST_VOTES_A_SECOND * WARM_UP_SECONDS, others)), WARM_UP_SECONDS);
      const cpuBefore = await stage.api.cpuMicroseconds();
      const alone = await run(load, closed('hot', signed(MOST_VOTES_A_SECOND * SECONDS, [hot!])));
      const cpu = ((await stage.api.cpuMicroseconds()) - cpuBefore) / (alone.rate * SECONDS);
      const voted = await compared(elsewhere);
      const searched = await compared(search);
      const votedAtMost = await beside(elsewhere());
      const searchedAtMost = await beside(search());
      return {
        name: 'vote.hot',
        title: 'Votes on one post',
        variants: [
          variant('hot', `votes on one post, ${CONCURRENCY} clients`, alone, cpu),
          variant('elsewhere', 'votes elsewhere, one client', voted.alone),
          variant('elsewhereBeside', `… beside ${OFFERED}/s on one post`, voted.result),
          variant('elsewhereBesideAll', `… beside ${VOTERS} voters on one post`, votedAtMost.result),
          variant('search', 'searches, one client', searched.alone),
          variant('searchBeside', `… beside ${OFFERED}/s on one post`, searched.result),
          variant('searchBesideAll', `… beside ${VOTERS} voters on one post`, searchedAtMost.result),
          variant('offered', `the ${OFFERED}/s offered`, voted.offered),
        ],
        targets: [
          target('votes elsewhere beside ÷ alone', voted.share, 0.5),
          target('searches beside ÷ alone', searched.share, 1 / 3),
        ],
      };
    } finally {
      await load.stop();
      await offering.stop();
    }
  },
};

/** Every vote changes something: an agent's second vote on a target reverses the first. */
class Votes {
  readonly #agents: number;
  readonly #cast = new Map<string, number>();
  #next = 0;

  constructor(agents: number) {
    this.#agents = agents;
  }

  calls(count: number, targets: readonly string[]): Call[] {
    return Array.from({ length: count }, () => {
      const n = this.#next++;
      const signer = n % this.#agents;
      const targetId = targets[Math.floor(n / this.#agents) % targets.length]!;
      const key = `${signer} ${targetId}`;
      const times = this.#cast.get(key) ?? 0;
      this.#cast.set(key, times + 1);
      const body = JSON.stringify({ targetId, value: times % 2 === 0 ? 'up' : 'down' });
      return { method: 'POST', path: '/v1/votes', body, signer };
    });
  }
}

/** Creates posts of many authors, so that the karma of one author is no bottleneck. The first is the hot post. */
async function postIds(stage: Stage): Promise<string[]> {
  const calls = Array.from({ length: OTHER_POSTS + 1 }, (_, signer): Call => {
    return { method: 'POST', path: '/v1/posts', body: JSON.stringify(newPost()), signer };
  });
  await stage.send(calls, 201);
  const { rows } = await stage.database.pool.query<{ post_id: string }>(
    'SELECT post_id FROM posts ORDER BY post_id DESC LIMIT $1',
    [calls.length],
  );
  return rows.map((row) => row.post_id);
}

async function fillSearch({ database, agents }: Stage): Promise<void> {
  await database.pool.query(
    `WITH made AS (
       INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
       SELECT 'p_000' || lpad(i::text, 22, '0'), $1, 'post', false, 'Notes ' || md5(i::text),
              repeat(md5((i * 7)::text) || ' ', 18) || CASE WHEN i % 5000 = 7 THEN 'zyzzyva' ELSE '' END, now()
       FROM generate_series(1, $2::integer) i RETURNING *
     ), states AS (INSERT INTO post_states (post_id) SELECT post_id FROM made)
     INSERT INTO search_waiting (post_id) SELECT post_id FROM made`,
    [agents[0]!.agentId, SEARCHED_POSTS],
  );
  await indexAll(database.url);
  await database.pool.query('VACUUM ANALYZE posts, post_states');
}

const variant = (name: string, title: string, result: StreamResult, cpu = 0): VariantResult => ({
  name,
  title: refused(result) === 0 ? title : `${title} (${refused(result)} refused)`,
  callsPerSecond: Math.round(result.rate),
  cpuMicrosecondsPerCall: Math.round(cpu),
  medianMs: Number(result.median.toFixed(2)),
  percentile99Ms: Number(result.percentile99.toFixed(2)),
});

const refused = ({ statuses }: StreamResult): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (Number(status) >= 400 ? count : 0), 0);

const target = (title: string, ratio: number, atLeast: number): TargetResult => ({
  title,
  ratio: Number(ratio.toFixed(2)),
  bound: `at least ${atLeast.toFixed(2)}`,
  met: ratio >= atLeast,
});
