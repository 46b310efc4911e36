import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError, loadConfig, loadConfigWithoutLogKeys } from '../../src/config.ts';
import { unknownSettings } from '../../src/ops/unknownSettings.ts';
import { ALL_SETTINGS, changedSettings, SECRET_SETTINGS } from '../../src/settings.ts';
import { withSettings } from '../../src/tools/build/settingsPage.ts';
import { makeTestDirectory } from '../support/directories.ts';

/** What a key looks like that was copied with its padding, or anything else. */
const VALUES = ['l79Ds0f2qbue33vzmICdJcmQET5ZIqwpWUgvAXNyrac=', 'h\u00fcnsch 7 !'];
const GOOD = { DATABASE_URL: 'postgres://a:b@127.0.0.1/x', REDIS_URL: 'redis://127.0.0.1' };

describe('the configuration', () => {
  it('refuses addresses that no program can read, and a public one with a password in it', () => {
    const given = {
      DATABASE_URL: 'postgres://a:b@127.0.0.1:99999/x',
      PUBLIC_BASE_URL: 'https://user:secret@a.example',
    };
    assert.throws(() => loadConfig({ ...GOOD, SECURITY_CONTACT: 'https://a.example\n/b' }), {
      problems: ['SECURITY_CONTACT must be a URL that begins with https or mailto'],
    });
    assert.throws(() => loadConfig({ ...given, REDIS_URL: 'redis://127.0.0.1:99999' }), {
      problems: [
        'PUBLIC_BASE_URL must not contain a user name or a password',
        'DATABASE_URL must be a URL that begins with postgres or postgresql',
        'REDIS_URL must be a URL that begins with redis or rediss or redis+sentinel or rediss+sentinel',
      ],
    });
  });

  it('refuses an address of Redis whose database is no number, or whose password cannot be decoded', () => {
    for (const REDIS_URL of ['redis://127.0.0.1/forum', 'redis://127.0.0.1/0/1'])
      assert.throws(() => loadConfig({ ...GOOD, REDIS_URL }), {
        problems: ['REDIS_URL may have only a database number after the host, such as /0'],
      });
    for (const password of ['50%', 'a%zz', 'a%C3'])
      assert.throws(() => loadConfig({ ...GOOD, REDIS_URL: `redis://:${password}@127.0.0.1` }), {
        problems: ['REDIS_URL has an unescaped % in its user or password. Write it as %25'],
      });
    for (const REDIS_URL of ['redis://127.0.0.1/', 'rediss://a:p%25%2F@[::1]:1/15?family=6'])
      assert.equal(loadConfig({ ...GOOD, REDIS_URL }).redisUrl, REDIS_URL);
  });

  it('is listed in docs/SETTINGS.md', async () => {
    const page = await readFile(new URL('../../docs/SETTINGS.md', import.meta.url), 'utf8');
    assert.equal(page, withSettings(page), 'npm run generate');
  });

  it('takes an origin as the public address, however it is written, and nothing behind it', () => {
    const publicBaseUrl = (PUBLIC_BASE_URL: string) => loadConfig({ ...GOOD, PUBLIC_BASE_URL }).publicBaseUrl;
    assert.equal(publicBaseUrl('https://Forum.example/'), 'https://forum.example');
    for (const behind of ['/forum', '/?a=b', '/#a'])
      assert.throws(() => publicBaseUrl(`https://forum.example${behind}`), {
        problems: ['PUBLIC_BASE_URL must be an origin without a path, such as https://forum.example'],
      });
  });

  it('refuses the former key of the log without the one that follows it: nothing would be signed', () => {
    const seed = Buffer.alloc(32).toString('base64url');
    assert.throws(() => loadConfig({ ...GOOD, LOG_PREVIOUS_SIGNING_KEY: seed }), {
      problems: ['LOG_PREVIOUS_SIGNING_KEY requires LOG_SIGNING_KEY. Set both'],
    });
    const { log } = loadConfig({
      ...GOOD,
      LOG_SIGNING_KEY: seed,
      LOG_PREVIOUS_SIGNING_KEY: seed,
      LOG_MEMORY_DIR: '/m',
    });
    assert.equal(log.previousSigningKey, seed);
  });

  it('takes the settings that reload from SETTINGS_FILE alone, and all others from the environment', async () => {
    const directory = await makeTestDirectory();
    const SETTINGS_FILE = join(directory, 'forum.env');
    const env = { ...GOOD, SETTINGS_FILE, LIMIT_POSTS: '5', LIMIT_VOTES: '6', PORT: '81' };
    try {
      assert.throws(() => loadConfig(env), {
        problems: ['SETTINGS_FILE names a file that is not readable (ENOENT). Correct the path or the permissions'],
      });
      await writeFile(SETTINGS_FILE, '# limits\nLIMIT_POSTS="7"\nPORT=82\n');
      const config = loadConfig(env);
      assert.deepEqual([config.limits.posts, config.limits.votes, config.port], [7, 200, 81]);

      const block = { network: '203.0.113.0', prefix: 24, family: 'ipv4', untilMs: 0, reason: 'spam' };
      await writeFile(join(directory, 'blocked'), '203.0.113.0/24 1970-01-01T00:00:00Z spam\n');
      await writeFile(SETTINGS_FILE, `LIMIT_VOTES=9\nBLOCK_LIST_FILE=${join(directory, 'blocked')}\n`);
      const next = loadConfig({ ...env, PORT: '83' });
      assert.deepEqual([next.limits.posts, next.limits.votes, next.blockList], [30, 9, [block]]);
      assert.deepEqual(changedSettings(config, next), ['LIMIT_POSTS', 'LIMIT_VOTES', 'BLOCK_LIST_FILE']);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('asks for a Redis or a cluster of it', () => {
    assert.throws(() => loadConfig({ ...GOOD, REDIS_URL: '' }), {
      problems: ['REDIS_URL or REDIS_CLUSTER_NODES is required'],
    });
  });

  it('accepts several hosts only where the primary among them is wanted, and does not repeat the address', () => {
    const several = 'postgres://forum:a,secret@a:5432,b/forum';
    assert.throws(() => loadConfig({ ...GOOD, DATABASE_URL: several, DATABASE_READ_URL: several }), {
      problems: [
        'DATABASE_URL names several hosts. Add ?target_session_attrs=read-write, or give one host',
        'DATABASE_READ_URL names several hosts. Give one host',
      ],
    });
    const DATABASE_URL = `${several}?sslmode=require&target_session_attrs=read-write`;
    assert.equal(loadConfig({ ...GOOD, DATABASE_URL }).databaseUrl, DATABASE_URL);
    assert.throws(() => loadConfig({ ...GOOD, DATABASE_URL: DATABASE_URL.replace('b/', 'b:99999/') }), {
      problems: ['DATABASE_URL must be a URL that begins with postgres or postgresql'],
    });
  });

  it('accepts the address of sentinels with the name of a master', () => {
    const REDIS_URL = 'redis+sentinel://:p%25@a:26379,b/forum';
    assert.equal(loadConfig({ ...GOOD, REDIS_URL }).redisUrl, REDIS_URL);
    assert.throws(() => loadConfig({ ...GOOD, REDIS_URL: 'redis+sentinel://a,b/' }), {
      problems: [
        'REDIS_URL must end with the name of the master that the sentinels watch, such as /mymaster or /mymaster/0',
      ],
    });
    assert.throws(() => loadConfig({ ...GOOD, REDIS_URL: 'redis://a,b/0' }), {
      problems: ['REDIS_URL names several hosts. Give one host'],
    });
  });

  it('names variables that look like misspelt settings, and no others', () => {
    const env = {
      LIMIT_POST: '5',
      KARMA_HALF_LIVE_DAYS: '9',
      METER_COLOUR: 'x',
      LIMIT_POSTS: '5',
      HOME: '/',
      LOG_FORMAT: 'json',
    };
    assert.deepEqual(unknownSettings({ ...env, REDIS_PORT_6379_TCP_ADDR: 'x', REDIS_SERVICE_HOST: 'x' }), [
      'KARMA_HALF_LIVE_DAYS is not a setting and is ignored: did you mean KARMA_HALF_LIFE_DAYS?',
      'LIMIT_POST is not a setting and is ignored: did you mean LIMIT_POSTS?',
      'METER_COLOUR is not a setting and is ignored',
    ]);
  });

  it('reports one problem per line and repeats no value, which may be a key', () => {
    // Without that file no setting is checked.
    const names = ALL_SETTINGS.map(({ name }) => name).filter((name) => name !== 'SETTINGS_FILE');
    for (const value of VALUES) {
      assert.throws(
        () => loadConfig(Object.fromEntries(names.map((name) => [name, value]))),
        (error: unknown) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.message.includes(value), false, error.message);
          for (const name of ['LOG_SIGNING_KEY', 'METER_RECEIPT_SIGNING_KEY', 'PORT', 'DATABASE_URL']) {
            assert.equal(error.problems.filter((problem) => problem.startsWith(`${name} `)).length, 1, name);
          }
          return true;
        },
      );
    }
  });
});

describe('secrets in files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-secrets-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const SEED = Buffer.alloc(32, 7).toString('base64url');
  const VALUE_OF: Readonly<Record<string, string>> = {
    DATABASE_URL: 'postgres://a:b@127.0.0.1/x',
    DATABASE_READ_URL: 'postgres://a:b@127.0.0.1/y',
    SEARCH_DATABASE_URL: 'postgres://a:b@127.0.0.1/z',
    REHEARSAL_DATABASE_URL: 'postgres://a:b@127.0.0.1/w',
    REDIS_URL: 'redis://:p@127.0.0.1',
    REDIS_CLUSTER_PASSWORD: 'a password',
    CURSOR_SECRET: 'sixteen characters',
    OPS_TOKEN: 'sixteen characters',
    METER_VENDOR_API_KEY: 'key',
    METER_RECEIPT_SIGNING_KEY: SEED,
    LOG_SIGNING_KEY: SEED,
    LOG_PREVIOUS_SIGNING_KEY: SEED,
  };

  it('reads every secret setting from the file that NAME_FILE names', async () => {
    const named: Record<string, string> = { LOG_MEMORY_DIR: directory };
    const given: Record<string, string> = { LOG_MEMORY_DIR: directory };
    for (const name of SECRET_SETTINGS) {
      given[name] = VALUE_OF[name]!;
      named[`${name}_FILE`] = join(directory, name);
      await writeFile(join(directory, name), `${VALUE_OF[name]}\n`);
    }
    assert.deepEqual(loadConfig(named), loadConfig(given));
    assert.deepEqual(unknownSettings(named), []);
  });

  it('names all files that are missing, empty or given beside the variable, and no value', async () => {
    await writeFile(join(directory, 'empty'), '\n');
    const env = {
      ...GOOD,
      DATABASE_URL_FILE: join(directory, 'empty'),
      CURSOR_SECRET_FILE: join(directory, 'absent'),
      DATABASE_READ_URL_FILE: join(directory, 'empty'),
    };
    assert.throws(() => loadConfig(env), {
      problems: [
        'DATABASE_URL and DATABASE_URL_FILE are both set. Remove one of them',
        'DATABASE_READ_URL_FILE names an empty file. Write the value into it',
        'CURSOR_SECRET_FILE names a file that is not readable (ENOENT). Correct the path or the permissions',
      ],
    });
  });

  it('serves npm run migrate, backup and restore too', async () => {
    const run = promisify(execFile);
    const { DATABASE_URL: _url, ...env } = process.env;
    for (const program of ['migrations/run.ts', 'src/tools/backup/backup.ts']) {
      const outcome = run(process.execPath, ['--import', 'tsx', program, join(directory, 'backup')], {
        env: { ...env, DATABASE_URL_FILE: join(directory, 'absent') },
      });
      await assert.rejects(outcome, {
        stderr: 'DATABASE_URL_FILE names a file that is not readable (ENOENT). Correct the path or the permissions\n',
      });
    }
  });

  it('removes the keys of the log from the environment of a process that does not sign', () => {
    const before = { ...process.env };
    const warnings: string[] = [];
    try {
      Object.assign(process.env, GOOD, { LOG_SIGNING_KEY: SEED, LOG_PREVIOUS_SIGNING_KEY_FILE: '/nowhere' });
      const config = loadConfigWithoutLogKeys((message) => warnings.push(message));
      assert.equal(config.log.signingKey, undefined);
      assert.deepEqual(
        Object.keys(process.env).filter((name) => name.endsWith('SIGNING_KEY') || name.endsWith('_KEY_FILE')),
        [],
      );
      assert.equal(warnings.length, 1);
      assert.match(warnings[0]!, /^LOG_SIGNING_KEY is set, but this process does not sign the log\. /);
      assert.ok(!warnings[0]!.includes(SEED));
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});
