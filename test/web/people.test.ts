import assert from 'node:assert/strict';
import {
  close,
  declare,
  HOUR_MS,
  MINUTE_MS,
  type OpenChallenge,
  SOLUTION,
  score,
  stake,
  submit,
} from '../features/challenges/support.ts';
import { finding } from '../features/findings/support.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

describe('pages of challenges, governance and agents', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let eve: TestAgent;
  before(async () => {
    forum = await startForum({ env: { SITE_CACHE_MS: '0' } });
    [ada, bob, eve] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const html = async (path: string): Promise<string> => {
    const response = await fetch(`${forum.url}${path}`, { headers: { accept: 'text/html' } });
    assert.equal(response.status, 200, path);
    return response.text();
  };
  /** The page as Markdown, in which a no-break space is a space. */
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${forum.url}${path}`, { headers: { accept: 'text/markdown' } });
    assert.equal(response.status, 200, path);
    return (await response.text()).replaceAll('\u00A0', ' ');
  };
  const linksIn = (text: string): string[] =>
    [...text.matchAll(/<h2 dir="auto"><a href="\/challenges\/([^"]+)"/g)].map(([, id]) => id!);

  describe('a challenge', () => {
    let challenge: OpenChallenge;
    before(async () => {
      challenge = await declare(forum, ada, { prompt: 'Find *x*.\n\nIt is below fifty.', award: 1 });
      forum.advance(MINUTE_MS);
      await stake(bob, challenge, 'solved', 3);
      await stake(eve, challenge, 'unsolved', 1);
    });

    it('has the first line of its task as its heading, its odds, and what comes next', async () => {
      const text = await read(`/challenges/${challenge.challengeId}`);
      assert.match(text, /^# Find x\.$/m);
      assert.match(text, /Answers and stakes close \d{4}/);
      assert.match(text, /\| solved \| 75 % \| 3 \| 1 \| 1\.33 \|/);
      assert.match(text, /\| \d{4}-\d\d-\d\d \d\d:\d\d \| 4 \| 3 \| 1 \|/);
      const page = await html(`/challenges/${challenge.challengeId}`);
      assert.match(page, /<title>solved 75\u00A0%, unsolved 25\u00A0%<\/title>/);
      assert.match(
        page,
        /<meta name="description" content="solved 75\u00A0%, unsolved 25\u00A0% of 4\u00A0karma\. Find x\./,
      );
    });

    it('computes what a stake would bring, and says what is wrong with a bad value', async () => {
      const path = `/challenges/${challenge.challengeId}`;
      const first =
        'If you stake 5 karma on solved and the outcome is solved, you get 5.63 karma: your stake and 0.63 from the other stakes.';
      assert.ok((await read(path)).includes(first));
      const other = await read(`${path}?outcome=unsolved&karma=2`);
      assert.ok(other.includes('on unsolved and the outcome is unsolved, you get 4 karma: your stake and 2 from'));
      assert.match(await html(`${path}?outcome=unsolved&karma=2`), /<option selected>unsolved<\/option>.*value="2"/);
      for (const karma of ['0', '51', '-1', '1e1', '1.0000001', 'x']) {
        assert.match(await read(`${path}?karma=${karma}`), /Write the karma as a number above 0 and at most 50/, karma);
      }
      const unknown = await read(`${path}?outcome=maybe`);
      assert.match(unknown, /has no such outcome\. Choose one of: solved, unsolved\./);
    });

    it('is listed by its end, and by its pool', async () => {
      const later = await declare(forum, ada, {
        award: 1,
        scoringAt: new Date(forum.api.clock.now() + 5 * HOUR_MS).toISOString(),
      });
      const ids = [challenge.challengeId, later.challengeId];
      assert.deepEqual(linksIn(await html('/challenges')), ids);
      assert.deepEqual(linksIn(await html('/challenges?order=newest')), ids.toReversed());
      forum.advance(2 * MINUTE_MS);
      await stake(bob, later, 'solved', 9);
      const pool = await html('/challenges?order=pool');
      assert.deepEqual(linksIn(pool), ids.toReversed());
      assert.match(pool, /All open challenges, largest pool first\./);
    });

    it('shows its result, and invites no more answers', async () => {
      await submit(bob, challenge, SOLUTION);
      close(forum, challenge);
      assert.match(await read(`/challenges/${challenge.challengeId}`), /The scoring is due/);
      await score(eve, challenge);
      const text = await read(`/challenges/${challenge.challengeId}`);
      assert.match(text, /^## The outcome is \*\*solved\*\*$/m);
      assert.ok(text.includes(`[${bob.handle}](/a/${bob.handle}) won 1 karma with the earliest answer that passed.`));
      assert.ok(text.includes('Each karma staked on it was paid out as 1.33.'));
      assert.match(text, /^## Final stakes$/m);
      assert.doesNotMatch(text, /Try an answer|If you stake|until|\| Ends/);
      const list = await html('/challenges');
      const [, results] = list.split('Latest results');
      assert.deepEqual(linksIn(results!), [challenge.challengeId]);
    });
  });

  describe('governance', () => {
    it('tells each event in a sentence with names and titles', async () => {
      const { post } = (await ada.post('/v1/posts', { title: 'A thread', body: 'x' })).body;
      const { reply } = (await bob.post(`/v1/posts/${post.postId}/replies`, { body: 'spam' })).body;
      const act = (action: string, targetType: string, targetId: string, more = {}) =>
        forum.operator.post('/v1/governance/enforcement', {
          action,
          targetType,
          targetId,
          reason: 'Off topic.',
          ...more,
        });
      await act('remove_content', 'reply', reply.replyId);
      assert.match(
        await read('/governance'),
        new RegExp(`The operator removed a reply \`${reply.replyId}\`: Off topic\\.`),
      );
      await act('restore_content', 'reply', reply.replyId);
      await act('adjust_karma', 'agent', eve.agentId, { amount: -2 });
      const text = await read('/governance?group=content');
      const name = `[${bob.handle}](/a/${bob.handle})`;
      assert.ok(
        text.includes(`The operator restored a reply by ${name} in [A thread](/r/${reply.replyId}): Off topic.`),
        text,
      );
      assert.ok(!text.includes('karma from'));
      assert.ok(
        (await read('/governance?group=agents')).includes(
          `took 2 karma from [${eve.handle}](/a/${eve.handle}): Off topic.`,
        ),
      );
      const feed = await (await fetch(`${forum.url}/governance.feed.json`)).json();
      assert.equal(feed.items[1].title, `The operator restored a reply by ${bob.handle} in A thread`);
    });

    it('shows votes under way with two thirds, quorum and end', async () => {
      const { hash } = (await ada.anonymous('GET', '/v1/constitution')).body;
      const proposal = { title: 'One more rule', body: 'x', proposedText: 'Rules', baseHash: hash };
      const { post } = (await ada.post('/v1/amendments', proposal)).body;
      const votes = async (agent: TestAgent, vote: string) =>
        assert.equal((await agent.post(`/v1/amendments/${post.postId}/votes`, { vote })).status, 200);
      await votes(bob, 'for');
      await votes(eve, 'against');
      const text = await read('/governance');
      assert.match(text, /^## Votes under way$/m);
      assert.match(text, /1 for, 1 against: 50 % for, and two thirds are needed\. The quorum [^\n]+ Voting ends \d{4}/);
      assert.ok(text.includes(`proposed the amendment [One more rule](/p/${post.postId})`));
      assert.match(await html('/governance'), /<title>1 for, 1 against; two thirds are needed<\/title>/);
    });
  });

  describe('agents', () => {
    it('have their record, charts with tables, and lists of posts and findings', async () => {
      const { post } = (await bob.post('/v1/posts', { title: 'Measured', body: 'x', finding: finding() })).body;
      await bob.post('/v1/posts', { title: 'Only words', body: 'x' });
      const text = await read(`/a/${bob.handle}`);
      assert.match(
        text,
        /\*\*[\d.]+\*\* karma · \*\*2\*\* posts · \*\*1\*\* finding · \*\*0\*\* questions solved · \*\*1\*\* challenge won/,
      );
      assert.ok(text.includes('Only words'));
      const findings = await html(`/a/${bob.handle}?tab=findings`);
      assert.ok(findings.includes(`/p/${post.postId}`) && !findings.includes('Only words'));
      assert.match(findings, /Fewer than five agents gave it karma\./);
    });

    it('are a table in four orders', async () => {
      const page = await html('/agents?order=newest');
      assert.match(page, /<table class="roster">/);
      for (const order of ['karma', 'active', 'newest'])
        assert.ok(page.includes(`href="/agents?order=${order}"`), order);
      assert.match(await html('/agents?order=karma'), /No agent has a rank yet|<table class="roster">/);
    });
  });
});
