import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { migrateLatest } from '../../../migrations/run.ts';
import { loadConfig } from '../../../src/config.ts';
import { requireRedis } from '../../../src/ops/redis.ts';
import { requireDatabase } from '../../../src/ops/schema.ts';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { RELEASE } from '../../../src/platform/postgres/release.ts';
import { connectRedis } from '../../../src/platform/redis/redis.ts';
import { StartupError } from '../../../src/platform/startupError.ts';
import { startFailure } from '../../../src/start/startFailure.ts';
import { compileTree } from '../../../src/tools/dev/compiled.ts';
import { chooseFreePort } from '../../../src/tools/dev/ports.ts';
import { startWorkers } from '../../../workers/worker.ts';
import { asAdmin, createDatabase, databaseUrlNamed, redisForTest, type TestDatabase } from '../../support/database.ts';
import { makeTestDirectory } from '../../support/directories.ts';
import { together } from '../../support/together.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS = {
  api: 'src/main.js',
  worker: 'workers/main.js',
  migrate: 'migrations/run.js',
  verify: 'src/ops/verify.js',
  export: 'src/tools/export/export.js',
  rebuildSearch: 'src/ops/rebuildSearch.js',
} as const;
type Program = keyof typeof PROGRAMS;
const SERVERS: readonly Program[] = ['api', 'worker'];
/** What an operator runs beside them. */
const COMMANDS: readonly Program[] = ['migrate', 'verify', 'export', 'rebuildSearch'];
const ALL: readonly Program[] = [...SERVERS, ...COMMANDS];

const SILENT = pino({ level: 'silent' });

/** How servers and commands check their database. The first test shows that each of them reports what this throws. */
async function checkDatabase(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env);
  const db = new Postgres({ url: config.databaseUrl, maxConnections: 1, applicationName: 'forum test' });
  await requireDatabase(db, config, SILENT).finally(() => db.close());
}

async function migrate({ DATABASE_URL }: NodeJS.ProcessEnv): Promise<void> {
  await migrateLatest(DATABASE_URL!).catch((error: unknown) => {
    throw startFailure(error, DATABASE_URL!);
  });
}

async function checkRedis(env: NodeJS.ProcessEnv): Promise<void> {
  const connection = connectRedis(loadConfig(env), 'queue');
  await requireRedis(connection, 10_000).finally(() => connection.disconnect());
}

const startWorker = (env: NodeJS.ProcessEnv) => startWorkers(loadConfig(env), SILENT);

/** In no message, whatever is wrong. */
const PASSWORD = `secret${randomBytes(6).toString('hex')}`;

