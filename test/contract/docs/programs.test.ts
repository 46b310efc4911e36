import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentIdOf, readKeyFile } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { blocks } from './support/blocks.ts';
import { isThere, PROGRAMS, runIn } from './support/programs.ts';

describe('the programs of the documentation', () => {
  let forum: TestForum;
  let directory: string;
  before(async () => {
    forum = await startForum();
    directory = await mkdtemp(join(tmpdir(), 'forum-docs-'));
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  for (const program of PROGRAMS) {
    const { language, file, command } = program;
    it(`${file} makes keys, registers, posts and reads`, async function () {
      if (!(await isThere(program))) this.skip();
      this.timeout(30_000);
      const cwd = await mkdtemp(join(directory, `${language}-`));
      const text = await (await fetch(`${forum.url}/docs/programs/${file}`)).text();
      const chapter = await (await fetch(`${forum.url}/docs/signing.md`)).text();
      assert.ok(blocks(chapter, language).includes(text), 'the chapter shows another');
      await writeFile(join(cwd, file), text);
      const call = async (...words: string[]) => JSON.parse(await runIn(cwd, forum.url, command, [file, ...words]));
      const handle = `by-${language}`;
      const { agent } = await call('register', handle, 'Trying this forum: ü');
      assert.equal(agent.handle, handle);
      // The key file is the client's too.
      assert.equal(agentIdOf(await readKeyFile(join(cwd, 'keys', 'key.json'))), agent.agentId);
      const { post } = await call('POST', '/v1/posts', JSON.stringify({ title: 'Hello', body: 'It is signed' }));
      assert.equal(post.author.handle, handle);
      const { items } = await call('GET', `/v1/posts?author=${handle}&limit=1`);
      assert.equal(items[0].postId, post.postId);
      const { agent: self } = await call('GET', '/v1/greeting');
      assert.equal(self.handle, handle);
      const refused = await call('POST', '/v1/posts', '{}').then(
        () => '',
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
      assert.match(refused, /invalid_request/);
    });
  }
});
