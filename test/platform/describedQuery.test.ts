import assert from 'node:assert/strict';
import pg from 'pg';
import { rowsOf, type Statement } from '../../src/platform/postgres/statement.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const ALL_KINDS: Statement = {
  name: 'test.kinds',
  text: `SELECT n, n::bigint AS big, NULL::text AS nothing, n = 2 AS two, '2026-01-02T03:04:05.678Z'::timestamptz AS at,
           jsonb_build_object('n', n) AS json, decode('00ff', 'hex') AS bytes FROM generate_series(1, $1::integer) n`,
};
const rowOf = (n: number) => ({
  n,
  big: String(n),
  nothing: null,
  two: n === 2,
  at: new Date('2026-01-02T03:04:05.678Z'),
  json: { n },
  bytes: Buffer.from([0, 255]),
});

describe('what a connection knows of a prepared statement', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let asked: number;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    client = new pg.Client({ connectionString: database.url, pipeline: true } as pg.ClientConfig);
    await client.connect();
    const { connection } = client as unknown as { connection: { describe(message: object): void } };
    const describeOnce = connection.describe.bind(connection);
    asked = 0;
    connection.describe = (message) => {
      asked += 1;
      describeOnce(message);
    };
  });
  afterEach(() => client.end());

  const rows = (statement: Statement, ...values: unknown[]) => rowsOf<object>(client, 'named', statement, values);

  it('is asked for once, and read the same each time', async () => {
    for (const count of [3, 0, 1, 2]) {
      const expected = Array.from({ length: count }, (_, index) => rowOf(index + 1));
      const found = await rows(ALL_KINDS, count);
      assert.deepEqual(
        found.map((row) => ({ ...row })),
        expected,
      );
      assert.deepEqual(found.map(Object.keys), expected.map(Object.keys));
    }
    assert.equal(asked, 1);
  });

  it('is right for what is sent before the first was answered', async () => {
    const other: Statement = { name: 'test.other', text: 'SELECT $1::text AS text' };
    const sent = [rows(ALL_KINDS, 1), rows(other, 'a'), rows(ALL_KINDS, 2), rows(other, 'b'), rows(ALL_KINDS, 1)];
    const answers = (await Promise.all(sent)).map((each) => each.map((row) => ({ ...row })));
    assert.deepEqual(answers, [[rowOf(1)], [{ text: 'a' }], [rowOf(1), rowOf(2)], [{ text: 'b' }], [rowOf(1)]]);
    assert.deepEqual({ ...(await rows(other, 'c'))[0] }, { text: 'c' });
    assert.equal(asked, 5);
  });

  it('outlives failures, of the server and of a value that cannot be sent', async () => {
    const divided: Statement = { name: 'test.divided', text: 'SELECT 6 / $1::integer AS of' };
    const unsendable = { toPostgres: () => assert.fail('cannot be sent') };
    assert.deepEqual({ ...(await rows(divided, 2))[0] }, { of: 3 });
    const settled = await Promise.allSettled([rows(divided, 0), rows(divided, 3)]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    assert.deepEqual({ ...(await rows(divided, 1))[0] }, { of: 6 });
    await assert.rejects(rows(divided, unsendable), /cannot be sent/);
    assert.equal((await rows(ALL_KINDS, 2)).length, 2);
  });

  it('is never used for columns that have changed: the server refuses the statement', async () => {
    const changing: Statement = { name: 'test.changing', text: 'SELECT * FROM changing' };
    await client.query('CREATE TABLE changing AS SELECT 1 AS first');
    for (let n = 0; n < 2; n++) assert.deepEqual({ ...(await rows(changing))[0] }, { first: 1 });
    await client.query('ALTER TABLE changing ADD COLUMN second integer DEFAULT 2');
    await assert.rejects(rows(changing), /cached plan must not change result type/);
  });

  it('is nothing where statements have no names', async () => {
    for (let n = 1; n < 3; n++) {
      const found = await rowsOf<object>(client, 'unnamed', ALL_KINDS, [n]);
      assert.equal(found.length, n);
    }
    assert.equal(asked, 2);
  });
});
