import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gramsOf } from '../../../src/features/watches/rules.ts';
import { inRelease } from '../../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const WATCHES = 10_000;
const CHAPTERS = join(import.meta.dirname, '../../../src/discovery/docs');
/** Characters of a body, up to the longest. */
const LENGTHS = [500, 1_000, 2_000, 20_000];
const RUNS = 40;

/** The cost of matching (`term_watches`): English texts against watches of terms in the same language. */
describe('matching a post with 10,000 watched terms', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let text = '';
  before(async () => {
    database = await createDatabase();
    const names = (await readdir(CHAPTERS)).filter((name) => name.endsWith('.md')).toSorted();
    text = (await Promise.all(names.map((name) => readFile(join(CHAPTERS, name), 'utf8')))).join('\n');
    const words = [...new Set(text.toLowerCase().match(/[a-z]{3,}/g))];
    let state = 1;
    const word = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return words[Math.floor((state / 2 ** 32) * words.length)]!;
    };
    const half = (each: string) => each.slice(0, Math.ceil(each.length / 2));
    // Pairs of words, and words that are made of two: nearly none of them is in a text.
    const terms = Array.from({ length: WATCHES }, (_, n) =>
      n % 2 === 0 ? `${word()} ${word()}` : half(word()) + half(word()),
    ).map((term) => term.padEnd(3, 'x'));
    await database.pool.query(
      `INSERT INTO watches (agent_id, watch_id, kind, value, sought, gram, other_gram, created_at)
       SELECT 'agent ' || n / 20, 'w_' || lpad(n::text, 25, '0'), 'term', term, term, gram, other_gram, now()
       FROM unnest($1::text[], $2::integer[], $3::integer[]) WITH ORDINALITY t (term, gram, other_gram, n) ON CONFLICT DO NOTHING`,
      [terms, terms.map((term) => gramsOf(term).gram), terms.map((term) => gramsOf(term).otherGram)],
    );
    await database.pool.query('VACUUM ANALYZE watches');
  });
  after(() => database.drop());

  for (const length of LENGTHS) {
    it(`takes a worker little time for a body of ${length} characters`, async () => {
      const client = await database.pool.connect();
      try {
        const times: number[] = [];
        for (let n = 0; n < RUNS; n++) {
          const from = (n * 9_973) % (text.length - length);
          const body = text.slice(from, from + length);
          const { rows } = await client.query<{ ms: number; found: string }>(
            inRelease(`WITH begun AS MATERIALIZED (SELECT clock_timestamp() AS at), found AS MATERIALIZED (
               SELECT count(*) AS found FROM begun
               CROSS JOIN LATERAL release.term_watches(left(begun.at::text, 0) || 'A title', $1, 10000))
             SELECT found, extract(epoch FROM clock_timestamp() - begun.at)::float8 * 1000 AS ms FROM found, begun`),
            [body],
          );
          times.push(rows[0]!.ms);
        }
        const sorted = times.toSorted((a, b) => a - b);
        console.log(
          `      ${sorted[RUNS / 2]!.toFixed(2)} ms (median of ${RUNS}), at most ${sorted.at(-1)!.toFixed(2)} ms`,
        );
        assert.ok(times.length === RUNS);
      } finally {
        client.release();
      }
    });
  }
});
