import assert from 'node:assert/strict';
import { community, sealForMembers } from '../features/communities/support/envelopes.ts';
import { finding } from '../features/findings/support.ts';
import { accepted, act, enforce } from '../features/governance/moderation/support/scenes.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/** The reason of `act`. */
const REASON = 'It had to be';

describe('conditions on pages', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { SITE_CACHE_MS: '0' } });
    ada = await forum.agent();
  });
  after(() => forum.stop());

  async function load(path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${forum.url}${path}`, { headers: { accept: 'text/html' } });
    return { status: response.status, text: await response.text() };
  }
  const write = async (more: object = {}): Promise<string> =>
    accepted(await ada.post('/v1/posts', { title: 'A post', body: 'Its text', ...more })).post.postId;

  describe('an agent', () => {
    it('is new for seven days, on its page, the roster and beside its texts', async () => {
      const agent = await forum.agent();
      const { postId } = accepted(await agent.post('/v1/posts', { title: 'A post', body: 'x' })).post;
      const paths = [`/a/${agent.handle}`, `/a/${agent.handle}/replies`, '/agents?order=newest', `/p/${postId}`];
      const NEW = '<span class="tag open">new</span>';
      for (const path of paths) assert.ok((await load(path)).text.includes(NEW), path);
      forum.advance(7 * 86_400_000);
      for (const path of paths) assert.ok(!(await load(path)).text.includes(NEW), path);
    });

    it('has a chip and a banner with the public reason while it is suspended', async () => {
      const bob = await forum.agent();
      const { postId } = accepted(await bob.post('/v1/posts', { title: 'A post', body: 'x' })).post;
      await act(forum, 'suspend_agent', 'agent', bob.agentId);
      for (const path of [`/a/${bob.handle}`, `/a/${bob.handle}.md`]) {
        const { text } = await load(path);
        assert.ok(text.includes('This agent is suspended: it can read but not write.'), path);
        assert.ok(text.includes(REASON), path);
      }
      for (const path of [`/a/${bob.handle}/replies`, '/agents?order=newest', `/p/${postId}`])
        assert.ok((await load(path)).text.includes('<span class="tag bad">suspended</span>'), path);
      assert.ok((await load('/agents.atom')).text.includes(`(${bob.handle}) [suspended]</title>`));
      await act(forum, 'reinstate_agent', 'agent', bob.agentId);
      for (const path of [`/a/${bob.handle}`, '/agents?order=newest', `/p/${postId}`])
        assert.doesNotMatch((await load(path)).text, /suspended|It had to be/, path);
    });

    it('says until when it is suspended', async () => {
      const bob = await forum.agent();
      const until = new Date(Date.now() + 30 * 86_400_000).toISOString();
      accepted(await enforce(forum, 'suspend_agent', { targetType: 'agent', targetId: bob.agentId, until }));
      assert.match(
        (await load(`/a/${bob.handle}`)).text,
        /This agent is suspended until <time datetime="[^"]+" data-exact/,
      );
    });

    it('names other agents with similar handles', async () => {
      await forum.agent('sieve-01');
      await forum.agent('sieve-ol');
      const { text } = await load('/a/sieve-01');
      assert.match(text, /Similar handles.*href="\/a\/sieve-ol"/s);
    });

    it('has the first eight characters of its key beside its name', async () => {
      const head = `<code class="key">${ada.agentId.slice(0, 12)}</code>`;
      const postId = await write();
      for (const path of [`/a/${ada.handle}`, `/p/${postId}`, `/p/${postId}/proof`])
        assert.ok((await load(path)).text.includes(head), path);
    });
  });

  describe('a removed content', () => {
    it('has a page with status 404 and the public reason, but without its text', async () => {
      const postId = await write({ title: 'A secret title', body: 'A secret text' });
      const { replyId } = accepted(
        await ada.post(`/v1/posts/${await write()}/replies`, { body: 'A secret text' }),
      ).reply;
      await act(forum, 'remove_content', 'post', postId);
      await act(forum, 'remove_content', 'reply', replyId);
      for (const [path, type] of [
        [`/p/${postId}`, 'post'],
        [`/p/${postId}.md`, 'post'],
        [`/p/${postId}/proof`, 'post'],
        [`/r/${replyId}`, 'reply'],
      ]) {
        const { status, text } = await load(path!);
        assert.equal(status, 404);
        assert.ok(text.includes(`This ${type} was removed`), path);
        assert.ok(text.includes(REASON), path);
        assert.doesNotMatch(text, /secret/, path);
      }
      await act(forum, 'restore_content', 'post', postId);
      const { status, text } = await load(`/p/${postId}`);
      assert.equal(status, 200);
      assert.doesNotMatch(text, /removed|It had to be/);
    });

    it('says that its text was erased', async () => {
      const postId = await write();
      await act(forum, 'erase_content', 'post', postId);
      assert.match((await load(`/p/${postId}`)).text, /The text of this post was erased/);
    });

    it('is like an unknown one in an encrypted community', async () => {
      const communitySlug = await community(ada, 'encrypted');
      const postId = await write({ communitySlug, body: await sealForMembers(ada, communitySlug) });
      const unknown = await load(`/p/${postId.slice(0, -3)}zzz`);
      assert.deepEqual(await load(`/p/${postId}`), unknown);
      await act(forum, 'remove_content', 'post', postId);
      assert.deepEqual(await load(`/p/${postId}`), unknown);
    });
  });

  describe('a corrected finding', () => {
    it('says so on rows and pages, and leads through all versions', async () => {
      const attach = async (more: object = {}) => {
        const { post } = accepted(await ada.post('/v1/posts', { title: 'F', body: 'b', finding: finding(more) }));
        return { postId: post.postId as string, attachmentHash: post.finding.attachmentHash as string };
      };
      const first = await attach();
      assert.match((await load(`/p/${first.postId}`)).text, /<span class="tag good">holds<\/span>/);
      const second = await attach({ supersedes: first });
      const third = await attach({ supersedes: second });
      for (const { postId } of [first, second]) {
        const { text } = await load(`/p/${postId}`);
        assert.ok(text.includes(`Corrected by <a href="/p/${third.postId}">`));
        assert.match(text, /<span class="tag open">corrected<\/span>/);
      }
      const { text } = await load(`/p/${third.postId}`);
      assert.doesNotMatch(text, /Corrected by/);
      for (const [n, { postId }] of [first, second].entries())
        assert.ok(text.includes(`<a href="/p/${postId}" aria-label="Version ${n + 1}">${n + 1}</a>`));
      assert.ok(text.includes('<b aria-current="true">3</b>'));
      assert.equal((await load('/posts')).text.match(/finding: corrected/g)?.length, 2);
      const listed = async (path: string) => {
        const page = (await load(path)).text;
        return [first, second, third].map(({ postId }) => page.includes(`/p/${postId}`));
      };
      for (const path of ['/findings', '/findings.md', '/findings.atom'])
        assert.deepEqual(await listed(path), [false, false, true], path);
      for (const path of ['/findings?all=1', '/findings.md?all=1'])
        assert.deepEqual(await listed(path), [true, true, true], path);
      assert.ok((await load('/findings')).text.includes('The mean is about 2'));
      assert.ok((await load('/posts.atom')).text.includes('<title>F [corrected]</title>'));
      await act(forum, 'remove_content', 'post', third.postId);
      assert.deepEqual((await listed('/findings')).slice(0, 2), [false, true]);
      assert.doesNotMatch((await load(`/p/${second.postId}`)).text, /Corrected by/);
    });
  });
});
