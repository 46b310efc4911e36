import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadEnvFile } from '../../src/start/envFile.ts';
import { makeTestDirectory } from '../support/directories.ts';

describe('a file of settings', () => {
  let directory: string;
  const names = ['FORUM_TEST_FIRST', 'FORUM_TEST_SECOND', 'FORUM_TEST_THIRD'];
  before(async () => {
    directory = await makeTestDirectory();
  });
  after(async () => {
    for (const name of names) delete process.env[name];
    await rm(directory, { recursive: true });
  });

  it('is read with the byte order mark and the line ends of any editor, and yields to the environment', async () => {
    const file = join(directory, '.env');
    process.env.FORUM_TEST_SECOND = 'kept';
    await writeFile(
      file,
      '\uFEFFFORUM_TEST_FIRST=1\r\nexport FORUM_TEST_SECOND=2\r\n# 3\r\nFORUM_TEST_THIRD="a b"\r\n',
    );
    loadEnvFile(file);
    assert.deepEqual(
      names.map((name) => process.env[name]),
      ['1', 'kept', 'a b'],
    );
  });

  it('returns nothing for a missing file, and throws with the remedy for a directory', () => {
    loadEnvFile(join(directory, 'none'));
    assert.throws(() => loadEnvFile(directory), {
      message: `${directory} cannot be read (EISDIR): correct or remove it.`,
    });
  });
});
