// `npm run bench:crowds`: thousands of agents vote on one post, reply to it, join one community or leave it. They
// arrive at once or at several rates, and repeat until accepted, with one API process and with two. Prints waiting
// times and refusals, and compares the counts with the rows. `--agents 2000` sets the number of agents; names choose
// the requests. TEST_DATABASE_URL names a server instead of the embedded one.
import { parseArgs } from 'node:util';
import { verify } from '../../src/ops/verify.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { Child } from './child.ts';
import type { CrowdOrder, CrowdResult } from './children/crowd.ts';
import { newPost } from './content.ts';
import type { Call } from './scenario.ts';
import { registerAgents, type Stage, startStage } from './stage.ts';

/** Arrivals per second. The last entry: all at once. */
const RATES = [250, 500, 1_000, 2_000, undefined];
const PATIENCE_MS = 60_000;
/** `longest` ends when an agent was accepted, `answer` when one of its requests was answered. */
const COLUMNS = ['arrive/s', 'done/s', 'p50 ms', 'p99 ms', 'longest', 'answer', 'tries'] as const;
const HEAD = `${COLUMNS.map((title) => title.padStart(9)).join('')}  answers`;

/** A request that all agents send to one target. */
interface Wish {
  readonly title: string;
  /** Creates the target and returns its name. */
  prepare(): Promise<string>;
  call(target: string): Pick<Call, 'path'> & { readonly body?: object };
  /** Selects `kept`, the stored count of the target, and `there`, the number of its rows. */
  readonly count: string;
}

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { agents: { type: 'string', default: '2000' } },
});

const stage = await startStage();
const second = await stage.startApi({});
const load = await Child.start('children/crowd.ts');
try {
  await measure(stage);
} finally {
  await load.stop();
  await second.stop();
  await stage.stop();
}

async function measure({ api, database, agents: [owner] }: Stage): Promise<void> {
  const crowd = await registerAgents(api.url!, Number(options.agents), 'crowd');
  await load.ask(
    'agents',
    [...crowd, owner!].map(({ keys }) => keys),
  );
  const send = async (calls: readonly Call[], more: Partial<CrowdOrder> = {}) =>
    load.ask<CrowdResult>('crowd', { urls: [api.url!], calls, patienceMs: PATIENCE_MS, ...more });
  const all = (wish: Wish, target: string) =>
    crowd.map((_, signer) => post(wish.call(target).path, wish.call(target).body, signer));
  const own = (path: string, body: object) => send([post(path, body, crowd.length)]);
  const only = async <T>(text: string, values: readonly unknown[] = []) =>
    (await database.pool.query(inRelease(text), [...values])).rows[0] as T;

  const newTarget = async () => {
    await own('/v1/posts', newPost());
    return (await only<{ id: string }>('SELECT max(post_id) AS id FROM posts')).id;
  };
  const newCommunity = async () => {
    const slug = `crowded-${Date.now().toString(36)}`;
    await own('/v1/communities', { slug, displayName: slug, description: '', visibility: 'public' });
    return slug;
  };
  const memberCount = `SELECT (SELECT members FROM release.scope_sums($1))::integer AS kept,
    (SELECT count(*) FROM memberships WHERE slug = $1)::integer AS there`;
  const joined: Wish = {
    title: 'join one community',
    prepare: newCommunity,
    call: (slug) => ({ path: `/v1/communities/${slug}/members`, body: {} }),
    count: memberCount,
  };
  const wishes: Readonly<Record<string, Wish>> = {
    votes: {
      title: 'vote on one post',
      prepare: newTarget,
      call: (targetId) => ({ path: '/v1/votes', body: { targetId, value: 'up' } }),
      count: `SELECT upvotes AS kept, (SELECT count(*) FROM votes WHERE target_id = $1 AND value = 1)::integer AS there
        FROM post_states WHERE post_id = $1`,
    },
    replies: {
      title: 'reply to one post',
      prepare: newTarget,
      call: (postId) => ({ path: `/v1/posts/${postId}/replies`, body: { body: newPost().body } }),
      count: `SELECT least(reply_count, last_reply_number) AS kept, (SELECT count(*) FROM replies WHERE post_id = $1)::integer AS there
        FROM post_states WHERE post_id = $1`,
    },
    joins: joined,
    leaves: {
      title: 'leave one community',
      prepare: async () => {
        const slug = await newCommunity();
        await send(all(joined, slug), { perSecond: RATES[0]! });
        return slug;
      },
      call: (slug) => ({ path: `/v1/communities/${slug}/members/remove`, body: {} }),
      count: memberCount,
    },
  };

  // The first write of an agent fills its counters.
  await send(all(wishes.votes!, await newTarget()), { perSecond: RATES[0]! });
  for (const name of names.length > 0 ? names : Object.keys(wishes)) {
    const wish = wishes[name];
    if (!wish) throw new Error(`There are: ${Object.keys(wishes).join(', ')}`);
    for (const urls of [[api.url!], [api.url!, second.url!]]) {
      console.log(`\n${crowd.length} agents ${wish.title}, by ${urls.length} API`);
      console.log(HEAD);
      for (const perSecond of RATES) {
        const target = await wish.prepare();
        const result = await send(all(wish, target), { urls, ...(perSecond ? { perSecond } : {}) });
        const { kept, there } = await only<{ kept: number; there: number }>(wish.count, [target]);
        console.log(
          `${lineOf(perSecond, result)}${kept === there ? `counted ${kept}` : `COUNTED ${kept} OF ${there}`}`,
        );
      }
    }
  }
  const db = new Postgres({ url: database.url, maxConnections: 1, applicationName: 'forum bench' });
  const problems = await verify(db);
  await db.close();
  console.log(problems.length > 0 ? problems.join('\n') : '\nThe ledger and all counts are good.');
}

function post(path: string, body: object | undefined, signer: number): Call {
  return { method: 'POST', path, signer, ...(body ? { body: JSON.stringify(body) } : {}) };
}

function lineOf(perSecond: number | undefined, result: CrowdResult): string {
  const { accepted, seconds, median, percentile99, longest, longestAnswer, mostTries, statuses } = result;
  const figures = [accepted / seconds, median, percentile99, longest, longestAnswer, mostTries];
  const cells = [perSecond ?? 'at once', ...figures.map((figure) => figure.toFixed(0))];
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  if (result.withoutRetryAfter > 0) answers.push(`${result.withoutRetryAfter} WITHOUT Retry-After`);
  return `${cells.map((cell) => String(cell).padStart(9)).join('')}  ${answers.join(', ').padEnd(24)}  `;
}