/** A real start against real servers, for each possible problem of them. */
describe('a start that fails', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let redisUrl: string;
  let directory: string;
  before(async () => {
    database = await createDatabase();
    directory = await makeTestDirectory();
    redisUrl = (await redisForTest()).url;
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  /** What a program wrote to standard error; throws unless it ended with code 1 by itself. */
  async function failureOf(args: string[], env: Record<string, string>): Promise<string> {
    const settings = { DATABASE_URL: database.url, REDIS_URL: redisUrl, PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'warn' };
    return new Promise((resolve, reject) => {
      const options = { cwd: ROOT, env: { ...process.env, ...settings, ...env } };
      execFile(process.execPath, args, options, (error, stdout, stderr) => {
        if (error?.code === 1) resolve(stderr);
        else
          reject(new Error(`${args.join(' ')} ended with ${error?.code ?? error?.signal ?? 0}:\n${stdout}${stderr}`));
      });
    });
  }

  async function assertFails(
    programs: readonly Program[],
    env: Record<string, string>,
    expected: RegExp,
  ): Promise<void> {
    const tree = await compileTree(ROOT);
    for (const program of programs) {
      const named = program === 'export' ? [join(directory, 'export')] : [];
      assertMessage(await failureOf([join(tree, PROGRAMS[program]), ...named], env), expected, program);
    }
  }

  function assertMessage(text: string, expected: RegExp, program: string): void {
    assert.match(text, expected, program);
    assert.equal(text.trimEnd().split('\n').length, 1, `${program}: ${text}`);
    for (const password of [PASSWORD, ...[database.url, redisUrl].map((url) => new URL(url).password)]) {
      assert.ok(!text.includes(password), `${program} tells a password: ${text}`);
    }
  }

  /** As `assertFails`, without a process of its own. */
  async function assertThrows(
    start: (env: NodeJS.ProcessEnv) => Promise<unknown>,
    env: Record<string, string>,
    expected: RegExp,
  ): Promise<void> {
    await assert.rejects(start({ DATABASE_URL: database.url, REDIS_URL: redisUrl, ...env }), (error) => {
      assert.ok(error instanceof StartupError, String(error));
      assertMessage(error.message, expected, start.name);
      return true;
    });
  }

  const changed = (url: string, change: (url: URL) => void): string => {
    const copy = new URL(url);
    change(copy);
    return copy.href;
  };

  it('says that nothing listens where the database should be', async () => {
    const port = await chooseFreePort([]);
    const url = `postgres://forum:${PASSWORD}@127.0.0.1:${port}/forum`;
    await assertFails(
      ALL,
      { DATABASE_URL: url },
      new RegExp(`PostgreSQL is not running at 127\\.0\\.0\\.1:${port} .*Start it`),
    );
  });

  it('is reported by `npm start` in the same words', async () => {
    const directory = await makeTestDirectory();
    const DATABASE_URL = `postgres://forum:${PASSWORD}@127.0.0.1:${await chooseFreePort([])}/forum`;
    try {
      const env = { DATABASE_URL, PORT: String(await chooseFreePort([])) };
      const text = await failureOf(['--import', 'tsx', 'src/tools/dev/start.ts', directory], env);
      assert.match(text, /PostgreSQL is not running at .*\n+The migration: ended with code 1\n$/);
      assert.doesNotMatch(text, /^ +at |secret/m);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('says that the password is wrong, or is wanted', async () => {
    const wrong = changed(database.url, (url) => {
      url.password = PASSWORD;
    });
    await assertThrows(
      checkDatabase,
      { DATABASE_URL: wrong },
      /rejects the password of the role \w+\. Correct it in DATABASE_URL/,
    );
    const none = changed(database.url, (url) => {
      url.password = '';
    });
    // In this process the connection would stay open.
    await assertFails(
      ['migrate'],
      { DATABASE_URL: none },
      /requires the password of the role \w+\. Add it to DATABASE_URL/,
    );
  });

  it('says how to make a database that there is not', async () => {
    const url = databaseUrlNamed('not_made_yet');
    await assertThrows(
      checkDatabase,
      { DATABASE_URL: url },
      /has no database not_made_yet\. Create it: createdb .*--locale=C not_made_yet$/m,
    );
  });

  it('says that there is no schema to migrate', async () => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    const how = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'";
    await asAdmin((admin) => admin.query(`CREATE DATABASE ${name} ${how}`));
    try {
      const url = changed(databaseUrlNamed(name), ({ searchParams }) =>
        searchParams.set('options', '-c search_path=nowhere'),
      );
      await assertThrows(
        migrate,
        { DATABASE_URL: url },
        /has no schema for its tables .* the search_path of the role\.$/m,
      );
    } finally {
      await asAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
    }
  });

  it('says that the server speaks no TLS', async () => {
    const encrypted = changed(database.url, (url) => url.searchParams.set('sslmode', 'verify-full'));
    await assertThrows(
      migrate,
      { DATABASE_URL: encrypted },
      /TLS connection .* failed \(.*\)\. Correct sslmode in DATABASE_URL/,
    );
  });

  it('says which file of an address cannot be read, and that the driver cannot read an address', async () => {
    const file = join(directory, 'none.crt');
    const named = changed(database.url, (url) => url.searchParams.set('sslrootcert', file));
    await assertThrows(
      checkDatabase,
      { DATABASE_URL: named },
      /^DATABASE_URL names the file \/.*\/none\.crt, .* \(ENOENT\)\. /,
    );
    const unread = `postgres://forum:${PASSWORD}%C3@127.0.0.1/forum`;
    await assertThrows(
      checkDatabase,
      { DATABASE_URL: unread },
      /^DATABASE_URL cannot be parsed\. Write a % .* as %25\.$/m,
    );
  });

  it('says that the server knows no such option', async () => {
    const url = changed(database.url, ({ searchParams }) => searchParams.set('options', '-c nonsense=1'));
    await assertThrows(migrate, { DATABASE_URL: url }, /rejects the connection \(.*"nonsense"\)\. Correct/);
  });

  it('reports an invalid address', async () => {
    await assertFails(['migrate'], { DATABASE_URL: 'mysql://x' }, /DATABASE_URL is not an address of PostgreSQL/);
    await assertFails(['migrate'], { DATABASE_URL: '' }, /DATABASE_URL is not set/);
  });

  it('says that the database is to be migrated', async () => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await asAdmin((admin) =>
      admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_CTYPE 'C.UTF-8'`),
    );
    try {
      const env = { DATABASE_URL: databaseUrlNamed(name) };
      const expected = /not up to date \(not migrated\)\. Run: npm run migrate$/m;
      await assertThrows(checkDatabase, env, expected);
      await assertFails(['api'], { ...env, API_PROCESSES: '2' }, expected);
    } finally {
      await asAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
    }
  });

  it('says that a migration, or the functions of this release, are missing', async () => {
    const { url, pool, drop } = await createDatabase();
    try {
      const { rows } = await pool.query(
        'DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations) RETURNING *',
      );
      await assertThrows(checkDatabase, { DATABASE_URL: url }, /\(1 migrations missing\)\. Run: npm run migrate/);
      await pool.query(`INSERT INTO knex_migrations SELECT * FROM json_populate_record(NULL::knex_migrations, $1)`, [
        JSON.stringify(rows[0]),
      ]);
      await pool.query(`ALTER SCHEMA ${RELEASE} RENAME TO release_of_yesterday`);
      await assertThrows(
        checkDatabase,
        { DATABASE_URL: url },
        /\(functions of this release missing\)\. Run: npm run migrate/,
      );
    } finally {
      await drop();
    }
  });

  it('says that the server takes no writes, as a standby does', async () => {
    const url = changed(database.url, (each) =>
      each.searchParams.set('options', '-c default_transaction_read_only=on'),
    );
    const expected = /is read-only \(.*read-only transaction\)\. Name the primary in DATABASE_URL, or promote this/;
    await assertFails(['api'], { DATABASE_URL: url }, expected);
    await assertThrows(migrate, { DATABASE_URL: url }, expected);
  });

  it('says which port is taken', async () => {
    const another = createServer().listen(0, '127.0.0.1');
    await once(another, 'listening');
    try {
      const { port } = another.address() as AddressInfo;
      await assertFails(['api'], { PORT: `${port}` }, /Cannot listen on 127\.0\.0\.1:\d+, .*Set PORT to a free port/);
    } finally {
      another.close();
    }
  });

  it('says of a worker that it could never sign the log', async () => {
    const env = { LOG_SIGNING_KEY: randomBytes(32).toString('base64url'), LOG_MEMORY_DIR: join(directory, 'memory') };
    const file = fileURLToPath(import.meta.url);
    await assertThrows(
      startWorker,
      { ...env, LOG_MEMORY_DIR: join(file, 'memory') },
      /^LOG_MEMORY_DIR is not writable \(/,
    );
    const LOG_WITNESSES = 'w.example+00000000+AAAA https://w.example';
    await assertThrows(
      startWorker,
      { ...env, LOG_WITNESSES },
      /^Entry 1 of LOG_WITNESSES is not a verifier key and a URL\. /,
    );
  });

  it('refuses a new database that is not in UTF-8, and leaves it as it was', async () => {
    const expected = /has the encoding SQL_ASCII, but the forum needs UTF8.*with dropdb and create it again: createdb /;
    const name = `test_${randomBytes(8).toString('hex')}`;
    const options = `ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'`;
    await asAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`));
    try {
      await assertThrows(migrate, { DATABASE_URL: databaseUrlNamed(name) }, expected);
      // A database with tables would get past the check.
      await assertThrows(migrate, { DATABASE_URL: databaseUrlNamed(name) }, expected);
    } finally {
      await asAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
    }
  });

  it('says that Redis wants another password', async () => {
    const wrong = changed(redisUrl, (url) => {
      url.password = PASSWORD;
    });
    await assertThrows(checkRedis, { REDIS_URL: wrong }, /Redis is not usable \(rejects the password\)/);
    const none = changed(redisUrl, (url) => {
      url.password = '';
    });
    await assertThrows(checkRedis, { REDIS_URL: none }, /Redis is not usable \(requires a password\)/);
  });

  together({
    'says of a worker that Redis is not there': async () => {
      const gone = `redis://:${PASSWORD}@127.0.0.1:${await chooseFreePort([])}`;
      await assertFails(['worker'], { REDIS_URL: gone }, /Redis is not usable \(connection refused\): start it, or/);
    },
  });
});
