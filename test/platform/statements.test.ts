import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STATES } from '../../src/features/challenges/rules.ts';
import { newestChallenges } from '../../src/features/challenges/store.ts';
import { STATUSES } from '../../src/features/feedback/rules.ts';
import { newestFeedback } from '../../src/features/feedback/store.ts';
import { eventsAfter } from '../../src/features/inbox/store.ts';
import { ensureHalfLife } from '../../src/features/karma/store.ts';
import { REPORT_STATUSES, TARGET_TYPES } from '../../src/features/moderation/rules.ts';
import { isVisible, newestReports } from '../../src/features/moderation/store.ts';
import { newestPosts } from '../../src/features/posts/store.ts';
import { lookUpPosts, walkAgents, walkCommunities, walkPosts } from '../../src/features/search/store.ts';
import { verify } from '../../src/ops/verify.ts';
import { POINTERS } from '../../src/platform/events.ts';
import { type Db, Postgres } from '../../src/platform/postgres/postgres.ts';
import { DECLARED_STATEMENTS } from '../../src/platform/postgres/statement.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const ROOT = join(import.meta.dirname, '../..');
const AGENT = 'ag1-AAAAAAAAAAAAAAAAAAAAAA';
const ANY_ID = 'p_aaaaaaaaaaaaaaaaaaaaaaaaaa';
/** Statements that tests declare for themselves. */
const OF_TESTS = /^(test|probe)\./;

/** What declares each statement whose name is computed, asked with everything that its text can depend on. */
const COMPUTED: Readonly<Record<string, (db: Postgres) => Promise<unknown>>> = {
  'posts.newest': (db) =>
    each(
      combinations({
        authorId: [undefined, AGENT],
        communitySlug: [undefined, 'a-slug'],
        exceptAuthorId: [undefined, AGENT],
        postType: [undefined, 'post', 'question'] as const,
      }),
      (selection) => newestPosts(db, { callerId: null, ...selection }, 1),
    ),
  'feedback.newest': (db) =>
    each(combinations({ status: [undefined, ...STATUSES], authorId: [undefined, AGENT] }), (selection) =>
      newestFeedback(db, selection, 1),
    ),
  'inbox.page': (db) =>
    each(
      combinations({
        type: [undefined, ...POINTERS.map(({ type }) => type)],
        since: [undefined, new Date()],
        unread: [undefined, true, false],
      }),
      (selection) => eventsAfter(db, { agentId: AGENT, afterNumber: 0, ...selection }, 1),
    ),
  'challenges.list': (db) =>
    each([undefined, ...STATES], (state) => newestChallenges(db, { state, now: new Date() }, 1)),
  'moderation.visible': (db) => each(TARGET_TYPES, (type) => isVisible(db, AGENT, { type, id: ANY_ID })),
  'moderation.reports': (db) => each([undefined, ...REPORT_STATUSES], (status) => newestReports(db, { status }, 1)),
  'karma.verifyHolds': async (db) => {
    await ensureHalfLife(db, 30);
    assert.deepEqual(await verify(db), []);
  },
  // Computed from constants, when its module is loaded.
  retention: async () => {},
};

/** Sent unnamed, with a plan of their own: each is carried out, so that it is known to parse. */
const UNPREPARED: readonly ((db: Db) => Promise<unknown>)[] = [
  ...combinations({
    terms: [[], ['abc'], ['abc', 'de\nf']],
    authorId: [undefined, AGENT],
    communitySlug: [undefined, 'a-slug'],
    postType: [undefined, 'post', 'question'] as const,
  }).flatMap((criteria) => [
    (db: Db) => walkPosts(db, criteria, { from: '~', rows: 1, limit: 1 }, { timeoutMs: 5_000 }),
    (db: Db) => lookUpPosts(db, criteria, { from: '~', limit: 1 }, { timeoutMs: 5_000 }),
  ]),
  ...[walkAgents, walkCommunities].map(
    (walk) => (db: Db) => walk(db, ['abc', 'de\nf'], { from: 0, rows: 1, limit: 1 }, { timeoutMs: 5_000 }),
  ),
];

