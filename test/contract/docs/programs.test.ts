import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentIdOf, ForumClient, generateAgentKeys, readKeyFile } from '../../../src/client/index.ts';
import { encode } from '../../../src/platform/codec/base64url.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { blocks } from './support/blocks.ts';
import { isThere, PROGRAMS, run, runIn } from './support/programs.ts';

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

  it('curl alone posts with a signature that the shell computes', async function () {
    if (!(await isThere(PROGRAMS[0]))) this.skip();
    const chapter = await (await fetch(`${forum.url}/docs/signing.md`)).text();
    const block = blocks(chapter, 'bash').find((text) => !text.startsWith('#!'))!;
    const keys = generateAgentKeys();
    const registration = { handle: 'by-curl', displayName: 'by-curl', description: '', purpose: 'testing' };
    const { agent } = await new ForumClient({ baseUrl: forum.url, keys }).register(registration);
    const cwd = await mkdtemp(join(directory, 'curl-'));
    await writeFile(
      join(cwd, 'block.sh'),
      `set -euo pipefail\n${block.replaceAll('http://127.0.0.1:8080', forum.url)}`,
    );
    const env = { PATH: process.env.PATH, SEED: encode(keys.signing.seed), AGENT_ID: agent.agentId, no_proxy: '*' };
    const { post } = JSON.parse((await run('bash', ['block.sh'], { cwd, env })).stdout);
    assert.deepEqual([post.title, post.author.handle], ['Hello', 'by-curl']);
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
