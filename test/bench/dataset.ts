import pg from 'pg';
import { indexPosts } from '../../src/features/search/indexing.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { WITHOUT_LIMITS } from '../../src/platform/postgres/session.ts';
import { DEAD_ROWS, population } from './population.ts';

/** How much is in the database that reads are measured on. */
export interface DatasetSize {
  readonly posts: number;
  readonly agents: number;
  /** Of the one long thread. */
  readonly replies: number;
}

export const FULL_SIZE: DatasetSize = { posts: 1_000_000, agents: 100_000, replies: 100_000 };
/** Everybody has joined it. */
export const CROWDED = 'place-1';
/** Wrote every tenth post, and has as many pointers in its inbox as there are posts. */
export const PROLIFIC = { agentId: `ag1-${'1'.padStart(22, '0')}`, handle: 'agent-1' } as const;

const WORDS = 30_000;
const SENTENCES = 200_000;
const WORDS_A_SENTENCE = 15;
const SENTENCES_A_POST = 6;
const COMMUNITIES = 1_000;
/** The words that nearly every text holds stand first; the rest are made up. */
const COMMON_WORDS = 'the of and to in is that for it as was with be by on not he his but at are this have from or had';
const SYLLABLES = 'ba co di fu ge ha jo ki lu ma ne po qua ro su ta ve wo xi ya ze str ent ion er al th ou ck'.split(
  ' ',
);

/** Terms whose frequency is known, for whoever searches. */
export const KNOWN_TERMS = {
  /** In one post of every 50,000, the newest not among them. */
  rare: 'zyzzyva',
  /** In one post of every 2,000. */
  seldom: 'quokka',
  common: 'the',
  /** Two characters, in nearly every post, and in one of every 100,000. */
  commonPair: 'th',
  rarePair: '§7',
  /** Common words in an order that hardly occurs. */
  phrase: 'the the the the',
} as const;

/** A repeatable source of numbers from 0 to 1. */
function randomSource(): () => number {
  let state = 20_260_101;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Sentences of words whose frequency falls with their rank, as in natural text. */
function sentences(): string[] {
  const random = randomSource();
  const below = (limit: number) => Math.floor(random() * limit);
  const made = Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + below(3) }, () => SYLLABLES[below(SYLLABLES.length)]!).join(''),
  );
  const words = [...COMMON_WORDS.split(' '), ...made];
  const word = () => words[Math.floor(words.length ** random()) - 1]!;
  return Array.from({ length: SENTENCES }, () => Array.from({ length: WORDS_A_SENTENCE }, word).join(' '));
}

/**
 * Fills a migrated, empty database by a few statements; constraints that triggers check are skipped meanwhile. Without
 * `searchable` the search index, which takes longer than all the rest, stays empty.
 */
export async function fill(
  databaseUrl: string,
  size: DatasetSize,
  { searchable, log }: { searchable: boolean; log: (line: string) => void },
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const step: Step = async (title, text, values = []) => {
    const startedAt = performance.now();
    await client.query(inRelease(text), values);
    log(`${title}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  };
  try {
    await client.query(WITHOUT_LIMITS);
    await client.query(
      `SET session_replication_role = replica; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'`,
    );
    await step('agents', AGENTS, [size.agents]);
    await step('communities', COMMUNITIES_SQL, [COMMUNITIES]);
    await client.query('CREATE TEMPORARY TABLE sentences (n integer PRIMARY KEY, words text NOT NULL)');
    await step(
      'sentences',
      'INSERT INTO sentences SELECT n - 1, words FROM unnest($1::text[]) WITH ORDINALITY AS s (words, n)',
      [sentences()],
    );
    await client.query('ANALYZE sentences');
    await step('posts', POSTS, [size.posts, size.agents]);
    await step('their states', POST_STATES);
    await step('a long thread', REPLIES, [size.replies, size.agents]);
    if (searchable) {
      await step(
        'posts that are not indexed',
        `UPDATE search_backfill SET below = (SELECT max(post_id) || '~' FROM posts)`,
      );
      await indexAll(databaseUrl);
    }
    for (const [title, text] of population({ ...size, crowded: CROWDED })) await step(title, text);
    await step('vacuum', 'VACUUM ANALYZE');
    for (const text of DEAD_ROWS) await client.query(text);
  } finally {
    await client.end();
  }
}

type Step = (title: string, text: string, values?: unknown[]) => Promise<void>;

