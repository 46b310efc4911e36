import assert from 'node:assert/strict';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { rebuildIndex } from '../../../src/features/search/indexing.ts';
import { newId } from '../../../src/protocol/ids.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { addPosts, moveToIndex, searchAll } from './support/searching.ts';

/** The rules in plain JavaScript: what the service is compared with. */
const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const termsIn = (q: string, match: string) =>
  match === 'all' ? [...new Set(q.split(/\s+/).filter(Boolean).map(fold))] : [fold(q)];
const matching = (fields: string[], terms: string[]) =>
  terms.every((term) => fields.some((field) => fold(field).includes(term)));

interface Item {
  readonly key: string;
  readonly fields: string[];
  readonly author?: string;
  readonly community?: string | null;
}

const POSTS = 60;
/** One post in this number is removed, by itself or with its community. */
const REMOVED = 4;
const AGENTS = 10;
const COMMUNITIES = 8;
const QUERIES = 48;
/** More than a page walks before it asks the segments. */
const FILLER = 5_000;
/** Mixed case, letters that only Unicode folds, combining marks, wildcards, quotes, controls, CJK, astral. */
const ALPHABET = [
  ...'aAbBzZ09eéÉİıΣσςŁK日本語',
  ...['e\u0301', '\u0301', '😀', '🏳️‍🌈', '%', '_', '\\', "'", '"', '$1', ' ', '  ', '-', '\u00a0', 'abc', 'ABC', 'день'],
];
const CONTROLS = ['\n', '\t', '\u0001'];

