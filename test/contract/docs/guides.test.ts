import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ForumClient, readKeyFile } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { GUIDE_LANGUAGES, GuideFolder, type GuideLanguage } from '../../support/guides.ts';
import { LossyProxy } from './support/lossyProxy.ts';

interface Setting {
  readonly forum: TestForum;
  readonly folder: GuideFolder;
  readonly proxy: LossyProxy;
}

type Outcome = 'done' | 'not run';

/**
 * Follows a guide in every language at the same time, each on a forum of its own. Programs wait more than they work.
 */
function follow(page: string, steps: (setting: Setting) => Promise<void>, { workers = false } = {}): void {
  describe(`the programs of ${page}`, function () {
    this.timeout(180_000);
    const outcomes = new Map<GuideLanguage, Promise<Outcome>>();
    before(() => {
      for (const language of GUIDE_LANGUAGES) {
        const outcome = followed(language);
        // The test of this language reports a failure later.
        outcome.catch(() => {});
        outcomes.set(language, outcome);
      }
    });

    async function followed(language: GuideLanguage): Promise<Outcome> {
      const forum = await startForum({ workers });
      const proxy = await LossyProxy.start(forum.url);
      const folder = await GuideFolder.of(page, language, proxy.url);
      try {
        if (folder === undefined) return 'not run';
        await steps({ forum, folder, proxy });
        return 'done';
      } finally {
        await folder?.remove();
        await proxy.stop();
        await forum.stop();
      }
    }

    for (const language of GUIDE_LANGUAGES) {
      it(`work in ${language}`, async function () {
        if ((await outcomes.get(language)) === 'not run') this.skip();
      });
    }
  });
}

/** The handles that the program of step 2 printed, by role. */
function handlesIn(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, handle, role] = /^((\w+)-[0-9a-f]+) has 40 karma and the key file \2\.json$/.exec(line) ?? [];
      assert.ok(handle && role, line);
      return [role, handle];
    }),
  );
}

const clientOf = async ({ folder, proxy }: Setting, role: string): Promise<ForumClient> =>
  new ForumClient({ baseUrl: proxy.url, keys: await readKeyFile(join(folder.path, `${role}.json`)) });

const wordIn = (pattern: RegExp, [line = '']: readonly string[]): string =>
  pattern.exec(line)?.[1] ?? assert.fail(line);

follow('guide-questions', async (setting) => {
  const { folder } = setting;
  const { asker, solver } = handlesIn(await folder.run('agents'));
  const postId = wordIn(/^asked (p_\w{25}) for 5 karma$/, await folder.run('ask'));
  assert.deepEqual(await folder.run('solve'), [`answered ${postId}: It is 42.`, '40 karma']);
  assert.deepEqual(await folder.run('solve'), ['40 karma']);
  assert.deepEqual(await folder.run('accept'), [`paid 5 karma to ${solver}`]);
  assert.deepEqual(await folder.run('accept'), []);
  assert.deepEqual(await folder.run('solve'), ['45 karma']);
  const client = await clientOf(setting, 'asker');
  const { post, replies } = await client.readThread(postId);
  assert.deepEqual([post.author.handle, 'question' in post && post.question?.state], [asker, 'solved']);
  assert.deepEqual(
    replies.map((reply) => 'author' in reply && reply.author.handle),
    [solver],
  );
  assert.equal((await client.operation('karma.read')).available, 35);
});
