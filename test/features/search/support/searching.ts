import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { searchDatabases } from '../../../../src/features/search/databases.ts';
import { indexPosts } from '../../../../src/features/search/indexing.ts';
import type { IndexSizes } from '../../../../src/features/search/postings.ts';
import { FIRST_ROWS } from '../../../../src/features/search/rules.ts';
import type { Db, Postgres } from '../../../../src/platform/postgres/postgres.ts';
import type { TestAgent } from '../../../support/agent.ts';
import type { TestForum } from '../../../support/forum.ts';

/** What a search found, over all its pages: post ids, handles and slugs in the order they came. */
export interface Everything {
  readonly posts: string[];
  readonly agents: string[];
  readonly communities: string[];
  readonly pages: number;
  /** Pages without a single row that were not the last one. */
  readonly emptyPages: number;
  readonly slowestMs: number;
}

const MAX_PAGES = 2_000;

/** Follows the cursors of a search to its end; `between` runs after each page. */
export async function searchAll(
  agent: TestAgent,
  parameters: { readonly limit?: string } & Record<string, string>,
  between: () => Promise<unknown> = async () => {},
): Promise<Everything> {
  const all = { posts: [] as string[], agents: [] as string[], communities: [] as string[] };
  let [emptyPages, slowestMs] = [0, 0];
  let cursor: string | undefined;
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const query = new URLSearchParams({ ...parameters, ...(cursor && { cursor }) }).toString();
    const startedAt = performance.now();
    const { status, body } = await agent.anonymous('GET', '/v1/search', { query });
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
    const page = {
      posts: body.posts.map(({ postId }: { postId: string }) => postId),
      agents: body.agents.map(({ handle }: { handle: string }) => handle),
      communities: body.communities.map(({ slug }: { slug: string }) => slug),
    };
    for (const list of ['posts', 'agents', 'communities'] as const) {
      assert.ok(page[list].length <= Number(parameters.limit ?? 20));
      all[list].push(...page[list]);
    }
    cursor = body.nextCursor;
    if (cursor === undefined) return { ...all, pages, emptyPages, slowestMs };
    if (page.posts.length + page.agents.length + page.communities.length === 0) emptyPages++;
    await between();
  }
  throw new Error('the search never ended');
}

/**
 * Public posts by SQL, newer than all others when `newer`; every one has the same body. Each `series` of them has ids
 * of its own. Returns nothing: they are many.
 */
export async function addPosts(
  forum: TestForum,
  {
    count,
    body,
    newer,
    authorId,
    series = newer ? 'z' : '0',
  }: { count: number; body: string; newer: boolean; authorId: string; series?: string },
): Promise<void> {
  await forum.rows(
    `WITH made AS (
       INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
       SELECT 'p_' || $1::text || lpad(n::text, 24, '0'), $2, 'post', false, '.', $3, now()
       FROM generate_series(1, $4::integer) n RETURNING post_id, author_id
     ), states AS (INSERT INTO post_states (post_id, public_author_id) SELECT post_id, author_id FROM made)
     INSERT INTO search_waiting (post_id) SELECT post_id FROM made`,
    [series, authorId, body, count],
  );
}

/**
 * Adds as many removed posts as a page walks before it asks the index. They are newer than all others, and in no
 * segment, so every later result comes from the index.
 */
export async function coverByRemoved(forum: TestForum): Promise<void> {
  await forum.rows(
    `WITH made AS (
       INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
       SELECT 'p_y' || lpad(n::text, 24, '0'), $1, 'post', false, '.', '.', now()
       FROM generate_series(1, $2::integer) n RETURNING post_id
     )
     INSERT INTO post_states (post_id, removed) SELECT post_id, true FROM made`,
    [forum.operator.agentId, FIRST_ROWS],
  );
}

/** The names of the statements that the service sends while `work` lasts. */
export async function statementsOf(forum: TestForum, work: () => Promise<unknown>): Promise<string[]> {
  const { db } = forum.api.services;
  const sent: string[] = [];
  const query = db.query.bind(db);
  db.query = (statement, ...rest) => {
    sent.push(statement.name);
    return query(statement, ...rest);
  };
  await work().finally(() => Reflect.deleteProperty(db, 'query'));
  return sent;
}

/** Puts all that waits into segments, but for what does not fill a block; returns how many posts. */
export async function moveToIndex(forum: TestForum, sizes: Partial<IndexSizes>): Promise<number> {
  return indexPosts(searchDatabases(forum.api.services.db), sizes);
}

/** A post in an encrypted community whose only member is `author`. */
export async function addHiddenPost(author: TestAgent, slug: string, title: string): Promise<void> {
  const random = (bytes: number) => randomBytes(bytes).toString('base64url');
  const community = { slug, displayName: title, description: title, visibility: 'encrypted' };
  const made = await author.post('/v1/communities', community);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const recipients = [{ publicKey: author.encryptionPublicKey, nonce: random(24), wrappedKey: random(48) }];
  const body = { format: 'svc-envelope-v1', nonce: random(24), ciphertext: random(40), recipients };
  const written = await author.post('/v1/posts', { title, body, communitySlug: slug });
  assert.equal(written.status, 201, JSON.stringify(written.body));
}

/** The same database, with other work in its transactions. */
export function changed(db: Postgres, change: <T>(work: (tx: Db) => Promise<T>) => (tx: Db) => Promise<T>): Postgres {
  return Object.assign(Object.create(db) as Postgres, {
    query: (...asked: Parameters<Db['query']>) => db.query(...asked),
    inTransaction: <T>(work: (tx: Db) => Promise<T>, options?: Parameters<Postgres['inTransaction']>[1]) =>
      db.inTransaction(change(work), options),
  });
}
