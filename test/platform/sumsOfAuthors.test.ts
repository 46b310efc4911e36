import assert from 'node:assert/strict';
import { createDatabase, type TestDatabase } from '../support/database.ts';

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

  /** Writes as the trigger function `count_authored` does. */
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

  it('are correct for concurrent first posts, in communities and outside', async () => {
    const places = ['', 'a', 'b', 'c', 'a', ''];
    for (let n = 0; n < 20; n++) await Promise.all(places.map((slug) => post(`new-${n}`, slug)));
    await Promise.all(places.map((slug) => post('new-0', slug, slug === 'a' ? -1 : 1)));
    await assertTrueSums();
  });
});
