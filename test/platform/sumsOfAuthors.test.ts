import assert from 'node:assert/strict';
import knex from 'knex';
import { up } from '../../migrations/0051_sums_of_authors.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const AUTHORS = 2_500;
const WRITERS = 6;
const ROUNDS = 5;

/** What an author has in all communities together, beside the rows it is the sum of. */
describe('sums of authors', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  afterEach(async () => {
    await database.pool.query('TRUNCATE author_counts');
  });

  /** As `count_authored` writes it, whichever release posts. */
  const post = (author: string, slug: string, posts = 1) =>
    database.pool.query(
      `INSERT INTO author_counts AS c (author_id, community_slug, posts, findings) VALUES ($1, $2, 1, 0)
       ON CONFLICT (author_id, community_slug) DO UPDATE SET posts = c.posts + $3, findings = c.findings + 1`,
      [author, slug, posts],
    );

  async function assertTrueSums(): Promise<void> {
    const { rows } = await database.pool.query(
      `SELECT author_id, sum(posts) FILTER (WHERE community_slug <> '') AS posts, sum(community_posts) AS summed FROM author_counts
       GROUP BY 1 HAVING (coalesce(sum(posts) FILTER (WHERE community_slug <> ''), 0),
           coalesce(sum(findings) FILTER (WHERE community_slug <> ''), 0))
         IS DISTINCT FROM (sum(community_posts), sum(community_findings))
         OR count(*) FILTER (WHERE community_slug = '') <> 1`,
    );
    assert.deepEqual(rows, []);
  }

  it('are true of authors whose first posts come at once, in communities and out of them', async () => {
    const places = ['', 'a', 'b', 'c', 'a', ''];
    for (let n = 0; n < 20; n++) await Promise.all(places.map((slug) => post(`new-${n}`, slug)));
    await Promise.all(places.map((slug) => post('new-0', slug, slug === 'a' ? -1 : 1)));
    await assertTrueSums();
  });

  it('are made of what was counted before, while others write', async () => {
    await database.pool.query(`DROP TRIGGER author_counts_summed ON author_counts`);
    await database.pool.query('ALTER TABLE author_counts DROP COLUMN community_posts, DROP COLUMN community_findings');
    await database.pool.query(
      `INSERT INTO author_counts SELECT 'old-' || n, slug, n, 1 FROM generate_series(1, $1::integer) n
       CROSS JOIN unnest(CASE n % 3 WHEN 0 THEN ARRAY['', 'a', 'b'] WHEN 1 THEN ARRAY['a', 'c'] ELSE ARRAY[''] END) slug`,
      [AUTHORS],
    );
    const begun = await database.pool.connect();
    await begun.query('BEGIN');
    await begun.query(`UPDATE author_counts SET posts = posts + 1 WHERE author_id = 'old-1'`);
    const migration = knex({ client: 'pg', connection: database.url });
    let isUnderWay = true;
    const write = async (writer: number) => {
      for (let n = 0; isUnderWay; n++) {
        const round = n % ROUNDS;
        await post(`old-${1 + ((n * 37 + writer) % AUTHORS)}`, ['', 'a', 'b', 'd', 'e'][round]!);
        await post(`late-${writer}-${n}`, ['', 'a'][n % 2]!);
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    try {
      const migrated = up(migration);
      await begun.query('COMMIT');
      await migrated;
    } finally {
      isUnderWay = false;
      begun.release();
      await migration.destroy();
      await writers;
    }
    await assertTrueSums();
  });
});
