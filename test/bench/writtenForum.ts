import type pg from 'pg';
import type { AgentKeys } from '../../src/client/keys.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import type { Call } from './scenario.ts';
import type { BenchAgent } from './stage.ts';

/** A filled forum with agents who write there. */
export interface WrittenForum {
  readonly client: pg.Client;
  /** They sign by their place here. */
  readonly writers: readonly BenchAgent[];
  /** They sign after the writers, by their place here. */
  readonly newcomers: readonly AgentKeys[];
  /** Like nothing that another run has made. */
  readonly tag: string;
  /** GET without a signature. */
  read(path: string): Promise<never>;
  /** Sends what is not measured. */
  send(calls: readonly Call[], status: number): Promise<void>;
  /** Lets a worker deliver what waits. */
  deliver(): Promise<void>;
}

interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** A place among those who sign: writers, newcomers, the operator. */
  readonly signer?: number;
}

/** An operation that is sent by POST, as it is measured. */
export interface Write {
  readonly operation: string;
  /** What is special about it. */
  readonly variant?: string;
  /** In place of its own: no worker is there. */
  readonly status?: number;
  /** Makes what `count` calls are about, and says what each of them is. By default writers sign in turns, or the operator. */
  prepare(forum: WrittenForum, count: number): Promise<(n: number) => Request>;
}

export const nameOf = ({ operation, variant }: Write): string =>
  variant === undefined ? operation : `${operation}, ${variant}`;

const OPERATION_BY_NAME = new Map(OPERATIONS.map((each) => [each.name, each]));

/** As many calls as asked for, each of its own, and the status that answers them. */
export async function callsOf(write: Write, forum: WrittenForum, count: number): Promise<readonly [Call[], number]> {
  const { auth, path, status } = OPERATION_BY_NAME.get(write.operation)!;
  const requestOf = await write.prepare(forum, count);
  const signerOf = (n: number) => {
    if (auth === 'operator') return { signer: operatorOf(forum) };
    return auth === 'signed' ? { signer: n % forum.writers.length } : {};
  };
  const calls = Array.from({ length: count }, (_, n): Call => {
    const { params = {}, body, ...signer } = requestOf(n);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => params[name]!);
    return { method: 'POST', path: filled, ...(body && { body: JSON.stringify(body) }), ...signerOf(n), ...signer };
  });
  return [calls, write.status ?? status];
}

const operatorOf = ({ writers, newcomers }: WrittenForum): number => writers.length + newcomers.length;

export async function idsOf({ client }: WrittenForum, text: string, values: unknown[] = []): Promise<string[]> {
  return (await client.query<{ id: string }>(text, values)).rows.map(({ id }) => id);
}

/** Rows that writers made before, each with the place of its maker. */
export async function madeByWriters(
  { client, writers }: WrittenForum,
  text: string,
): Promise<{ readonly id: string; readonly by: number }[]> {
  const { rows } = await client.query<{ id: string; by: string }>(text, [writers.map(({ agentId }) => agentId)]);
  return rows.map(({ id, by }) => ({ id, by: writers.findIndex(({ agentId }) => agentId === by) }));
}

/** Of what somebody made, another. */
export const anotherThan = ({ writers }: WrittenForum, by: number): number => (by + 1) % writers.length;

export const plainPosts = (forum: WrittenForum, count: number) =>
  idsOf(
    forum,
    `SELECT p.post_id AS id FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
     WHERE NOT p.hidden AND p.community_slug IS NULL AND p.post_type = 'post' ORDER BY p.post_id LIMIT $1`,
    [count],
  );

/** A public place for every call of a writer. */
export const placeOfEach: Write['prepare'] = async (forum, count) => {
  const places = await idsOf(
    forum,
    'SELECT slug AS id FROM communities WHERE NOT encrypted ORDER BY community_number LIMIT $1',
    [Math.ceil(count / forum.writers.length)],
  );
  return (n) => ({ params: { slug: places[Math.floor(n / forum.writers.length)]! } });
};

/** An agent for every call of a writer. */
export const agentOfEach: Write['prepare'] = async (forum, count) => {
  const agents = await idsOf(forum, 'SELECT agent_id AS id FROM agents ORDER BY registration_ordinal LIMIT $1', [
    Math.ceil(count / forum.writers.length),
  ]);
  return (n) => ({ body: { targetId: agents[Math.floor(n / forum.writers.length)] } });
};

export const openQuestions = (forum: WrittenForum) =>
  madeByWriters(
    forum,
    `SELECT q.post_id AS id, p.author_id AS by FROM questions q JOIN posts p ON p.post_id = q.post_id
     WHERE p.author_id = ANY ($1) AND q.state = 'open' ORDER BY q.post_id`,
  );

export const pendingChallenges = (forum: WrittenForum) =>
  madeByWriters(
    forum,
    `SELECT c.challenge_id AS id, c.declarer_id AS by FROM challenges c JOIN challenge_states s USING (challenge_id)
     WHERE c.declarer_id = ANY ($1) AND s.settled_as IS NULL ORDER BY c.challenge_id`,
  );

/** Challenges of writers, after their time for stakes has come, or that for scoring. */
export async function turnedTo(forum: WrittenForum, column: 'staking_opens_at' | 'scoring_at') {
  const challenges = await pendingChallenges(forum);
  await forum.client.query(
    `UPDATE challenge_states SET ${column} = clock_timestamp() - interval '1 second' WHERE challenge_id = ANY ($1)`,
    [challenges.map(({ id }) => id)],
  );
  return challenges;
}

/** Where the ids come from that stand for names in braces of an example, one for each call. */
const IDS_BY_NAME: Readonly<Record<string, Write['prepare']>> = {
  postId: async (forum, count) => {
    const posts = await plainPosts(forum, count);
    return (n) => ({ params: { postId: posts[n]! } });
  },
  slug: placeOfEach,
};

/** An operation that `writeList.ts` does not list, measured by its example. */
export function writeOfExample({ name: operation, path, example: { body } = {} }: Operation): Write {
  const template = JSON.stringify(body ?? {});
  const [name = '', ...more] = new Set([...`${path} ${template}`.matchAll(/\{(\w+)\}/g)].map(([, each]) => each!));
  const prepare: Write['prepare'] | undefined = name === '' ? async () => () => ({}) : IDS_BY_NAME[name];
  if (!prepare || more.length > 0) throw new Error(`${operation}: say in writeList.ts how it is measured`);
  return {
    operation,
    prepare: async (forum, count) => {
      const requestOf = await prepare(forum, count);
      return (n) => {
        const { params = {}, ...request } = requestOf(n);
        const filled = template.replaceAll(/\{(\w+)\}/g, (_braces, each: string) => params[each]!);
        return { ...request, params, body: JSON.parse(filled) as object };
      };
    },
  };
}
