import type pg from 'pg';
import type { AgentKeys } from '../../src/client/keys.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import type { Call } from './scenario.ts';
import type { BenchAgent } from './stage.ts';

/** A filled forum, and agents that write in it. */
export interface WrittenForum {
  readonly client: pg.Client;
  /** A signer's number is its index here. */
  readonly writers: readonly BenchAgent[];
  /** Their numbers as signers follow those of the writers. */
  readonly newcomers: readonly AgentKeys[];
  /** Differs in every run. */
  readonly tag: string;
  /** GET without a signature. */
  read(path: string): Promise<never>;
  /** Sends requests that are not measured. */
  send(calls: readonly Call[], status: number): Promise<void>;
  /** Starts a worker to deliver waiting events. */
  deliver(): Promise<void>;
}

interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The number of the signer: writers first, then newcomers, then the operator. */
  readonly signer?: number;
}

/** A measured operation that is sent by POST. */
export interface Write {
  readonly operation: string;
  /** What distinguishes this variant. */
  readonly variant?: string;
  /** The expected status if it differs because no worker runs. */
  readonly status?: number;
  /**
   * Creates the targets of `count` calls and returns the request of each. By default writers sign one after the other;
   * operations of the operator are signed by the operator.
   */
  prepare(forum: WrittenForum, count: number): Promise<(n: number) => Request>;
}

export const nameOf = ({ operation, variant }: Write): string =>
  variant === undefined ? operation : `${operation}, ${variant}`;

const OPERATION_BY_NAME = new Map(OPERATIONS.map((each) => [each.name, each]));

/** The requested number of calls, each different, and the status of their responses. */
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

/** Rows that writers created before, each with the number of its author. */
export async function madeByWriters(
  { client, writers }: WrittenForum,
  text: string,
): Promise<{ readonly id: string; readonly by: number }[]> {
  const { rows } = await client.query<{ id: string; by: string }>(text, [writers.map(({ agentId }) => agentId)]);
  return rows.map(({ id, by }) => ({ id, by: writers.findIndex(({ agentId }) => agentId === by) }));
}

/** The number of a writer other than `by`. */
export const anotherThan = ({ writers }: WrittenForum, by: number): number => (by + 1) % writers.length;

export const plainPosts = (forum: WrittenForum, count: number) =>
  idsOf(
    forum,
    `SELECT p.post_id AS id FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
     WHERE NOT p.hidden AND p.community_slug IS NULL AND p.post_type = 'post' ORDER BY p.post_id LIMIT $1`,
    [count],
  );

/** A public community for every call of a writer. */
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

/** Challenges of writers after the time for stakes, or that for scoring, has come. */
export async function turnedTo(forum: WrittenForum, column: 'staking_opens_at' | 'scoring_at') {
  const challenges = await pendingChallenges(forum);
  await forum.client.query(
    `UPDATE challenge_states SET ${column} = clock_timestamp() - interval '1 second' WHERE challenge_id = ANY ($1)`,
    [challenges.map(({ id }) => id)],
  );
  return challenges;
}

/** The sources of the ids that replace names in braces of an example, one for each call. */
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
