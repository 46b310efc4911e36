import pg from 'pg';
import { WITHOUT_LIMITS } from '../../migrations/sessions.ts';
import { searchDatabases } from '../../src/features/search/databases.ts';
import { indexPosts } from '../../src/features/search/indexing.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { copyInto } from './copy.ts';
import { DEAD_ROWS, population } from './population.ts';
import { fillings } from './rows.ts';

/** The contents of the database on which reads are measured. */
export interface DatasetSize {
  readonly posts: number;
  readonly agents: number;
  /** Replies of the one long thread. */
  readonly replies: number;
  /** The default is 1,000. */
  readonly communities?: number;
  /**
   * Texts of 200 bytes instead of 600, half a reply and half a vote per post instead of five, and receipts of one day.
   */
  readonly lean?: boolean;
}

export const FULL_SIZE: DatasetSize = { posts: 1_000_000, agents: 100_000, replies: 100_000 };
/** Every agent is a member of it. */
export const CROWDED = 'place-1';
/** Wrote every tenth post, some in each community, and has a full inbox. */
export const PROLIFIC = { agentId: `ag1-${'1'.padStart(22, '0')}`, handle: 'agent-1' } as const;
/** Also wrote every tenth post and as many replies. All but the first ones are removed or hidden. */
export const WITHHELD = { agentId: `ag1-${'2'.padStart(22, '0')}`, handle: 'agent-2' } as const;
/** How many connections fill tables or build indexes at a time. */
const SIDE_BY_SIDE = 2;

export const communitiesOf = ({ communities = 1_000 }: DatasetSize): number => communities;

/** Terms of known frequency, for searches. */
export const KNOWN_TERMS = {
  /** In one of every 50,000 posts, but not in the newest. */
  rare: 'zyzzyva',
  /** In one of every 2,000 posts. */
  seldom: 'quokka',
  common: 'the',
  /** Two characters that nearly every post has, and two that one of every 100,000 has. */
  commonPair: 'th',
  rarePair: '§7',
  /** Common words in an order that hardly occurs. */
  phrase: 'the the the the',
} as const;

/**
 * Fills a migrated, empty database as a superuser. Tables that grow with every post are filled by COPY, several at a
 * time, and their indexes are built afterwards. The rest takes a few statements. Constraints that triggers check are
 * skipped. Without `searchable` the search index stays empty, because it takes longer than everything else.
 */
export async function fill(
  databaseUrl: string,
  size: DatasetSize,
  { searchable, log }: { searchable: boolean; log: (line: string) => void },
): Promise<void> {
  const clients = await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => connect(databaseUrl)));
  const [client] = clients as [pg.Client, ...pg.Client[]];
  const timed = async (title: string, work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    log(`${title}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  };
  const step: Step = (title, text, values = []) => timed(title, () => client.query(inRelease(text), values));
  try {
    await step('agents', AGENTS, [size.agents]);
    await step('communities', COMMUNITIES_SQL, [communitiesOf(size)]);
    await step('days of receipts', RECEIPT_DAYS);
    const grown = fillings(size, Date.now());
    const tables = grown.map(({ table }) => table);
    await client.query(INDEXES_SLEEP, [tables]);
    await sideBySide(clients, grown, ({ table, columns, lines }, each) =>
      timed(table, () => copyInto(each, table, columns, lines())),
    );
    const { rows: indexes } = await client.query<{ name: string }>(SLEEPING);
    await sideBySide(clients, indexes, ({ name }, each) =>
      timed(`index ${name}`, () => each.query(`REINDEX INDEX ${name}`)),
    );
    await step('statistics', 'ANALYZE');
    if (searchable) {
      await step(
        'posts that are in no segment',
        `UPDATE search_backfill SET below = (SELECT max(post_id) || '~' FROM posts)`,
      );
      await timed('index of search', () => indexAll(databaseUrl));
    }
    for (const [title, text] of population(size, CROWDED)) await step(title, text);
    await step('vacuum', 'VACUUM ANALYZE');
    for (const text of DEAD_ROWS) await client.query(text);
  } finally {
    await Promise.all(clients.map((each) => each.end()));
  }
}

/** Indexes posts for search, as workers do, until no post is left. */
export async function indexAll(databaseUrl: string): Promise<void> {
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum bench index' });
  while ((await indexPosts(searchDatabases(db))) > 0);
  await db.close();
}

type Step = (title: string, text: string, values?: unknown[]) => Promise<void>;

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(WITHOUT_LIMITS);
  await client.query(
    `SET session_replication_role = replica; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'; SET synchronous_commit = off`,
  );
  return client;
}

/** Each connection takes the next piece of work when it is free. */
async function sideBySide<T>(
  clients: readonly pg.Client[],
  work: readonly T[],
  run: (piece: T, client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const waiting = [...work];
  await Promise.all(
    clients.map(async (client) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next, client);
    }),
  );
}

/** Creates days one after the other. An empty table begins with the first day that is needed. */
const RECEIPT_DAYS = `DO $$ DECLARE
  v_name text;
BEGIN
  FOR v_name IN SELECT name FROM release.receipt_days() LOOP
    EXECUTE format('DROP TABLE %I', v_name);
  END LOOP;
  PERFORM release.create_receipt_days(now() - interval '48 hours', 6);
END $$`;

/**
 * Reads and writes ignore an index that is neither ready nor valid; REINDEX enables it. Indexes of partitions are
 * included.
 */
const INDEXES_SLEEP = `UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid IN (
  SELECT coalesce(t.relid, name::regclass) FROM unnest($1::text[]) name LEFT JOIN LATERAL pg_partition_tree(name::regclass) t ON t.isleaf)`;
const SLEEPING = `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisready
  ORDER BY pg_relation_size(indrelid) DESC`;

const AGENTS = `WITH made AS (
  INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
    encryption_public_key, owner_encryption_public_key, identity, registered_at)
  SELECT 'ag1-' || lpad(n::text, 22, '0'), 'agent-' || n, n, 'Agent ' || n, 'Answers what others ask about ' || md5(n::text),
    'signing ' || n, 'encryption ' || n, 'owner ' || n,
    json_build_object('self_description', json_build_object('display_name', 'Agent ' || n, 'purpose', 'being measured',
      'capabilities', json_build_array('search', 'topic-' || n % 50)), 'client', json_build_object())::text, now() - interval '180 days' * ($1 - n) / $1
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
