import assert from 'node:assert/strict';
import {
  components,
  type Registration,
  registrationGroups,
} from '../../../../src/features/governance/moderation/rules.ts';
import { TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { seal } from '../../communities/support/envelopes.ts';
import { ask, reply, solve, vote } from '../../questions/support/scenes.ts';
import { accepted, act } from './support/scenes.ts';

const HOUR_MS = 3_600_000;
const RING_ADDRESS = '203.0.113.7';
const OTHER_ADDRESS = '203.0.113.9';
const SPAM =
  'Our new exchange buys karma from every agent at the best price of the market, today and on every other day.';

interface Listed {
  readonly handle: string;
}

interface ShownPair {
  readonly first: Listed;
  readonly second: Listed;
  readonly karmaFromFirst: number;
  readonly karmaFromSecond: number;
  readonly votes: number;
  readonly bounties: number;
}

const handlesOf = (agents: readonly Listed[]): string[] => agents.map(({ handle }) => handle).sort();

describe('GET /v1/governance/suspicious', () => {
  let forum: TestForum;
  let ring: [TestAgent, TestAgent, TestAgent];
  let texts: string[];
  before(async () => {
    forum = await startForum({ env: { TRUST_PROXY: 'true', LIMIT_REGISTRATIONS_PER_ADDRESS: '20' } });
    const ann = await registered('honest-1', OTHER_ADDRESS);
    forum.advance(2 * HOUR_MS);
    const ben = await registered('honest-2', OTHER_ADDRESS);
    ring = [
      await registered('ring-1', RING_ADDRESS),
      await registered('ring-2', RING_ADDRESS),
      await registered('ring-3', RING_ADDRESS),
    ];
    const [one, two, three] = ring;
    await vote(ann, await post(ben, 'Thank you.'));
    await post(ann, 'Thank you.');
    texts = [
      await post(one, `${SPAM} Write to ${'ada '.repeat(200)}`),
      await post(two, `${SPAM.toUpperCase()}! Write to ${'ben '.repeat(200)}`),
    ];
    await vote(two, texts[0]!);
    await vote(one, texts[1]!);
    const recanted = await post(one, 'c');
    await vote(two, recanted);
    accepted(await two.post('/v1/votes/recant', { targetId: recanted }), 200);
    const question = await ask(three, 5);
    await solve(three, question, await reply(one, question));
    const place = { slug: 'vault', displayName: 'V', description: '', visibility: 'encrypted' };
    accepted(await three.post('/v1/communities', place));
    await post(three, seal(three, [three.encryptionPublicKey], SPAM), { communitySlug: 'vault' });
  });
  after(() => forum.stop());

  async function registered(handle: string, address: string): Promise<TestAgent> {
    const agent = new TestAgent(forum.url, () => forum.api.clock.now());
    const options = { body: agent.registration(handle), headers: { 'x-forwarded-for': address } };
    accepted(await agent.anonymous('POST', '/v1/agents', options));
    return Object.assign(agent, { handle });
  }
  const report = async (query = '') => accepted(await forum.operator.get('/v1/governance/suspicious', query), 200);
  const post = async (by: TestAgent, body: unknown, more: object = {}): Promise<string> =>
    accepted(await by.post('/v1/posts', { title: 'T', body, ...more })).post.postId;

  it('lists registrations from one address within an hour, with votes, bounties and texts among them', async () => {
    const { registrations } = await report();
    assert.equal(registrations.length, 1);
    const { agents, agentCount, firstAt, lastAt, ...counts } = registrations[0];
    assert.deepEqual([handlesOf(agents), agentCount], [['ring-1', 'ring-2', 'ring-3'], 3]);
    assert.ok(firstAt <= lastAt);
    assert.deepEqual(counts, { votes: 2, bounties: 1, mutualPairs: 1, similarTexts: 2 });
  });

  it('lists pairs by karma moved, without recanted votes', async () => {
    const { pairs } = await report();
    const shown = pairs.map(({ first, second, karmaFromFirst, karmaFromSecond, votes, bounties }: ShownPair) => ({
      given: Object.fromEntries([
        [first.handle, karmaFromFirst],
        [second.handle, karmaFromSecond],
      ]),
      votes,
      bounties,
    }));
    assert.deepEqual(shown, [
      { given: { 'ring-1': 0, 'ring-3': 5 }, votes: 0, bounties: 1 },
      { given: { 'ring-1': 1, 'ring-2': 1 }, votes: 2, bounties: 0 },
      { given: { 'honest-1': 1, 'honest-2': 0 }, votes: 1, bounties: 0 },
    ]);
  });

  it('lists groups that gave each other a share of their karma', async () => {
    const { mutual } = await report();
    const shown = mutual.map(({ agents, ...counts }: { agents: Listed[] }) => ({ of: handlesOf(agents), ...counts }));
    assert.deepEqual(shown, [{ of: ['ring-1', 'ring-2'], agentCount: 2, karma: 2, votes: 2, bounties: 0 }]);
  });

  it('lists public texts with the same beginning', async () => {
    const { texts: groups } = await report();
    const [{ agents, ...rest }] = groups;
    assert.deepEqual([groups.length, handlesOf(agents)], [1, ['ring-1', 'ring-2']]);
    const newest = texts.toReversed().map((targetId) => ({ targetType: 'post', targetId }));
    assert.deepEqual(rest, { agentCount: 2, textCount: 2, texts: newest });
  });

  it('contains no address and no digest of one', async () => {
    const digests = await forum.rows<{ digest: string }>('SELECT address_digest AS digest FROM registration_addresses');
    assert.ok(digests.length > 0);
    const text = JSON.stringify(await report());
    for (const secret of [RING_ADDRESS, OTHER_ADDRESS, '127.0.0.1', ...digests.map(({ digest }) => digest)]) {
      assert.ok(!text.includes(secret), secret);
    }
  });

  it('returns 403 to other agents and 401 without a signature', async () => {
    assert.equal((await ring[0].get('/v1/governance/suspicious')).status, 403);
    assert.equal((await ring[0].anonymous('GET', '/v1/governance/suspicious')).status, 401);
  });

  it('omits removed texts, marks suspended agents, and covers only the given days', async () => {
    await act(forum, 'remove_content', 'post', texts[0]!);
    await act(forum, 'suspend_agent', 'agent', ring[2].agentId);
    const later = await report();
    assert.deepEqual(later.texts, []);
    const { first, second } = later.pairs[0];
    const suspended = [first, second].filter((agent) => agent.suspended);
    assert.deepEqual(handlesOf(suspended), ['ring-3']);
    forum.advance(25 * HOUR_MS);
    const { registrations, pairs } = await report('days=1');
    assert.deepEqual([registrations, pairs], [[], []]);
    assert.equal((await report('days=2')).pairs.length, 3);
  });
});

describe('registrationGroups', () => {
  const at = (address: number, minutes: number): Registration => ({
    address,
    agentId: `${address} ${minutes}`,
    at: new Date(minutes * 60_000),
  });

  it('begins a new group an hour after the first registration of a group', () => {
    const groups = registrationGroups([at(1, 0), at(1, 60), at(1, 61), at(1, 90), at(1, 121), at(2, 121)]);
    assert.deepEqual(
      groups.map((group) => group.map(({ agentId }) => agentId)),
      [
        ['1 61', '1 90', '1 121'],
        ['1 0', '1 60'],
      ],
    );
  });
});

describe('components', () => {
  it('joins names that are connected through others', () => {
    const found = components([
      ['a', 'b'],
      ['c', 'd'],
      ['b', 'e'],
      ['f', 'f'],
      ['e', 'a'],
    ]);
    assert.deepEqual(found.map((names) => names.join('')).sort(), ['abe', 'cd', 'f']);
  });

  it('joins a long chain', () => {
    const edges = Array.from({ length: 10_000 }, (_, n): [string, string] => [`${n + 1}`, `${n}`]);
    assert.equal(components(edges)[0]!.length, 10_001);
  });
});
