import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { loadRelease } from '../../migrations/release.ts';
import { ensureHalfLife } from '../../src/features/karma/store.ts';
import { verify } from '../../src/ops/verify.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { asAdmin, databaseUrlNamed } from '../support/database.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const LAST_OF_RELEASE_1 = '0019';
/** What the gate of every write looks at (migration 0003). */
const ADMISSION = (agentId: string) =>
  JSON.stringify({
    agentId,
    nonce: randomBytes(16).toString('base64url'),
    signedAt: new Date(),
    at: new Date(),
    operation: 'test',
    counter: null,
    reserved: true,
    fence: 0,
    status: 201,
    preview: false,
  });

describe('the schema of release 1', () => {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = () => databaseUrlNamed(name);
  let database: Knex;
  let db: Postgres;
  before(async () => {
    await asAdmin((admin) =>
      admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`),
    );
    database = knex({ client: 'pg', connection: url(), pool: { min: 0, max: 2 } });
    db = new Postgres({ url: url(), maxConnections: 2, applicationName: 'forum test release' });
  });
  after(async () => {
    await database.destroy();
    await db.close();
    await asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${name}`));
  });

  const migrate = async (file: string) => (await import(new URL(file, MIGRATIONS).href)).up(database);
  const rows = async (text: string, values: readonly string[] = []) =>
    (await database.raw<{ rows: Record<string, unknown>[] }>(text, values as string[])).rows;
  const register = (agentId: string) =>
    rows(
      `SELECT register_agent(?, ?, 'D', '', ?, 'e', 'o', '{}', clock_timestamp(), 40000000,
         clock_timestamp() + interval '7 days', '', 0)`,
      [agentId, agentId, agentId],
    );
  const declare = async (challengeId: string) => {
    await rows(
      `SELECT create_challenge(?::jsonb, '{}', ?, 'declarer', '{}', 'h', 5000000, clock_timestamp(),
         clock_timestamp() + interval '1 day', clock_timestamp())`,
      [ADMISSION('declarer'), challengeId],
    );
    await rows(`SELECT stake_challenge(?::jsonb, '{}', ?, 'staker', 'yes', 3000000, true, clock_timestamp())`, [
      ADMISSION('staker'),
      challengeId,
    ]);
  };
  const figures = () => rows('SELECT (grace + main)::text AS available FROM karma_accounts ORDER BY agent_id');

  it('with challenges that it removed is upgraded to one in which nobody’s karma is frozen', async () => {
    const files = (await readdir(MIGRATIONS)).filter((file) => /^\d{4}_/.test(file)).toSorted();
    const isReleased = (file: string) => file.slice(0, 4) <= LAST_OF_RELEASE_1;
    for (const file of files.filter(isReleased)) await migrate(file);
    await ensureHalfLife(db, 90);
    for (const agentId of ['declarer', 'staker']) await register(agentId);
    for (const challengeId of ['ch_removed', 'ch_vetoed', 'ch_kept']) await declare(challengeId);
    await rows(`SELECT veto_challenge('ch_vetoed', clock_timestamp())`);
    for (const challengeId of ['ch_removed', 'ch_vetoed'])
      await rows(`SELECT mark_subject('challenge', ?, true, clock_timestamp())`, [challengeId]);
    assert.deepEqual(await figures(), [{ available: '30000000' }, { available: '34000000' }]);

    for (const file of files.filter((each) => !isReleased(each))) await migrate(file);
    await asClientOf(url(), loadRelease);

    assert.deepEqual(await figures(), [{ available: '35000000' }, { available: '37000000' }]);
    assert.deepEqual(await rows('SELECT challenge_id, settled_as FROM challenge_states ORDER BY 1'), [
      { challenge_id: 'ch_kept', settled_as: null },
      { challenge_id: 'ch_removed', settled_as: 'void' },
      { challenge_id: 'ch_vetoed', settled_as: null },
    ]);
    // The record of moderation is written by the service, not by these calls: the ledger alone is looked at.
    assert.deepEqual(
      (await verify(db)).filter((problem) => !problem.startsWith('the challenge ')),
      [],
    );
  });
});

async function asClientOf(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await work(client).finally(() => client.end());
}
