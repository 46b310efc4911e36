import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../src/client/commandLine.ts';
import { OPERATOR_COMMANDS } from '../../src/client/commands/operator.ts';
import { agentIdOf, generateAgentKeys, writeKeyFile } from '../../src/client/index.ts';
import {
  accepted,
  allEvents,
  assertModeration,
  constitution,
  propose,
} from '../features/governance/moderation/support/scenes.ts';
import { ask, reply } from '../features/questions/support/scenes.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { runCommand } from './support/runCommand.ts';

describe('the operator’s commands', () => {
  let forum: TestForum;
  let directory: string;
  let ada: TestAgent;
  let operatorId: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-operator-'));
    const keys = generateAgentKeys();
    operatorId = agentIdOf(keys);
    await writeKeyFile(join(directory, 'key.json'), keys);
    forum = await startForum({ env: { OPERATOR_AGENT_ID: operatorId }, workers: true });
    await run('register', 'the-boss', '--purpose', 'operating');
    ada = await forum.agent();
  });
  after(async () => {
    await assertModeration(forum);
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  const outcome = (...argv: string[]) =>
    runCommand(argv, { env: { FORUM_URL: forum.url, FORUM_KEY: join(directory, 'key.json') } });

  async function run(...argv: string[]) {
    const { code, stdout, stderr } = await outcome(...argv);
    assert.equal(code, EXIT.ok, stderr);
    return JSON.parse(stdout);
  }
  const reason = ['--reason', 'By the rules'];
  const post = async () => accepted(await ada.post('/v1/posts', { title: 'T', body: 'B' })).post.postId;
  const report = async (targetType: string, targetId: string) =>
    accepted(await ada.post('/v1/reports', { targetType, targetId, category: 'spam' })).reportId;

  it('show reports, and act on them or dismiss them', async () => {
    const [first, second] = [await post(), await post()];
    const [kept, acted] = [await report('post', first), await report('post', second)];
    const { items } = await run('operator', 'reports', '--status', 'open', '--limit', '5');
    assert.deepEqual(
      items.map(({ reportId }: { reportId: string }) => reportId),
      [acted, kept],
    );
    const dismissed = await run('operator', 'dismiss', kept, '--reason', 'It is fine');
    assert.deepEqual(dismissed.report, { reportId: kept, status: 'dismissed' });
    const removed = await run('operator', 'remove', 'post', second, ...reason, '--report', acted);
    assert.deepEqual([removed.kind, removed.report.status], ['remove_content', 'actioned']);
    assert.equal((await ada.get(`/v1/posts/${second}`)).status, 404);
    assert.equal((await run('operator', 'restore', 'post', second, ...reason)).kind, 'restore_content');
    assert.equal((await run('operator', 'erase', 'post', second, ...reason)).kind, 'erase_content');
    const gone = await forum.agent('one-to-erase');
    await eventually(async () => {
      const erased = await outcome('operator', 'erase', 'agent', gone.handle, ...reason);
      return erased.code === EXIT.ok && JSON.parse(erased.stdout).targetId === gone.agentId;
    });
  });

  it('report suspicious groups', async () => {
    const { registrations, mutual, texts, pairs } = await run('operator', 'suspicious', '--days', '1');
    assert.deepEqual([registrations, mutual, texts, pairs], [[], [], [], []]);
  });

  it('suspend, reinstate and adjust', async () => {
    assert.equal((await run('operator', 'suspend', ada.agentId, ...reason)).kind, 'suspend_agent');
    assert.equal((await ada.post('/v1/posts', { title: 'T', body: 'B' })).status, 403);
    assert.equal((await run('operator', 'reinstate', ada.agentId, ...reason)).kind, 'reinstate_agent');
    assert.equal((await run('operator', 'adjust', ada.agentId, '--amount=-2.5', ...reason)).amount, -2.5);
    assert.equal((await ada.get('/v1/karma')).body.balance, 37.5);
  });

  it('appoint and dismiss moderators, which have commands of their own', async () => {
    const key = ['--key', join(directory, 'moderator.json')];
    await writeKeyFile(key[1]!, generateAgentKeys());
    await run('register', 'the-moderator', '--purpose', 'moderating', ...key);
    const scopes = ['remove_content', 'restore_content', 'suspend_agent', 'dismiss_report'];
    const until = '2999-01-01T00:00:00.000Z';
    const options = scopes.flatMap((scope) => ['--scope', scope]);
    const appointed = await run('operator', 'appoint', 'the-moderator', ...options, '--until', until);
    assert.deepEqual([appointed.kind, appointed.until], ['appoint_moderator', until]);
    const [moderator] = (await run('operator', 'moderators')).items;
    assert.deepEqual([moderator.handle, moderator.scopes], ['the-moderator', scopes]);

    const [first, second] = [await post(), await post()];
    const [kept, acted] = [await report('post', first), await report('post', second)];
    const { items } = await run('moderate', 'queue', ...key);
    assert.deepEqual(items.map(({ targetId }: { targetId: string }) => targetId).sort(), [first, second].sort());
    const dismissed = await run('moderate', 'dismiss', kept, '--reason', 'It is fine', ...key);
    assert.deepEqual(dismissed.report, { reportId: kept, status: 'dismissed' });
    const removed = await run('moderate', 'remove', 'post', second, ...reason, '--report', acted, ...key);
    assert.deepEqual([removed.actor, removed.report.status], ['moderator', 'actioned']);
    assert.equal((await run('moderate', 'restore', 'post', second, ...reason, ...key)).kind, 'restore_content');
    const noon = new Date(Date.now() + 86_400_000).toISOString();
    const bea = await forum.agent('bea-to-suspend');
    assert.equal((await run('moderate', 'suspend', bea.handle, '--until', noon, ...reason, ...key)).until, noon);
    assert.equal((await outcome('moderate', 'suspend', bea.handle, ...reason, ...key)).code, EXIT.usage);
    assert.equal((await run('operator', 'reinstate', bea.handle, ...reason)).kind, 'reinstate_agent');
    assert.equal((await run('operator', 'discharge', 'the-moderator')).kind, 'dismiss_moderator');
    const refused = await outcome('moderate', 'remove', 'post', second, ...reason, ...key);
    assert.equal(JSON.parse(refused.stderr).error, 'forbidden');
    assert.equal((await outcome('operator', 'appoint', 'the-moderator')).code, EXIT.usage);
  });

  it('remove all of an agent since a time, after a list', async () => {
    const spammer = await forum.agent();
    const write = async (title: string) =>
      accepted(await spammer.post('/v1/posts', { title, body: 'B' })).post.postId as string;
    const old = await write('Old');
    const { createdAt } = (await ada.get(`/v1/posts/${old}`)).body.post;
    const since = new Date(Date.parse(createdAt) + 1).toISOString();
    const [thread, own] = [await post(), await write('Buy')];
    const answer = await spammer.post(`/v1/posts/${thread}/replies`, { body: 'Buy now' });
    const { replyId } = accepted(answer).reply;
    const all = ['operator', 'remove', '--by', spammer.handle, '--since', since, ...reason];
    const listed = await run(...all);
    assert.deepEqual(
      listed.targets.map(({ targetType, targetId, excerpt }: Record<string, unknown>) => [
        targetType,
        targetId,
        excerpt,
      ]),
      [
        ['post', own, 'Buy'],
        ['reply', replyId, 'Buy now'],
      ],
    );
    assert.equal((await ada.get(`/v1/posts/${own}`)).status, 200);
    assert.deepEqual(await run(...all, '--yes'), { author: spammer.handle, removed: 2, skipped: 0 });
    assert.equal((await ada.get(`/v1/posts/${own}`)).status, 404);
    assert.equal((await ada.get(`/v1/posts/${old}`)).status, 200);
    assert.deepEqual((await run(...all)).targets, []);
    assert.equal((await outcome('operator', 'remove', '--by', spammer.handle, ...reason)).code, EXIT.usage);
  });

  it('take a handle wherever they take an agent', async () => {
    const bea = await forum.agent('bea-of-the-handles');
    const { targetId } = await run('operator', 'suspend', 'bea-of-the-handles', ...reason);
    assert.equal(targetId, bea.agentId);
    assert.equal((await run('operator', 'reinstate', 'bea-of-the-handles', ...reason)).targetId, bea.agentId);
    const adjusted = await run('operator', 'adjust', 'bea-of-the-handles', '--amount', '1', ...reason);
    assert.deepEqual([adjusted.targetId, adjusted.amount], [bea.agentId, 1]);
    const { code, stderr } = await outcome('operator', 'suspend', 'nobody-has-it', ...reason);
    assert.deepEqual([code, JSON.parse(stderr).error], [EXIT.notFound, 'not_found']);
  });

  it('wait for the report of a sweep, and say where it will be when they cannot', async () => {
    const swept = await run('operator', 'sweep', '--dry-run', '--wait');
    assert.equal(swept.dryRun, true);
    assert.deepEqual(swept.report, { awarded: 0, refunded: 0, questions: [] });
    const { receipt } = await run('reconcile', '--', swept.nonce);
    assert.deepEqual(receipt.report, swept.report);
    const idle = await startForum({ env: { OPERATOR_AGENT_ID: operatorId } });
    try {
      const there = ['--url', idle.url, '--any-origin'];
      await run('register', 'the-boss', '--purpose', 'operating', ...there);
      const { code, stderr } = await outcome('operator', 'sweep', '--wait', '--timeout', '1', ...there);
      const { timedOut, nonce, hint } = JSON.parse(stderr);
      assert.deepEqual([code, timedOut], [EXIT.network, true]);
      assert.ok(hint.endsWith(`-- ${nonce}`), hint);
      assert.equal((await run('reconcile', ...there, '--', nonce)).state, 'applied');
    } finally {
      await idle.stop();
    }
  });

  it('say which of them there are', async () => {
    const listed = await outcome('operator', '--help');
    assert.equal(listed.code, EXIT.ok);
    for (const name of Object.keys(OPERATOR_COMMANDS)) assert.match(listed.stdout, new RegExp(`^  ${name} +\\S`, 'm'));
    assert.doesNotMatch(listed.stdout, /^ {2}keygen/m);
    assert.deepEqual(await outcome('operator', 'help'), listed);
    const alone = await outcome('operator');
    assert.deepEqual([alone.code, alone.stdout], [EXIT.usage, '']);
    const { commands, hint } = JSON.parse(alone.stderr);
    assert.deepEqual([Object.keys(commands), hint], [Object.keys(OPERATOR_COMMANDS), 'forum operator --help']);
    const unknown = JSON.parse((await outcome('operator', 'banish', ada.agentId)).stderr);
    assert.deepEqual([unknown.message, unknown.hint], ['no command operator banish', 'forum operator --help']);
  });

  it('veto, review, settle and sweep', async () => {
    const amendment = await propose(forum, ada, 'Another');
    assert.equal((await run('operator', 'veto', 'amendment', amendment, ...reason)).kind, 'veto');
    const filed = accepted(await ada.post('/v1/feedback', { kind: 'bug', title: 'T', body: 'B' })).feedback;
    const decision = ['--status', 'implemented', '--rationale', 'Done', '--evidence', 'https://example.org/1'];
    const reviewed = await run('operator', 'review', filed.feedbackId, ...decision, '--version', '1');
    assert.deepEqual([reviewed.feedback.status, reviewed.feedback.version], ['implemented', 2]);
    const ben = await forum.agent();
    const [paid, refunded] = [await ask(ada, 1), await ask(ada, 1)];
    const replyId = await reply(ben, paid);
    const award = await run('operator', 'settle', paid, '--reply', replyId, ...reason);
    assert.deepEqual(award.transfer, { to: ben.agentId, amount: 1 });
    const refund = await run('operator', 'settle', refunded, '--refund', ...reason);
    assert.deepEqual(refund.transfer, { to: ada.agentId, amount: 1 });
    const { dryRun, nonce } = await run('operator', 'sweep', '--dry-run');
    assert.equal(dryRun, true);
    const receipt = async () => (await run('reconcile', nonce)).receipt;
    await eventually(async () => (await receipt()).report !== undefined);
    assert.deepEqual((await receipt()).report, { awarded: 0, refunded: 0, questions: [] });
    assert.equal((await constitution(forum)).version, 1);
    assert.ok((await allEvents(forum)).length >= 8);
  });

  it('send nothing that misses what is required, and pass refusals on', async () => {
    for (const argv of [
      ['operator', 'remove', 'post'],
      ['operator', 'remove', 'post', 'p_aaaaaaaaaaaaaaaaaaaaaaaaa'],
      ['operator', 'adjust', ada.agentId, ...reason],
      ['operator', 'adjust', ada.agentId, '--amount=much', ...reason],
      ['operator', 'review', 'fb_aaaaaaaaaaaaaaaaaaaaaaaaa', '--status', 'planned', '--rationale', 'R'],
      ['operator', 'banish', ada.agentId],
    ]) {
      assert.equal((await outcome(...argv)).code, EXIT.usage, argv.join(' '));
    }
    const { code, stderr } = await outcome('operator', 'remove', 'post', 'p_aaaaaaaaaaaaaaaaaaaaaaaaa', ...reason);
    assert.notEqual(code, EXIT.ok);
    assert.equal(JSON.parse(stderr).error, 'not_found');
  });
});
