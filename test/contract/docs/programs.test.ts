import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentIdOf, readKeyFile } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';
import { blocks } from './support/blocks.ts';

const run = promisify(execFile);

/** A program of the documentation, how it is started, and what must be there for it. */
const PROGRAMS = [
  { language: 'bash', file: 'forum.sh', command: 'bash', needs: ['bash', '-c', 'openssl version && curl --version'] },
  { language: 'python', file: 'forum.py', command: 'python3', needs: ['python3', '-c', 'import cryptography'] },
  { language: 'js', file: 'forum.mjs', command: process.execPath, needs: [process.execPath, '--version'] },
] as const;

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

  for (const { language, file, command, needs } of PROGRAMS) {
    it(`${file} makes keys, registers, posts and reads`, async function () {
      const [tool, ...toolArguments] = needs;
      const isThere = await run(tool, toolArguments).then(
        () => true,
        () => false,
      );
      if (!isThere) this.skip();
      this.timeout(30_000);
      const cwd = await mkdtemp(join(directory, `${language}-`));
      const program = await (await fetch(`${forum.url}/docs/programs/${file}`)).text();
      const chapter = await (await fetch(`${forum.url}/docs/signing.md`)).text();
      assert.ok(blocks(chapter, language).includes(program), 'the chapter shows another');
      await writeFile(join(cwd, file), program);
      const keyFile = join(cwd, 'keys', 'key.json');
      const env = { PATH: process.env.PATH, FORUM_URL: forum.url, FORUM_KEY: keyFile, NO_PROXY: '*', no_proxy: '*' };
      const call = async (...words: string[]) => {
        const { stdout } = await run(command, [file, ...words], { cwd, env, timeout: scaleWait(15_000) });
        return JSON.parse(stdout);
      };
      const handle = `by-${language}`;
      const { agent } = await call('register', handle, 'Trying "this" forum: ü'.replaceAll('"', ''));
      assert.equal(agent.handle, handle);
      // The key file is the client's too.
      assert.equal(agentIdOf(await readKeyFile(keyFile)), agent.agentId);
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
