import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../../src/client/commandLine.ts';
import { generateAgentKeys, writeKeyFile } from '../../../src/client/index.ts';
import { type KarmaStatement, KarmaStatementError, readStatement, verifyKarma } from '../../../src/client/karma.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import * as challenges from '../challenges/support.ts';
import { ask, close, DAY_MS, reply, settle, solve, vote } from '../questions/support/scenes.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was stated is changed freely here
type Json = any;

describe('karma statements', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let directory: string;
  let ada: TestAgent;
  let ben: TestAgent;
  let cyd: TestAgent;
  before(async () => {
    forum = await startForum({ env: { KARMA_VOTES_PER_PAIR: '50' } });
    directory = await mkdtemp(join(tmpdir(), 'forum-karma-'));
    const keys = generateAgentKeys();
    await writeKeyFile(join(directory, 'key.json'), keys);
    ada = await new TestAgent(forum.url, () => forum.api.clock.now(), keys.signing.seed).register('ada');
    [ben, cyd] = [await forum.agent(), await forum.agent()];
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function statementOf(agent: TestAgent): Promise<KarmaStatement> {
    const { body: karma } = await agent.get('/v1/karma');
    const events = [];
    for (let cursor = ''; ; ) {
      const { body } = await agent.get('/v1/karma/events', cursor);
      events.push(...body.items);
      if (body.nextCursor === undefined) return { karma, events };
      cursor = `cursor=${body.nextCursor}`;
    }
  }

  async function command(...argv: string[]): Promise<{ code: number; answer: Json }> {
    return runForJson(['karma', 'verify', ...argv], {
      env: { FORUM_URL: forum.url, FORUM_KEY: join(directory, 'key.json') },
    });
  }

  const adjust = (agent: TestAgent, amount: number) =>
    forum.operator.post('/v1/governance/enforcement', {
      action: 'adjust_karma',
      targetType: 'agent',
      targetId: agent.agentId,
      reason: 'It has to be',
      amount,
    });

  it('are folded by the command, and from a file without a connection', async () => {
    await vote(ben, await reply(ada, await ask(ben, 3)));
    await ask(ada, 2);
    const file = join(directory, 'statement.json');
    const { code, answer } = await command('--save', file);
    assert.equal(code, EXIT.ok, JSON.stringify(answer));
    assert.deepEqual([answer.valid, answer.agentId, answer.events, answer.openHolds], [true, ada.agentId, 3, 1]);
    assert.deepEqual([answer.balance, answer.available, answer.escrowed], [41, 39, 2]);
    assert.deepEqual((await command('--file', file, '--url', 'http://127.0.0.1:1')).answer, answer);

    const kept = JSON.parse(await readFile(file, 'utf8'));
    kept.events[0].amount = -1;
    await writeFile(file, JSON.stringify(kept));
    const forged = await command('--file', file);
    assert.deepEqual([forged.code, forged.answer.error], [EXIT.unproven, 'karma']);
    assert.match(forged.answer.differences[0], /holds another amount than it takes/);
    await writeFile(file, '[]');
    assert.equal((await command('--file', file)).code, EXIT.unproven);
    assert.equal((await command('--file', file, '--save', file)).code, EXIT.usage);
  });

  it('follow from bounties, stakes, awards, votes and adjustments as months go by', async () => {
    const dan = await forum.agent();
    const agents = [ada, ben, cyd, dan];
    for (let round = 0; round < 5; round++) {
      const questions = [await ask(ada, 5), await ask(ada, 3), await ask(ben, 2), await ask(cyd, 1)] as const;
      const answers = [await reply(ben, questions[0]), await reply(ada, questions[2])] as const;
      await vote(cyd, answers[0]);
      await vote(ben, answers[1]);
      const challenge = await challenges.openChallenge(forum, ada, { award: 2 });
      await challenges.stake(ben, challenge, 'solved', 2);
      await challenges.stake(cyd, challenge, 'unsolved', 1);
      await challenges.stake(cyd, challenge, 'unsolved', 1);
      await vote(cyd, await reply(dan, questions[1]));
      if (round % 2 === 0) await challenges.submit(dan, challenge, challenges.SOLUTION);
      for (const agent of agents) verifyKarma(readStatement(await statementOf(agent)));
      forum.advance((round * 11 + 3) * DAY_MS);
      for (const agent of agents) verifyKarma(readStatement(await statementOf(agent)));
      challenges.close(forum, challenge);
      assert.equal((await challenges.score(forum.operator, challenge)).status, 200);
      await solve(ada, questions[0], answers[0]);
      await close(ada, questions[1], { forfeit: round % 2 === 1 });
      await settle(forum.operator, questions[2], { refund: true });
      await vote(cyd, answers[0], 'down');
      await cyd.post('/v1/votes/recant', { targetId: answers[0] });
      await vote(cyd, answers[1], 'down');
      await adjust(ben, round === 4 ? -1_000 : 7.123456);
      if (round > 1) await adjust(ada, 20);
      if (round > 1) await adjust(cyd, 9);
      for (const agent of agents) verifyKarma(readStatement(await statementOf(agent)));
    }
    const kinds = new Set(
      (await Promise.all(agents.map(statementOf))).flatMap(({ events }) => events.map((e) => e.type)),
    );
    assert.ok(kinds.size === 17, [...kinds].join());
  });

  it('hold though more has happened since', async () => {
    const { karma } = await statementOf(ada);
    await ask(ada, 1);
    await adjust(ada, 1);
    const { events } = await statementOf(ada);
    assert.equal(verifyKarma({ karma, events }).balance, karma.balance);
  });

  it('are refused with a forged, missing or repeated row, or a changed figure', async () => {
    const original = await statementOf(ada);
    verifyKarma(original);
    const refused = (change: (copy: Json) => void, what: string) => {
      const copy = structuredClone(original);
      change(copy);
      assert.notDeepEqual(copy, original, what);
      assert.throws(() => verifyKarma(readStatement(copy)), KarmaStatementError, what);
    };
    original.events.forEach((event, n) => {
      const what = `${n} ${event.type}`;
      const changed = (name: string, value: unknown) =>
        refused((copy) => {
          copy.events[n][name] = value;
        }, `${what} ${name}`);
      changed('amount', Math.round((event.amount + 0.01) * 1e6) / 1e6);
      changed('escrowed', event.escrowed - 1);
      changed('category', event.category === 'earned' ? 'staked' : 'earned');
      changed('type', 'gift');
      changed('day', event.day - 1);
      changed('createdAt', new Date(Date.parse(event.createdAt) + DAY_MS).toISOString());
      if (event.holdEventId !== null) {
        changed('holdEventId', null);
        changed('reference', 'p_0000000000000000000000000');
      }
      refused((copy) => copy.events.splice(n, 1), `${what} left out`);
      // Behind what the statement counts, it is passed over.
      if (n > 0) refused((copy) => copy.events.splice(n, 0, copy.events[n]), `${what} twice`);
    });
    for (const name of ['balance', 'available', 'escrowed', 'halfLifeDays'] as const) {
      refused((copy) => {
        copy.karma[name] += 1;
      }, name);
    }
    refused((copy) => {
      copy.karma.starterGrant.remaining += 1;
    }, 'remaining');
    refused((copy) => {
      copy.karma.counts.earned += 1;
    }, 'counts');
    refused((copy) => {
      copy.karma.nextDecayAt = copy.karma.asOf;
    }, 'nextDecayAt');
    for (const odd of [null, [], {}, { karma: {}, events: [] }, { ...original, events: [null] }]) {
      assert.throws(() => readStatement(odd), KarmaStatementError);
    }
  });
});
