import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { withLock } from '../../../src/tools/dev/lock.ts';
import { makeTestDirectory } from '../../support/directories.ts';

const ROUNDS = 2;
const WAITING = 8;
const COME_MS = 5;

describe('a lock whose holder has died', function () {
  this.timeout(60_000);
  let directory: string;
  before(async () => {
    directory = await makeTestDirectory();
  });
  after(() => rm(directory, { recursive: true }));

  it('is taken by one at a time of all who wait for it', async () => {
    const path = join(directory, 'services.lock');
    // Nobody has this number.
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'long ago' });
    for (let round = 0; round < ROUNDS; round++) {
      for (const stale of [path, ...(round % 2 === 0 ? [] : [`${path}.abandoned`])]) await writeFile(stale, dead);
      let inside = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, ++inside);
        await setImmediate();
        inside -= 1;
      };
      // One looks while another, who came a moment before, removes what is left.
      const come = async (n: number) => sleep(n).then(() => withLock(path, work));
      await Promise.all(Array.from({ length: WAITING }, (_, n) => come(n % COME_MS)));
      assert.equal(most, 1, `round ${round}`);
      assert.deepEqual(await readdir(directory), []);
    }
  });

  it('is taken where its holder died before it had written who it is', async () => {
    for (const text of ['', '{"pid":12']) {
      const path = join(directory, 'services.lock');
      await writeFile(path, text);
      assert.equal(await withLock(path, async () => 'done'), 'done');
    }
  });
});