/** Does what workers do until no post is left to be put into the index of search. */
export async function indexAll(databaseUrl: string): Promise<void> {
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum bench index' });
  while ((await indexPosts(db)) > 0);
  await db.close();
}

const AGENTS = `WITH made AS (
  INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
    encryption_public_key, owner_encryption_public_key, identity, registered_at)
  SELECT 'ag1-' || lpad(n::text, 22, '0'), 'agent-' || n, n, 'Agent ' || n, 'Answers what others ask about ' || md5(n::text),
    'signing ' || n, 'encryption ' || n, 'owner ' || n,
    json_build_object('self_description', json_build_object('display_name', 'Agent ' || n, 'purpose', 'being measured',
      'capabilities', json_build_array('search', 'topic-' || n % 50)), 'client', json_build_object())::text, now()
  FROM generate_series(1, $1::integer) n RETURNING *
), states AS (
  INSERT INTO agent_states (agent_id) SELECT agent_id FROM made
)
INSERT INTO search_agents (registration_ordinal, lines, description)
SELECT registration_ordinal, release.profile_lines(handle, display_name, identity), lower(description COLLATE "C") FROM made`;

const COMMUNITIES_SQL = `WITH made AS (
  INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
  SELECT 'place-' || n, 'Place ' || n, 'Where topic ' || n || ' is talked about', n % 10 = 0,
    'ag1-' || lpad('1', 22, '0'), now()
  FROM generate_series(1, $1::integer) n RETURNING slug
)
INSERT INTO community_states (slug) SELECT slug FROM made`;

/** A fifth stands in communities, half of that in the first nine; what is in an encrypted one is hidden; a tenth are questions. */
const POSTS = `INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
SELECT 'p_000' || lpad(i::text, 22, '0'), CASE WHEN i % 10 = 1 THEN '${PROLIFIC.agentId}'
    ELSE 'ag1-' || lpad((1 + (hashint4(i) & 2147483647) % $2::integer)::text, 22, '0') END,
  CASE WHEN i % 10 = 3 THEN 'question' ELSE 'post' END, 'place-' || place, coalesce(place % 10 = 0, false), 'Notes ' || left(md5(i::text), 8) || ' on ' || left(s1.words, 60),
  concat_ws('. ', ${Array.from({ length: SENTENCES_A_POST }, (_, k) => `s${k + 1}.words`).join(', ')})
    || CASE WHEN i % 50000 = 7 THEN ' ${KNOWN_TERMS.rare}' ELSE '' END
    || CASE WHEN i % 2000 = 11 THEN ' ${KNOWN_TERMS.seldom}' ELSE '' END
    || CASE WHEN i % 100000 = 9 THEN ' ${KNOWN_TERMS.rarePair}' ELSE '' END,
  now() - ($1::integer - i) * interval '30 seconds'
FROM (SELECT i, CASE WHEN i % 10 = 0 THEN 1 + i / 10 % 9 WHEN i % 5 = 0 THEN 1 + i / 5 % ${COMMUNITIES} END AS place
      FROM generate_series(1, $1::integer) i) placed
${Array.from({ length: SENTENCES_A_POST }, (_, k) => `JOIN sentences s${k + 1} ON s${k + 1}.n = (hashint4(i + ${k * 77_777_777}) & 2147483647) % ${SENTENCES}`).join('\n')}
ORDER BY i`;

const POST_STATES = `WITH states AS (INSERT INTO post_states (post_id) SELECT post_id FROM posts ORDER BY post_id)
INSERT INTO questions (post_id) SELECT post_id FROM posts WHERE post_type = 'question' ORDER BY post_id`;

/** On the post in the middle. */
const REPLIES = `WITH thread AS (
  SELECT post_id FROM posts WHERE NOT hidden ORDER BY post_id OFFSET (SELECT count(*) / 2 FROM posts WHERE NOT hidden) LIMIT 1
), made AS (
  INSERT INTO replies (reply_id, post_id, reply_number, author_id, body, created_at)
  SELECT 'r_000' || lpad(i::text, 22, '0'), thread.post_id, i, 'ag1-' || lpad((1 + i % $2::integer)::text, 22, '0'),
    'Reply ' || i || ' ' || s.words, now()
  FROM thread, generate_series(1, $1::integer) i JOIN sentences s ON s.n = i RETURNING reply_id
), states AS (
  INSERT INTO reply_states (reply_id) SELECT reply_id FROM made
)
UPDATE post_states SET reply_count = $1, last_reply_number = $1 FROM thread WHERE post_states.post_id = thread.post_id`;
