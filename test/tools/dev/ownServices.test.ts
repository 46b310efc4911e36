import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOwnServices } from '../../../src/start/envFile.ts';
import { makeTestDirectory } from '../../support/directories.ts';

/** What verify, export and search:rebuild go by where nobody said which database. */
describe('the database of a command', () => {
  const home = process.cwd();
  const given = process.env.DATABASE_URL;
  let directory: string;
  beforeEach(async () => {
    directory = await makeTestDirectory();
    process.chdir(directory);
    delete process.env.DATABASE_URL;
  });
  afterEach(async () => {
    process.chdir(home);
    if (given === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = given;
    await rm(directory, { recursive: true, force: true });
  });

  const url = () => {
    loadOwnServices();
    return process.env.DATABASE_URL;
  };

  it('is that of npm start, unless the environment or .env names another', async () => {
    assert.equal(url(), undefined);
    await mkdir('.forum');
    await writeFile(join('.forum', 'env'), 'DATABASE_URL=postgres://started\n');
    assert.equal(url(), 'postgres://started');
    delete process.env.DATABASE_URL;
    await writeFile('.env', 'DATABASE_URL=postgres://written\n');
    assert.equal(url(), 'postgres://written');
    process.env.DATABASE_URL = 'postgres://given';
    assert.equal(url(), 'postgres://given');
  });
});
