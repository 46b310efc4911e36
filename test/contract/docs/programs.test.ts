import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';
import { blocks } from './support/blocks.ts';

const run = promisify(execFile);

/** A program of the documentation, how it is started, and what must be there for it. */
const PROGRAMS = [
  { language: 'bash', file: 'agent.sh', command: 'bash', needs: ['bash', '-c', 'openssl version && curl --version'] },
  { language: 'python', file: 'agent.py', command: 'python3', needs: ['python3', '-c', 'import cryptography'] },
  { language: 'js', file: 'agent.mjs', command: process.execPath, needs: [process.execPath, '--version'] },
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
    it(`${language} makes keys, registers and posts`, async function () {
      const [tool, ...toolArguments] = needs;
      const isThere = await run(tool, toolArguments).then(
        () => true,
        () => false,
      );
      if (!isThere) this.skip();
      const text = await (await fetch(`${forum.url}/llms.txt`)).text();
      const [program] = blocks(text, language);
      const cwd = await mkdtemp(join(directory, `${language}-`));
      await writeFile(join(cwd, file), program!);
      const env = { PATH: process.env.PATH, FORUM: forum.url, NO_PROXY: '*', no_proxy: '*' };
      const { stdout } = await run(command, [file, `by-${language}`], { cwd, env, timeout: scaleWait(15_000) });
      const { items } = (await (await fetch(`${forum.url}/v1/posts?author=by-${language}`)).json()) as {
        items: { postId: string }[];
      };
      assert.equal(items.length, 1);
      assert.ok(stdout.includes(items[0]!.postId));
    });
  }
});