/** A random source that a failure can be repeated with. */
function randomSource(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('search against plain JavaScript', () => {
  const seed = Number(process.env.SEARCH_SEED ?? Date.now() % 1_000_000);
  const random = randomSource(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const text = (length: number, alphabet: readonly string[]) =>
    Array.from({ length: 1 + random(length) }, () => pick(alphabet)).join('');
  const line = (length: number) => `x${text(length, ALPHABET)}`;

  let forum: TestForum;
  let writers: TestAgent[];
  const posts: Item[] = [];
  const agents: Item[] = [];
  const communities: Item[] = [];

  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000', LIMIT_COMMUNITY_WRITES: '1000' } });
    agents.push({ key: 'operator', fields: ['operator', 'operator', '', 'testing', 'search', 'math'] });
    writers = [];
    for (let n = 0; n < AGENTS; n++) writers.push(await addAgent(n));
    for (let n = 0; n < COMMUNITIES; n++) await addCommunity(pick(writers), n);
    for (let n = 0; n < POSTS; n++) await addPost(pick(writers), n);
    await removeSome();
  });
  after(() => forum.stop());

  async function addAgent(n: number): Promise<TestAgent> {
    const agent = await forum.agent(`writer-${n}-abc`);
    const [displayName, description] = [line(6), text(10, [...ALPHABET, ...CONTROLS])];
    // Everything but the handle may be said by a change of the row that the registration made.
    await forum.rows(
      `WITH changed AS (UPDATE agents SET display_name = $2, description = $3 WHERE handle = $1 RETURNING *)
       UPDATE search_agents s SET lines = release.profile_lines(c.handle, c.display_name, c.identity),
         description = lower(c.description COLLATE "C")
       FROM changed c WHERE c.registration_ordinal = s.registration_ordinal`,
      [agent.handle, displayName, description],
    );
    const fields = [agent.handle, displayName, description, 'testing', 'search', 'math'];
    agents.push({ key: agent.handle, fields });
    return agent;
  }

  async function addCommunity(creator: TestAgent, n: number): Promise<void> {
    const [slug, displayName, description] = [`place-${n}`, line(6), text(10, [...ALPHABET, ...CONTROLS])];
    const answer = await creator.post('/v1/communities', { slug, displayName, description, visibility: 'public' });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    communities.push({ key: slug, fields: [slug, displayName, description] });
    for (const agent of writers) if (agent !== creator) await agent.post(`/v1/communities/${slug}/members`, {});
  }

  /** Every other one of those that are to be removed is in the last community, which is removed whole. */
  async function addPost(author: TestAgent, n: number): Promise<void> {
    const last = communities.at(-1)!;
    const isOfRemoved = n % (2 * REMOVED) === 0;
    const communitySlug = isOfRemoved ? last.key : random(3) === 0 ? pick(communities.slice(0, -1)).key : null;
    const body = text(30, [...ALPHABET, ...CONTROLS]);
    const answer = await author.post('/v1/posts', { title: line(8), body, communitySlug });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { postId, title } = answer.body.post;
    posts.unshift({ key: postId, fields: [title, body], author: author.handle, community: communitySlug });
  }

  async function removeSome(): Promise<void> {
    const { key: slug } = communities.pop()!;
    await forum.rows('UPDATE community_states SET removed = true WHERE slug = $1', [slug]);
    const gone = posts.filter(({ community }, n) => community === slug || n % (2 * REMOVED) === 0);
    const alone = gone.filter(({ community }) => community !== slug).map(({ key }) => key);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = ANY ($1)', [alone]);
    for (const post of gone) posts.splice(posts.indexOf(post), 1);
  }

  /** With an id between those of others, as of a request that had to wait before it was stored. */
  async function addLatePost(): Promise<void> {
    const [title, body] = [line(8), text(30, [...ALPHABET, ...CONTROLS])];
    const key = newId('p_', Date.now() - random(60_000));
    await forum.rows(
      `WITH made AS (
         INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
         VALUES ($1, $2, 'post', false, $3, $4, now()) RETURNING post_id, author_id
       ), states AS (INSERT INTO post_states (post_id, public_author_id) SELECT post_id, author_id FROM made)
       INSERT INTO search_waiting (post_id) SELECT post_id FROM made`,
      [key, writers[0]!.agentId, title, body],
    );
    posts.push({ key, fields: [title, body], author: writers[0]!.handle, community: null });
  }

  /** Often a piece of what was written, so that much is found; with the case of some letters turned. */
  function someQuery(): string {
    if (random(4) === 0) return text(4, [...ALPHABET, ...CONTROLS]);
    const characters = [...pick(pick(pick([posts, posts, agents, communities])).fields)];
    const start = random(characters.length);
    const piece = characters.slice(start, start + 1 + random(6)).join('');
    return random(2) === 0 ? piece : piece.replace(/[a-zA-Z]/g, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase()));
  }

  async function compare(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const match = pick(['literal', 'all']);
      const q = match === 'all' ? [someQuery(), someQuery()].slice(random(2)).join(' ') : someQuery();
      const terms = termsIn(q, match);
      if (q === '' || terms.length < 1 || terms.length > 8) continue;
      const author = random(6) === 0 ? pick(writers).handle : undefined;
      const community = random(6) === 0 ? pick(communities).key : undefined;
      const parameters = {
        q,
        match,
        limit: String(1 + random(20)),
        ...(author && { author }),
        ...(community && { community }),
      };
      const found = await searchAll(forum.operator, parameters);
      const keys = (items: Item[]) => items.filter(({ fields }) => matching(fields, terms)).map(({ key }) => key);
      const wanted = posts.filter(
        (post) => (!author || post.author === author) && (!community || post.community === community),
      );
      const told = `SEARCH_SEED=${seed} ${JSON.stringify(parameters)}`;
      assert.deepEqual(found.posts, keys(wanted).toSorted().toReversed(), told);
      assert.deepEqual(found.agents, keys(agents), told);
      assert.deepEqual(found.communities, keys(communities), told);
    }
  }

  it('finds the same while every post waits', () => compare(QUERIES));

  it('finds the same with most of them in small segments, and newer posts above that wait', async () => {
    assert.equal(await moveToIndex(forum, { blockPosts: 7, segmentBlocks: 3, joinedSegments: 2 }), POSTS - (POSTS % 7));
    await addPosts(forum, { count: FILLER, body: '.', newer: true, authorId: forum.operator.agentId });
    await compare(QUERIES);
  });

  it('finds the same once segments overlap, because posts came late, and are merged', async () => {
    for (let n = 0; n < POSTS; n++) await addLatePost();
    await moveToIndex(forum, { blockPosts: 101, segmentBlocks: 8, joinedSegments: 2 });
    const [merged] = await forum.rows<{ count: number }>(
      'SELECT count(*)::integer AS count FROM search_segments WHERE cardinality(blocks) > 1',
    );
    assert.ok(merged!.count > 3);
    await compare(QUERIES);
  });

  it('finds the same posts while the index is rebuilt, and after that', async () => {
    await rebuildIndex(searchDatabases(forum.api.services.db));
    await compare(QUERIES / 4);
    for (let moved = 0; moved < FILLER + POSTS; ) {
      moved += await moveToIndex(forum, { blockPosts: 1_000, segmentBlocks: 2 });
      if (moved === POSTS) break;
    }
    assert.deepEqual(await forum.rows('SELECT below FROM search_backfill'), [{ below: '' }]);
    await compare(QUERIES);
  });
});
