import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from '../../src/tools/backup/manifest.ts';
import { makeTestDirectory } from '../support/directories.ts';

describe('the manifest of a backup', () => {
  let directory: string;
  before(async () => {
    directory = await makeTestDirectory();
  });
  after(() => rm(directory, { recursive: true }));

  const refused = async (changes: object, problem: RegExp) => {
    const whole = { format: 1, kind: 'files', files: [], directories: ['base'] };
    await writeFile(join(directory, 'manifest.json'), JSON.stringify({ ...whole, ...changes }));
    await assert.rejects(readManifest(directory), problem);
  };

  it('rejects names of files and directories outside the backup', async () => {
    for (const path of ['../evil', 'base/../../evil', '/evil']) {
      await refused({ directories: ['base', path] }, /which is outside/);
      await refused({ files: [{ path }] }, /which is outside/);
    }
  });

  it('is refused in words where it is not whole', async () => {
    for (const changes of [{ files: undefined }, { files: [null] }, { directories: undefined }, { directories: [1] }]) {
      await refused(changes, /cannot be read/);
    }
  });
});
