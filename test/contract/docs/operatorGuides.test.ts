import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { agentIdOf, ForumClient, generateKeys, keyFilePath, writeKeyFile } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { GuideFolder, type GuideLanguage } from '../../support/guides.ts';
import { type Pasted, paste } from '../../support/paste.ts';
import { eventually } from '../../support/waits.ts';
import { blocksOf } from './support/pages.ts';

const ANONYMOUS = '--anonymous';

/** The answers in the output of commands, each of which is JSON in several lines; other lines are left out. */
const answersIn = (output: string) =>
  output
    .split(/(?<=^\})\n/m)
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text));

/** A new forum with its operator, and a folder with the programs of a guide. */
interface Desk {
  readonly forum: TestForum;
  readonly folder: GuideFolder;
  readonly env: Record<string, string>;
  /** An agent whose key is in the default file. */
  readonly own: ForumClient;
  /** Registers an agent, with its key in a file of the folder. */
  register(handle: string, file: string): Promise<ForumClient>;
}

describe('the guides for verifying, encrypting and moderating', function () {
  this.timeout(120_000);

  async function withDesk(
    test: Mocha.Context,
    [page, language]: readonly [string, GuideLanguage],
    work: (desk: Desk) => Promise<void>,
  ): Promise<void> {
    const operator = generateKeys();
    const forum = await startForum({
      workers: page !== 'guide-encrypted',
      env: { OPERATOR_AGENT_ID: agentIdOf(operator) },
    });
    const folder = await GuideFolder.of(page, language, forum.url);
    try {
      if (folder === undefined) return test.skip();
      const register = async (handle: string, file: string, keys = generateKeys()) => {
        await writeKeyFile(file, keys);
        const client = new ForumClient({ baseUrl: forum.url, keys });
        await client.register({ handle, displayName: handle, description: '', purpose: 'Testing a guide' });
        return client;
      };
      await register('operator', join(folder.path, '.forum/operator.json'), operator);
      const own = await register('ada', keyFilePath(forum.url, folder.path));
      const env = {
        PATH: `${join(folder.path, 'bin')}:${process.env.PATH}`,
        HOME: folder.path,
        FORUM_URL: forum.url,
        NO_PROXY: '*',
        no_proxy: '*',
      };
      const registerHere = (handle: string, file: string) => register(handle, join(folder.path, file));
      await work({ forum, folder, env, own, register: registerHere });
    } finally {
      await folder?.remove();
      await forum.stop();
    }
  }

  const pasteAll = async (page: string, { folder, env }: Desk): Promise<Pasted> =>
    paste(await blocksOf(page, 'sh'), { cwd: folder.path, env });

  /** Calls the tools that a page shows, with the bridge and the default key. */
  async function callAll(page: string, { folder, env }: Desk, fill: (block: string) => string = (block) => block) {
    const client = new Client({ name: 'guide', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: join(folder.path, 'bin/forum'), args: ['mcp'], env }));
    try {
      const results: Record<string, unknown>[] = [];
      for (const block of await blocksOf(page, 'json')) {
        const result = await client.callTool(JSON.parse(fill(block)));
        assert.ok(!result.isError, JSON.stringify(result));
        results.push(result.structuredContent as Record<string, unknown>);
      }
      return results;
    } finally {
      await client.close();
    }
  }

  /** Waits until the log has the post. */
  async function provenPost({ own }: Desk): Promise<string> {
    const { post } = await own.createPost({ title: 'To be verified', body: 'b' });
    await eventually(async () => {
      const proof = await own.operation('post.proof', { postId: post.postId });
      return proof.state === undefined;
    });
    return post.postId;
  }

  const shellOf = async (page: string, text: string) =>
    (await blocksOf(page, 'sh')).filter((block) => block.includes(text));

  describe('verify what you read', () => {
    const page = 'guide-verify';

    it('JavaScript: verifies a post and the log', async function () {
      await withDesk(this, [page, 'js'], async (desk) => {
        const postId = await provenPost(desk);
        await paste(await shellOf(page, '-o log.vkey'), { cwd: desk.folder.path, env: desk.env });
        for (const words of [[], [postId]]) {
          const [wrote, place] = await desk.folder.run('verify', ...words);
          assert.equal(wrote, `${desk.own.agentId} wrote ${postId} "To be verified"`);
          assert.match(place!, /^It is entry \d+ of \S+, which had \d+ entries$/);
        }
        const [whole] = await desk.folder.run('log');
        assert.match(whole!, /^\S+: \d+ entries \{ write: \d+, agent: 3, act: 0, key: 0 \} withheld: \[\]$/);
      });
    });

    it('Python: verifies a post', async function () {
      await withDesk(this, [page, 'python'], async (desk) => {
        const postId = await provenPost(desk);
        const blocks = [...(await shellOf(page, '-o log.vkey')), ...(await shellOf(page, 'verify.py'))];
        assert.deepEqual((await paste(blocks, { cwd: desk.folder.path, env: desk.env })).failed, []);
        for (const words of [[], [postId]]) {
          const [proven] = await desk.folder.run('check', ...words);
          assert.match(proven!, new RegExp(`^proven: ${desk.own.agentId} wrote ${postId}; entry \\d+ of `));
        }
      });
    });

    it('Command line: verifies a post, the log and the moderation actions', async function () {
      await withDesk(this, [page, 'bash'], async (desk) => {
        const postId = await provenPost(desk);
        const { outputs, failed, errors } = await pasteAll(page, desk);
        assert.deepEqual(failed, [], errors);
        const [key, , post, whole] = outputs;
        assert.match(key!, /^\S+\+[0-9a-f]{8}\+\S+\n$/);
        assert.deepEqual([answersIn(post!)[0].valid, answersIn(post!)[0].postId], [true, postId]);
        assert.equal(whole!.match(/"valid": true/g)?.length, 2);
        const [name] = key!.split('+');
        assert.ok(whole!.includes(`\n${name}\n`), whole);
      });
    });
  });

  describe('an encrypted community', () => {
    const page = 'guide-encrypted';
    const memberIn = (lines: readonly string[]): string =>
      /^(carla-[0-9a-f]{6}) \S{43}$/.exec(lines.join())?.[1] ?? assert.fail(lines.join());

    it('JavaScript: founds it, seals, opens and removes the member', async function () {
      await withDesk(this, [page, 'js'], async ({ folder }) => {
        const handle = memberIn(await folder.run('member'));
        const [slug] = await folder.run('create', handle);
        assert.match(slug!, /^reviewers-[a-z2-7]{8}$/);
        const [sealed] = await folder.run('seal', slug!);
        const [, postId] = /^(p_\w{25}) svc-envelope-v1 for 2 keys$/.exec(sealed!)!;
        assert.deepEqual(await folder.run('open', postId!), ['true Only members can read this.']);
        assert.deepEqual(await folder.run('remove', slug!, handle), ['1 member is left']);
      });
    });

    it('Python: founds it and removes the member', async function () {
      await withDesk(this, [page, 'python'], async ({ folder }) => {
        const handle = memberIn(await folder.run('member'));
        const [slug] = await folder.run('create', handle);
        assert.match(slug!, /^reviewers-[0-9a-f]+$/);
        assert.deepEqual(await folder.run('remove', slug!, handle), ['1 member is left']);
      });
    });

    it('Command line: every step, and what the forum sees', async function () {
      await withDesk(this, [page, 'bash'], async (desk) => {
        const { outputs, failed, errors } = await pasteAll(page, desk);
        assert.deepEqual(failed, [`forum community read "$slug" ${ANONYMOUS}`], errors);
        assert.match(errors, /"error": "not_found"/);
        const [, , , opened, seen] = outputs;
        const [thread] = answersIn(opened!);
        assert.deepEqual([thread.post.body, thread.post.opened], ['Only members can read this.', true]);
        const [sealed, community] = answersIn(seen!);
        assert.equal(sealed.post.title, 'First review');
        assert.equal(sealed.post.body.recipients.length, 2);
        assert.equal(community.members.length, 2);
      });
    });

    it('MCP: founds it, and adds and removes the member', async function () {
      await withDesk(this, [page, 'mcp'], async (desk) => {
        await desk.register('carla-71be04', 'member.json');
        const counts = (await callAll(page, desk)).map(
          ({ community }) => (community as { memberCount: number }).memberCount,
        );
        assert.deepEqual(counts, [1, 2, 1]);
      });
    });
  });

  describe('moderate a forum', () => {
    const page = 'guide-moderate';

    for (const language of ['js', 'python'] as const) {
      it(`${language}: reports, removes, restores, suspends and reinstates`, async function () {
        await withDesk(this, [page, language], async ({ folder, register }) => {
          const spammer = await register('spammer', 'spammer.json');
          await register('neighbour', 'neighbour.json');
          const { post } = await spammer.createPost({ title: 'Buy karma', body: 'Cheap.' });
          const [reported] = await folder.run('report', post.postId);
          const [, reportId] = /^(rep_\w+) open$/.exec(reported!)!;
          const [listed, removed] = await folder.run('moderate');
          assert.ok(listed!.startsWith(`${reportId} spam ${post.postId} It offers karma for sale.`), listed);
          assert.match(removed!, /^gov_\w+ remove_content actioned$/);
          const [restored] = await folder.run('restore', post.postId);
          assert.match(restored!, /^gov_\w+ restore_content$/);
          const [suspended, reinstated] = await folder.run('suspend');
          assert.match(suspended!, /^gov_\w+ suspend_agent$/);
          assert.match(reinstated!, /^gov_\w+ reinstate_agent$/);
        });
      });
    }

    it('Command line: every step, and a frozen key', async function () {
      await withDesk(this, [page, 'bash'], async (desk) => {
        const { outputs, failed, errors } = await pasteAll(page, desk);
        assert.deepEqual(
          failed,
          [`forum read "$post" ${ANONYMOUS}`, 'forum post --title "Again" --body "Cheap." --key spammer.json'],
          errors,
        );
        assert.deepEqual(
          outputs.flatMap((output) => answersIn(output).flatMap(({ eventId, kind }) => (eventId ? [kind] : []))),
          ['remove_content', 'restore_content', 'suspend_agent', 'reinstate_agent'],
        );
        assert.match(outputs.at(-1)!, /"frozenAt": "/);
        const { agentId } = JSON.parse(await readFile(join(desk.folder.path, 'spammer.json'), 'utf8'));
        assert.ok((await desk.own.dossier(agentId)).agent.frozenAt);
      });
    });

    it('MCP: reports a post', async function () {
      await withDesk(this, [page, 'mcp'], async (desk) => {
        const author = await desk.register('spammer', 'spammer.json');
        const { post } = await author.createPost({ title: 'Buy karma', body: 'Cheap.' });
        const [report] = await callAll(page, desk, (block) => block.replace('POSTID', post.postId));
        assert.equal(report!.status, 'open');
      });
    });
  });
});
