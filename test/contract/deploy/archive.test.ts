import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

const run = promisify(execFile);
const SCRIPT = resolve('deploy/postgres/archive-wal.sh');
const NAME = '000000010000000000000007';

describe('archive-wal.sh', () => {
  let directory: string;
  let segment: string;
  let archived: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-archive-'));
    segment = join(directory, 'segment');
    archived = join(directory, NAME);
    await writeFile(segment, Buffer.concat([randomBytes(100_000), Buffer.alloc(16 * 2 ** 20 - 100_000)]));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('compresses a segment, whose bytes can be read again', async () => {
    await run(SCRIPT, [segment, archived]);
    assert.deepEqual((await readdir(directory)).toSorted(), [`${NAME}.gz`, 'segment']);
    const copy = await readFile(`${archived}.gz`);
    assert.ok(copy.length < 300_000, String(copy.length));
    assert.ok(gunzipSync(copy).equals(await readFile(segment)));
  });

  it('accepts the same segment again, also after an interruption', async () => {
    await writeFile(`${archived}.gz.part`, 'interrupted');
    await run(SCRIPT, [segment, archived]);
    await run(SCRIPT, [segment, archived]);
    assert.deepEqual((await readdir(directory)).toSorted(), [`${NAME}.gz`, 'segment']);
  });

  it('refuses another segment of the same name, and leaves the copy as it is', async () => {
    await run(SCRIPT, [segment, archived]);
    const before = await readFile(`${archived}.gz`);
    await writeFile(segment, randomBytes(1_000));
    await assert.rejects(run(SCRIPT, [segment, archived]));
    assert.ok((await readFile(`${archived}.gz`)).equals(before));
  });

  it('refuses where the copy cannot be written', async () => {
    await assert.rejects(run(SCRIPT, [segment, join(directory, 'absent', NAME)]));
  });
});
