import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { STATES } from '../../../src/features/challenges/rules.ts';
import { newestChallenges } from '../../../src/features/challenges/store.ts';
import { STATUSES } from '../../../src/features/feedback/rules.ts';
import { newestFeedback } from '../../../src/features/feedback/store.ts';
import { REPORT_STATUSES, TARGET_TYPES } from '../../../src/features/governance/moderation/rules.ts';
import { eventsBefore, isVisible, newestReports } from '../../../src/features/governance/moderation/store.ts';
import { verifyModeration } from '../../../src/features/governance/moderation/verify.ts';
import { eventsAfter } from '../../../src/features/inbox/store.ts';
import { ensureHalfLife } from '../../../src/features/karma/store.ts';
import { MAX_SECONDS } from '../../../src/features/meter/rules.ts';
import { receiptLedger } from '../../../src/features/meter/store.ts';
import { type RankSelection, rankedPosts, rankedVersion } from '../../../src/features/posts/ranks.ts';
import { newestPosts, newestVersion } from '../../../src/features/posts/store.ts';
import {
  matchingPosts,
  walkAgents,
  walkCommunities,
  walkPosts,
  walkWaiting,
} from '../../../src/features/search/store.ts';
import { verifyReferences } from '../../../src/ops/references.ts';
import { verify } from '../../../src/ops/verify.ts';
import { type Db, Postgres } from '../../../src/platform/postgres/postgres.ts';
import { DECLARED_STATEMENTS } from '../../../src/platform/postgres/statement.ts';
import { POINTERS } from '../../../src/recording/events.ts';

const ROOT = join(import.meta.dirname, '../../..');
const AGENT = 'ag1-AAAAAAAAAAAAAAAAAAAAAA';
const ANY_ID = 'p_aaaaaaaaaaaaaaaaaaaaaaaaaa';
/** Statements that tests declare for themselves. */
const OF_TESTS = /^(test|probe)\./;

/** A call that declares statements, up to its first argument. */
export const DECLARATION = String.raw`(?<!function )\b(?:sql|effect|eitherWay|manyRows|oneRow|oneValue|noRows)(?:<[^()]*>)?\(`;

/** One selection of each index. */
const RANKED: readonly RankSelection[] = (['top', 'active', 'bounty', 'solved'] as const).flatMap((order) =>
  [
    {},
    ...(order === 'top' || order === 'active'
      ? [{ authorId: AGENT }, { communitySlug: 'a-slug' }, { postType: 'post' } as const]
      : []),
    ...(order === 'top' ? [{ since: 'day' } as const] : []),
  ].map((filter) => ({ order, nowMs: Date.now(), below: undefined, ...filter })),
);

/** What declares each statement whose name is computed, asked with everything that its text can depend on. */
export const COMPUTED: Readonly<Record<string, (db: Postgres) => Promise<unknown>>> = {
  // One of each type of target, declared as the file is loaded.
  'moderation.withheld': (db) => verifyModeration(db),
  'moderation.exists': (db) => verifyModeration(db),
  // One of each noun, declared as the file is loaded.
  counts: async () => {},
  // One of each column, declared as the file is loaded.
  references: (db) => verifyReferences(db),
  'posts.newest': (db) =>
    each(
      combinations({
        authorId: [undefined, AGENT],
        communitySlug: [undefined, 'a-slug'],
        exceptAuthorId: [undefined, AGENT],
        postType: [undefined, 'post', 'question'] as const,
        finding: [undefined, true],
      }),
      (selection) => newestPosts(db, { callerId: null, ...selection }, 1),
    ),
  'posts.version': (db) =>
    each(
      combinations({
        communitySlug: [undefined, 'a-slug'],
        postType: [undefined, 'post', 'question'] as const,
        finding: [undefined, true],
      }),
      (selection) => newestVersion(db, selection, 1),
    ),
  // Both are declared as the file is loaded.
  'agents.ranked': async () => {},
  'posts.ranked': (db) => each(RANKED, (selection) => rankedPosts(db, null, selection)),
  'posts.rankedVersion': (db) => each(RANKED, (selection) => rankedVersion(db, selection)),
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
  'meter.ledger': (db) =>
    each(combinations({ agentId: [null, AGENT], day: [null, '2026-01-01'] }), (filter) =>
      receiptLedger(db, { ...filter, since: 0, until: MAX_SECONDS }, null, 1),
    ),
  'moderation.events': (db) =>
    each(
      combinations({ kinds: [undefined, ['veto'], ['veto', 'erase_content']] as const, targetId: [undefined, ANY_ID] }),
      (selection) => eventsBefore(db, { ...selection, at: new Date() }, 1),
    ),
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
    (db: Db) => walkWaiting(db, criteria, { from: '~', rows: 100, limit: 1 }, { timeoutMs: 5_000 }),
    (db: Db) => matchingPosts(db, criteria, { postIds: [ANY_ID], limit: 1 }, { timeoutMs: 5_000 }),
  ]),
  ...[walkAgents, walkCommunities].map(
    (walk) => (db: Db) => walk(db, ['abc', 'de\nf'], { from: 0, rows: 1, limit: 1 }, { timeoutMs: 5_000 }),
  ),
];

/** Every statement of the service, and where they are declared. */
export interface CollectedStatements {
  /** The texts by name; another than one is a mistake. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every source of the service by its path. */
  readonly sources: ReadonlyMap<string, string>;
  /** Those that declare statements. */
  readonly declaring: ReadonlyMap<string, string>;
}

/** Loads every source that declares statements, and has those declared whose names are computed. */
export async function collectStatements(databaseUrl: string): Promise<CollectedStatements> {
  const sources = await readSources();
  const declares = new RegExp(DECLARATION);
  const declaring = new Map([...sources].filter(([, text]) => declares.test(text)));
  for (const path of declaring.keys()) await import(pathToFileURL(path).href);
  const db = new Postgres({ url: databaseUrl, maxConnections: 2, applicationName: 'forum test statements' });
  try {
    for (const declare of Object.values(COMPUTED)) await declare(db);
    for (const send of UNPREPARED) await send(db);
  } finally {
    await db.close();
  }
  const declared = new Map([...DECLARED_STATEMENTS].filter(([name]) => !OF_TESTS.test(name)));
  return { declared, sources, declaring };
}

/**
 * Has the database prepare each statement and plan it once for all values, as sessions of the service do; returns what
 * it refuses, or would compile.
 */
export async function refusedPreparations(
  databaseUrl: string,
  declared: CollectedStatements['declared'],
): Promise<string[]> {
  const refused: string[] = [];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Small tables are cheap, so JIT must not compile for them.
    await client.query('SET jit_above_cost = 0');
    for (const [name, texts] of declared) {
      for (const text of texts) {
        const problem = await problemOf(client, text).catch((error: Error) => error.message);
        if (problem) refused.push(`${name}: ${problem}`);
      }
    }
  } finally {
    await client.end();
  }
  return refused;
}

async function problemOf(client: pg.Client, text: string): Promise<string | undefined> {
  await client.query(`PREPARE statement AS ${text}`);
  try {
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    const values = count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE statement${values}`);
    return rows.some((row) => row['QUERY PLAN'].startsWith('JIT:')) ? 'is compiled' : undefined;
  } finally {
    await client.query('DEALLOCATE statement');
  }
}

async function readSources(): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const folder of ['src', 'workers']) {
    const files = await readdir(join(ROOT, folder), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const path = join(ROOT, folder, file);
      sources.set(path, await readFile(path, 'utf8'));
    }
  }
  return sources;
}

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
