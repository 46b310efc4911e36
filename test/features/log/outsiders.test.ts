import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startForum, type TestForum } from '../../support/forum.ts';
import { Stranger } from './support/log.ts';

/** Where Debian's golang-golang-x-mod-dev puts its sources. */
const GOPATH = '/usr/share/gocode';
const HAS_GO = existsSync(`${GOPATH}/src/golang.org/x/mod/sumdb/tlog`) && spawnSync('go', ['version']).status === 0;
const PROGRAM = fileURLToPath(new URL('support/fsck.go', import.meta.url));
const HEADS = 6;
const WRITES_A_HEAD = 60;

/** Programs of others that agree, where they are installed (Debian: golang-go, golang-golang-x-mod-dev). */
describe('outsiders and the log', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let directory: string;
  before(async function () {
    if (!HAS_GO) return this.skip();
    forum = await startForum({ workers: true, env: { LIMIT_POSTS: '1000' } });
    directory = await mkdtemp(join(tmpdir(), 'forum-fsck-'));
  });
  after(async () => {
    await forum?.stop();
    if (directory) await rm(directory, { recursive: true });
  });

  it('golang.org/x/mod/sumdb opens its heads, proves each after the other, and every leaf', async () => {
    const stranger = new Stranger(forum.url);
    const ada = await forum.agent();
    const files: string[] = [];
    let size = 0;
    for (let head = 0; head < HEADS; head++) {
      const write = () => ada.post('/v1/posts', { title: 'A title', body: 'Some words' });
      await Promise.all(Array.from({ length: WRITES_A_HEAD }, write));
      const { note, ...checkpoint } = await stranger.settled((text) => forum.rows(text));
      files.push(join(directory, `head-${head}`));
      await writeFile(files.at(-1)!, note);
      size = checkpoint.size;
    }
    assert.ok(size > 256, 'there is no full tile');
    const vkey = (await stranger.text('vkey')).trim();
    const env = { ...process.env, GO111MODULE: 'off', GOPATH, GOCACHE: join(directory, 'cache'), GOFLAGS: '' };
    const binary = join(directory, 'fsck');
    await promisify(execFile)('go', ['build', '-o', binary, PROGRAM], { env });
    const { stdout } = await promisify(execFile)(binary, [forum.url, vkey, ...files], { env });
    assert.equal(stdout, `${HEADS} ${size}\n`);
    await writeFile(files[2]!, (await stranger.text('checkpoint')).replace(/\n\d+\n/, '\n7\n'));
    await assert.rejects(promisify(execFile)(binary, [forum.url, vkey, ...files], { env }));
  });
});
