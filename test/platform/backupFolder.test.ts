import assert from 'node:assert/strict';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { backUpInto } from '../../src/tools/backup/folder.ts';
import { readManifest, writeManifest } from '../../src/tools/backup/manifest.ts';
import { makeTestDirectory } from '../support/directories.ts';

const DAY_MS = 86_400_000;
const ORIGIN = {
  service: { version: '1.0.0', release: 'r', lastMigration: '0001' },
  postgres: { version: '17.1', major: '17' },
  kind: 'dump',
  files: [],
} as const;

describe('a folder of backups', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeTestDirectory();
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function make(directory: string, startedAt = new Date().toISOString(), deploymentId = 'own') {
    await mkdir(directory);
    await writeManifest(directory, { ...ORIGIN, deploymentId, startedAt, upTo: startedAt });
    return await readManifest(directory);
  }
  const noon = (daysAgo: number, seconds = 0) =>
    new Date((Math.floor(Date.now() / DAY_MS) - daysAgo + 0.5) * DAY_MS + seconds * 1_000).toISOString();
  const nameAt = (time: string) => time.slice(0, 19).replaceAll(':', '-');
  const makeAt = (time: string, deploymentId?: string) => make(join(folder, nameAt(time)), time, deploymentId);
  const names = async () => (await readdir(folder)).toSorted();

  it('keeps the newest backup of each of the last days and weeks', async () => {
    const times = Array.from({ length: 60 }, (_, day) => [noon(day + 1, 5), noon(day + 1)]).flat();
    for (const time of times) await makeAt(time);
    const { directory, removed } = await backUpInto(folder, { daily: 3, weekly: 4 }, make);
    const kept = (await names()).toReversed();
    assert.deepEqual(kept.slice(0, 3), [basename(directory), nameAt(times[0]!), nameAt(times[2]!)]);
    const mondays = new Set(
      kept.map((name) => {
        const day = Date.parse(name.slice(0, 10)) / DAY_MS;
        return day - ((day + 3) % 7);
      }),
    );
    assert.equal(mondays.size, 4);
    assert.ok(kept.length <= 7, String(kept));
    assert.equal(removed.length + kept.length, 121);
  });

  it('keeps what it did not make: other names, other deployments, and everything without a retention', async () => {
    await make(join(folder, 'before-1.2.0'), noon(90));
    await makeAt(noon(80), 'another');
    await makeAt(noon(70));
    const { directory } = await backUpInto(folder, undefined, make);
    assert.equal((await names()).length, 4);
    await rm(directory, { recursive: true });
    const { removed } = await backUpInto(folder, { daily: 1, weekly: 0 }, make);
    assert.deepEqual(removed, [nameAt(noon(70))]);
  });

  it('removes what a killed backup or removal left', async () => {
    await mkdir(join(folder, `${nameAt(noon(2))}.partial`));
    await mkdir(join(folder, 'mine.partial'));
    const { directory } = await backUpInto(folder, { daily: 1, weekly: 1 }, make);
    assert.deepEqual(await names(), [basename(directory), 'mine.partial']);
  });

  it('keeps all backups if the new one fails', async () => {
    await makeAt(noon(40));
    await assert.rejects(
      backUpInto(folder, { daily: 1, weekly: 0 }, () => Promise.reject(new Error('full'))),
      /full/,
    );
    assert.equal((await names()).length, 1);
  });
});
