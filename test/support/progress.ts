import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inheritOwner } from '../../src/tools/dev/files.ts';
import { cacheDirectory } from './directories.ts';

/** What a test file took when it last passed: its tests, and their time with that of its hooks. */
export interface FileRecord {
  tests: number;
  ms: number;
}

export type FileRecords = Record<string, FileRecord>;

/** Loading a file, which no test's time has in it. */
const loadMs = 300;
const recordsPath = join(cacheDirectory, 'test-durations.json');

/** How far a run is, and what that took by earlier runs. */
export class Progress {
  readonly #before: FileRecords;
  readonly #now: FileRecords = {};
  readonly #failed = new Set<string>();
  /** Half of the files ran here before: else the rest cannot be estimated, because the longest files begin. */
  readonly #isForeseen: boolean;

  /**
   * `files` are those of this run, `before` what earlier runs recorded; a file without a record counts as an average
   * one.
   */
  constructor(files: readonly string[], before: FileRecords) {
    const known = files.flatMap((file) => before[file] ?? []);
    this.#isForeseen = 2 * known.length >= files.length;
    const average = (of: keyof FileRecord, none: number) =>
      known.length === 0 ? none : known.reduce((sum, record) => sum + record[of], 0) / known.length;
    const unknown = { tests: Math.round(average('tests', 10)), ms: average('ms', 1_000) };
    this.#before = Object.fromEntries(files.map((file) => [file, before[file] ?? unknown]));
  }

  /** A test has ended, or been skipped. */
  addTest(file: string, ms: number): void {
    const record = this.#of(file);
    record.tests += 1;
    record.ms += ms;
  }

  addHook(file: string, ms: number): void {
    this.#of(file).ms += ms;
  }

  /** What a file took that failed says nothing of the next run. */
  addFailure(file: string): void {
    this.#failed.add(file);
  }

  /** The records to keep: of files that passed, and those of before. */
  merge(before: FileRecords): FileRecords {
    const passed = Object.entries(this.#now).filter(([file]) => !this.#failed.has(file));
    return {
      ...before,
      ...Object.fromEntries(passed.map(([file, { tests, ms }]) => [file, { tests, ms: Math.round(ms) }])),
    };
  }

  /**
   * Such as "412 of about 2046 tests, 1 min 58 s, about 5 min left", `elapsedMs` after the start; in a new checkout how
   * far it is.
   */
  describe(elapsedMs: number): string {
    let [ended, expected, doneMs, wholeMs] = [0, 0, 0, 0];
    for (const [file, before] of Object.entries(this.#before)) {
      const { tests } = this.#now[file] ?? { tests: 0 };
      ended += tests;
      expected += Math.max(before.tests, tests);
      wholeMs += before.ms + loadMs;
      doneMs += (before.ms + loadMs) * Math.min(1, tests / Math.max(1, before.tests));
    }
    if (!this.#isForeseen) return `${ended} tests, ${describeDuration(elapsedMs)}`;
    const left = doneMs > 0 ? `, about ${describeDuration((elapsedMs * (wholeMs - doneMs)) / doneMs)} left` : '';
    return `${ended} of about ${expected} tests, ${describeDuration(elapsedMs)}${left}`;
  }

  #of(file: string): FileRecord {
    this.#now[file] ??= { tests: 0, ms: 0 };
    return this.#now[file];
  }
}

/** What earlier runs recorded; nothing when there was none. */
export function readRecords(): FileRecords {
  try {
    return JSON.parse(readFileSync(recordsPath, 'utf8')) as FileRecords;
  } catch {
    return {};
  }
}

/** Where they cannot be written the next run knows less, and that is all. */
export function writeRecords(records: FileRecords): void {
  try {
    if (mkdirSync(cacheDirectory, { recursive: true, mode: 0o711 })) inheritOwner(cacheDirectory);
    writeFileSync(recordsPath, `${JSON.stringify(records, null, 1)}\n`);
    inheritOwner(recordsPath);
  } catch (error) {
    console.error(`The times of this run are not kept: ${(error as Error).message}`);
  }
}

function describeDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