/** Every statement of the service against the migrated schema, whether anything else here happens to send it or not. */
describe('the statements of the service', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let sources: ReadonlyMap<string, string>;
  let declared: ReadonlyMap<string, ReadonlySet<string>>;
  before(async () => {
    database = await createDatabase();
    sources = await sourcesThatDeclare();
    for (const path of sources.keys()) await import(pathToFileURL(path).href);
    const db = new Postgres({ url: database.url, maxConnections: 2, applicationName: 'forum test statements' });
    try {
      for (const declare of Object.values(COMPUTED)) await declare(db);
      for (const send of UNPREPARED) await send(db);
    } finally {
      await db.close();
    }
    declared = new Map([...DECLARED_STATEMENTS].filter(([name]) => !OF_TESTS.test(name)));
  });
  after(() => database.drop());

  it('are all known here: each name stands in the source, or is computed by what is listed above', () => {
    // Where the statements of an effect are put together each name is computed.
    const texts = [...sources].flatMap(([path, text]) => (path.endsWith('kernel/effect.ts') ? [] : [text]));
    const written = texts.flatMap((text) => [...text.matchAll(/\b(?:sql|effect)\(\s*'([^']+)'/g)]);
    const unknown = written.map(([, name]) => name!).filter((name) => !declared.has(name));
    assert.deepEqual(unknown, [], 'declared when called: list it as computed');
    const calls = texts.flatMap((text) => [...text.matchAll(/(?<!function )\b(?:sql|effect)\(/g)]);
    assert.equal(calls.length - written.length, Object.keys(COMPUTED).length, 'another name is computed: list it');
    for (const prefix of Object.keys(COMPUTED)) {
      assert.ok(
        [...declared.keys()].some((name) => name === prefix || name.startsWith(`${prefix}.`)),
        prefix,
      );
    }
  });

  it('have one text each', () => {
    const ambiguous = [...declared].filter(([, texts]) => texts.size > 1).map(([name]) => name);
    assert.deepEqual(ambiguous, []);
    const names = [...sources.values()].flatMap((text) =>
      [...text.matchAll(/\b(?:sql|effect)\(\s*'([^']+)'/g)].map(([, name]) => name),
    );
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
      'declared twice',
    );
  });

  it('are prepared by the database', async () => {
    const statements = [...declared].flatMap(([name, texts]) => [...texts].map((text) => ({ name, text })));
    assert.ok(statements.length > 100, String(statements.length));
    assert.deepEqual(await refusedPreparations(statements), []);
  });

  it('of writes pass the gate, or belong to what nobody signs', () => {
    const effects = [...declared.keys()].filter((name) => declared.has(`${name}.hasty`));
    assert.ok(effects.length > 30, String(effects.length));
    const ungated = effects.filter((name) => !/WHEN \w+\.enter_write\(/.test([...declared.get(name)!][0]!));
    assert.deepEqual(
      ungated.filter((name) => !name.endsWith('.entered')),
      [],
    );
    const recording = [...declared].filter(([, texts]) => /\brecord_write\(/.test([...texts][0]!));
    assert.equal(recording.length, 2 * effects.length);
  });

  it('are all used', () => {
    const unused: string[] = [];
    for (const [path, text] of sources) {
      for (const [, exported, name] of text.matchAll(/^(export )?const (\w+)(?:: \w+)? = (?:sql|effect)\(/gm)) {
        const uses = (source: string) => [...source.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length;
        const elsewhere = exported ? [...allSources].filter(([other]) => other !== path) : [];
        if (uses(text) < 2 && !elsewhere.some(([, other]) => uses(other) > 0)) unused.push(name!);
      }
    }
    assert.deepEqual(unused, []);
  });

  /** Every source of the service by its path. */
  const allSources = new Map<string, string>();

  async function sourcesThatDeclare(): Promise<Map<string, string>> {
    for (const folder of ['src', 'workers']) {
      const files = await readdir(join(ROOT, folder), { recursive: true });
      for (const file of files.filter((name) => name.endsWith('.ts'))) {
        const path = join(ROOT, folder, file);
        allSources.set(path, await readFile(path, 'utf8'));
      }
    }
    return new Map([...allSources].filter(([, text]) => /(?<!function )\b(?:sql|effect)\(/.test(text)));
  }

  async function refusedPreparations(statements: readonly { name: string; text: string }[]): Promise<string[]> {
    const refused: string[] = [];
    const client = await database.pool.connect();
    try {
      for (const { name, text } of statements) {
        await client.query(`PREPARE statement AS ${text}`).then(
          () => client.query('DEALLOCATE statement'),
          (error: Error) => refused.push(`${name}: ${error.message}`),
        );
      }
    } finally {
      client.release();
    }
    return refused;
  }
});

/** Every choice of one value a key. */
function combinations<T extends object>(choices: { readonly [Key in keyof T]: readonly T[Key][] }): T[] {
  return Object.entries<readonly unknown[]>(choices).reduce<object[]>(
    (found, [key, values]) => found.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  ) as T[];
}

async function each<T>(values: readonly T[], work: (value: T) => Promise<unknown>): Promise<void> {
  for (const value of values) await work(value);
}
