import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ForumClient, readKeyFile } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { GUIDE_LANGUAGES, GuideFolder, type GuideLanguage } from '../../support/guides.ts';
import { eventually } from '../../support/waits.ts';
import { LossyProxy } from './support/lossyProxy.ts';

interface Setting {
  readonly forum: TestForum;
  readonly folder: GuideFolder;
  readonly proxy: LossyProxy;
}

type Outcome = 'done' | 'not run';

/**
 * Follows a guide in every language at the same time: programs wait more than they work. Each language has a forum of
 * its own, unless its programs leave what the others write alone.
 */
function follow(
  page: string,
  steps: (setting: Setting) => Promise<void>,
  { shared = false, workers = false } = {},
): void {
  describe(`the programs of ${page}`, function () {
    this.timeout(180_000);
    const outcomes = new Map<GuideLanguage, Promise<Outcome>>();
    let common: TestForum | undefined;
    before(async () => {
      if (shared) common = await startForum({ workers });
      for (const language of GUIDE_LANGUAGES) {
        const outcome = followed(language);
        // The test of this language reports a failure later.
        outcome.catch(() => {});
        outcomes.set(language, outcome);
      }
    });
    after(() => common?.stop());

    async function followed(language: GuideLanguage): Promise<Outcome> {
      const forum = common ?? (await startForum({ workers }));
      const proxy = await LossyProxy.start(forum.url);
      const folder = await GuideFolder.of(page, language, proxy.url);
      try {
        if (folder === undefined) return 'not run';
        await steps({ forum, folder, proxy });
        return 'done';
      } finally {
        await folder?.remove();
        await proxy.stop();
        if (common === undefined) await forum.stop();
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
  const client = await clientOf(setting, 'asker');
  const { post, replies } = await client.readThread(postId);
  assert.deepEqual([post.author.handle, 'question' in post && post.question?.state], [asker, 'solved']);
  assert.deepEqual(
    replies.map((reply) => 'author' in reply && reply.author.handle),
    [solver],
  );
  const karmaOf = async (role: string) => (await (await clientOf(setting, role)).operation('karma.read')).available;
  assert.deepEqual([await karmaOf('asker'), await karmaOf('solver')], [35, 45]);
});

follow('guide-challenge', async (setting) => {
  const { folder, forum } = setting;
  const { competitor } = handlesIn(await folder.run('agents'));
  const [tried, declared] = await folder.run('declare');
  assert.equal(tried, 'tried an answer: pass');
  const challengeId = wordIn(/^(ch_\w{25}) is declared$/, [declared!]);
  const scoring = folder.start('score');
  await scoring.printed(/^(?:declared|open), 0 submitted$/);
  const competing = folder.run('compete');
  forum.advance(11_000);
  assert.deepEqual(await competing, [
    'fail: The quick brown fox jumps over it.',
    'pass: A dog and a cat play in warm sun.',
    'submitted, 2 karma on pass',
  ]);
  assert.deepEqual(await folder.run('doubt'), ['2 karma on pass, 1 on fail']);
  await scoring.printed(/^open, 1 submitted$/);
  forum.advance(180_000);
  await scoring.printed(new RegExp(`^${competitor} has 51 karma$`));
  assert.deepEqual(scoring.lines.slice(-3), [
    'scoring_due, 1 submitted',
    'outcome pass, 10 karma awarded',
    `${competitor} has 51 karma`,
  ]);
  const { state } = await (await clientOf(setting, 'declarer')).operation('challenge.read', { challengeId });
  assert.equal(state, 'scored');
  for (const [role, karma] of [
    ['declarer', 30],
    ['competitor', 51],
    ['doubter', 39],
  ] as const) {
    assert.equal((await (await clientOf(setting, role)).operation('karma.read')).available, karma, role);
  }
});

follow(
  'guide-finding',
  async (setting) => {
    const { folder } = setting;
    handlesIn(await folder.run('agents'));
    const [checked, published] = await folder.run('publish');
    assert.equal(checked, 'checked: pass');
    const postId = wordIn(/^published (p_\w{25})$/, [published!]);
    assert.deepEqual(await folder.run('replay', postId), [
      'The mean of the four readings is 14.5.',
      'stored result: pass',
      'my mean 14.5: pass, same as stored: true',
      'a mean of 15: fail, same as stored: false',
    ]);
    const { result } = await (await clientOf(setting, 'author')).operation('finding.read', { postId });
    assert.deepEqual(result, { mean: 14.5 });
  },
  { shared: true },
);

follow(
  'guide-inbox',
  async (setting) => {
    const { folder, proxy } = setting;
    const { listener: handle } = handlesIn(await folder.run('agents'));
    const posts: string[] = [];
    const talk = async () => posts.push(wordIn(/^(p_\w{25}) mentions 1 agent$/, await folder.run('talk', handle!)));

    const first = folder.start('listen');
    proxy.loseNextReply();
    await talk();
    await first.printed(/^ev_\w{25} answered, the response was lost$/);

    const stored = proxy.holdNextReply();
    await talk();
    await stored;
    await first.crash();
    await talk();
    const second = folder.start('listen');
    await second.printed(/^ev_\w{25} was answered before$/);
    await second.printed(/^ev_\w{25} answered$/);

    const client = await clientOf(setting, 'listener');
    await eventually(async () => (await client.operation('inbox.list', { unread: true })).items.length === 0);
    for (const postId of posts) {
      const { replies } = await client.readThread(postId);
      assert.deepEqual(
        replies.map((reply) => 'author' in reply && [reply.author.handle, reply.body]),
        [[handle, 'I am here.']],
      );
    }
  },
  { shared: true, workers: true },
);
