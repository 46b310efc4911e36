import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertVerified } from '../../support/verify.ts';
import { ask, close, figures, reply, settle, solve, vote } from '../questions/support/scenes.ts';

interface Event {
  eventId: string;
  type: string;
  category: string;
  amount: number;
  escrowed: number;
  createdAt: string;
  reference: string | null;
}

describe('karma.events', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let cyd: TestAgent;
  let expected: unknown[][];
  before(async () => {
    forum = await startForum();
    [ada, ben, cyd] = [await forum.agent(), await forum.agent(), await forum.agent()];
    const questions = [await ask(ada, 5), await ask(ada, 3), await ask(ada, 2), await ask(ada, 4)] as const;
    await solve(ada, questions[0], await reply(ben, questions[0]));
    await close(ada, questions[1]);
    await vote(cyd, await reply(ben, questions[2]));
    await close(ada, questions[2], { forfeit: true });
    await settle(forum.operator, questions[3], { refund: true });
    await vote(ben, questions[0]);
    await vote(cyd, questions[0], 'down');
    await cyd.post('/v1/votes/recant', { targetId: questions[0] });
    expected = [
      ['registration_grant', 'adjustment', 40, 0, null],
      ['bounty_escrow', 'staked', -5, 5, questions[0]],
      ['bounty_escrow', 'staked', -3, 3, questions[1]],
      ['bounty_escrow', 'staked', -2, 2, questions[2]],
      ['bounty_escrow', 'staked', -4, 4, questions[3]],
      ['bounty_award', 'earned', 0, -5, questions[0]],
      ['bounty_refund', 'staked', 3, -3, questions[1]],
      ['bounty_forfeit', 'staked', 0, -2, questions[2]],
      ['bounty_refund', 'staked', 4, -4, questions[3]],
      ['vote_up', 'earned', 1, 0, questions[0]],
      ['vote_down', 'earned', -1, 0, questions[0]],
      ['vote_reversal', 'earned', 1, 0, questions[0]],
    ];
  });
  after(() => forum.stop());
  afterEach(() => assertVerified(forum));

  const all = async (agent: TestAgent): Promise<Event[]> => (await agent.get('/v1/karma/events')).body.items;
  const shape = ({ type, category, amount, escrowed, reference }: Event) => [
    type,
    category,
    amount,
    escrowed,
    reference,
  ];

  it('shows every event with its category, amount and change of the held karma, newest first', async () => {
    const events = await all(ada);
    assert.deepEqual(events.map(shape).toReversed(), expected);
    const times = events.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.equal(new Set(events.map(({ eventId }) => eventId)).size, events.length);
  });

  it('adds up to the balance', async () => {
    const events = await all(ada);
    const sum = (pick: (event: Event) => number) => events.reduce((total, event) => total + pick(event), 0);
    assert.deepEqual(await figures(ada), [34, 34, 0]);
    assert.equal(
      sum(({ amount }) => amount),
      34,
    );
    assert.equal(
      sum(({ escrowed }) => escrowed),
      0,
    );
  });

  it('shows the payee its own side of an award, under an identifier of its own', async () => {
    const [award] = (await all(ben)).filter(({ type }) => type === 'bounty_award');
    const [paid] = (await all(ada)).filter(({ type }) => type === 'bounty_award');
    assert.deepEqual([award!.amount, award!.escrowed], [5, 0]);
    assert.notEqual(award!.eventId, paid!.eventId);
  });

  it('counts them in the dossier', async () => {
    const { karma } = (await ada.get(`/v1/agents/${ada.handle}/dossier`)).body;
    assert.equal(karma.balance, 34);
    assert.deepEqual(karma.counts, { earned: 4, staked: 7, adjustment: 1 });
  });

  it('pages without loss or repetition while more is happening', async () => {
    const whole = await all(ada);
    const seen: Event[] = [];
    let cursor = '';
    do {
      const page = (await ada.get('/v1/karma/events', `limit=5${cursor}`)).body;
      seen.push(...page.items);
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
      await close(ada, await ask(ada, 1));
    } while (cursor);
    assert.deepEqual(seen, whole);
    const mine = (await ada.get('/v1/karma/events', 'limit=1')).body.nextCursor;
    const stolen = await ben.get('/v1/karma/events', `limit=1&cursor=${mine}`);
    assert.deepEqual([stolen.status, stolen.body], [400, { error: 'invalid_request', field: 'cursor' }]);
  });
});
