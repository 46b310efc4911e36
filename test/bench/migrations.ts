// `npm run bench:migrations -- TAG [POSTS]`: fills a database of an earlier release (with 200,000 posts), migrates it
// to this schema, and prints the time of each migration for a million posts (migrations/README.md).
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { startTestServices } from '../support/services.ts';

const HERE = join(import.meta.dirname, '../..');
const [tag, text = '200000'] = process.argv.slice(2);
const posts = Number(text);
if (!tag || !(posts > 0)) throw new Error('npm run bench:migrations -- TAG [POSTS]');

/** Runs in the tree of the earlier release, whose tables its own dataset fits. Prints the address of the database. */
const FILL = `import { FULL_SIZE, fill } from './test/bench/dataset.ts';
  import { createDatabase } from './test/support/database.ts';
  import { createTemplate } from './test/support/template.ts';
  await createTemplate();
  const { url } = await createDatabase();
  const size = { ...FULL_SIZE, posts: ${posts}, agents: ${posts / 10}, replies: ${posts / 10} };
  await fill(url, size, { searchable: false, log: () => {} });
  process.stdout.write(url, () => process.exit());`;

const services = await startTestServices();
const directory = await makeTestDirectory();
try {
  const release = join(directory, 'release');
  await mkdir(release);
  execFileSync('git', ['archive', '--output', join(directory, 'release.tar'), tag], { cwd: HERE });
  execFileSync('tar', ['-xf', join(directory, 'release.tar'), '-C', release]);
  await symlink(join(HERE, 'node_modules'), join(release, 'node_modules'));
  const url = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', FILL], {
    cwd: release,
    env: { ...process.env, TEST_DATABASE_URL: services.databaseUrl, TEST_REDIS_URL: services.redisUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  let before = new Date();
  await migrateLatest(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string; at: Date }>(
    'SELECT name, migration_time AS at FROM knex_migrations WHERE migration_time > $1 ORDER BY id',
    [before],
  );
  for (const { name, at } of rows) {
    const seconds = (at.getTime() - before.getTime()) / 1_000;
    console.log(`${name.padEnd(32)}${((seconds * 1_000_000) / posts).toFixed(1).padStart(8)} s a million posts`);
    before = at;
  }
  await client.end();
} finally {
  await services.stop();
  await rm(directory, { recursive: true, force: true });
}
