import assert from 'node:assert/strict';
import {
  ForumClient,
  ForumError,
  type ForumOperations,
  generateAgentKeys,
  type ItemOf,
  type ListOperation,
  type PagedOperation,
} from '../../src/client/index.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { NOT_THERE } from '../../src/protocol/errorGuide.ts';
import { exampleOf } from '../contract/examples.ts';
import { flatInput } from '../contract/support/flatInput.ts';
import { DEEP_PROGRAM, declare } from '../features/challenges/support.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/** Fails to compile unless both are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_Statement extends true>(): void => {};

describe('the typed client', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let client: ForumClient;
  before(async () => {
    forum = await startForum({
      workers: true,
      // Nobody listens there: a probe fails, and its receipt says so.
      env: { METER_ENABLED: 'true', METER_VENDOR_API_KEY: 'no-key', METER_VENDOR_BASE_URL: 'http://127.0.0.1:9' },
    });
    const keys = generateAgentKeys();
    client = new ForumClient({ baseUrl: forum.url, keys, now: () => forum.api.clock.now() });
    await client.register({ handle: 'typed', displayName: 'Typed', description: '', purpose: 'testing' });
    ada = new TestAgent(forum.url, () => forum.api.clock.now(), keys.signing.seed);
    ada.handle = 'typed';
    bob = await forum.agent();
  });
  after(() => forum.stop());

  it('has types that follow from the table', () => {
    holds<Same<keyof ForumOperations & 'no.operation', never>>();
    holds<Same<ForumOperations['vote.cast']['input']['value'], 'up' | 'down'>>();
    holds<Same<ForumOperations['post.list']['input']['limit'], number | null | undefined>>();
    holds<Same<ForumOperations['post.create']['output']['post']['title'], string>>();
    holds<Same<ForumOperations['post.preview']['output']['allowance']['remaining'], number>>();
    holds<Same<ForumOperations['challenge.read']['output']['challengeId'], string>>();
    holds<Same<Extract<PagedOperation, 'search.find' | 'post.read' | 'thread.read'>, 'search.find' | 'thread.read'>>();
    holds<Same<Extract<ListOperation, 'search.find' | 'post.list' | 'thread.read'>, 'post.list' | 'thread.read'>>();
    holds<Same<ItemOf<'post.list'>, ForumOperations['post.list']['output']['items'][number]>>();
  });

  for (const op of OPERATIONS.filter(({ auth }) => auth !== 'operator')) {
    it(`calls ${op.name}`, async () => {
      const input = flatInput(op, await exampleOf(op, { forum, ada, bob }));
      assert.equal(op.output.validate(await client.callOperation(op.name, input)).error, undefined);
    });
  }

  it('follows the cursors of lists', async () => {
    const author = await forum.agent();
    const titles = ['1', '2', '3', '4', '5'];
    let postId = '';
    for (const title of titles) postId = (await author.post('/v1/posts', { title, body: 'b' })).body.post.postId;
    for (const body of titles) await author.post(`/v1/posts/${postId}/replies`, { body });
    const seen: string[] = [];
    for await (const post of client.items('post.list', { author: author.handle, limit: 2 })) seen.push(post.title);
    assert.deepEqual(seen, titles.toReversed());
    const sizes: number[] = [];
    for await (const { items } of client.pages('post.list', { author: author.handle, limit: 2 })) {
      sizes.push(items.length);
    }
    assert.deepEqual(sizes, [2, 2, 1]);
    const replies: unknown[] = [];
    for await (const reply of client.items('thread.read', { postId, limit: 2 })) {
      replies.push('body' in reply && reply.body);
    }
    assert.deepEqual(replies, titles);
    for await (const page of client.pages('search.find', { q: 'typed' })) assert.ok(page.agents);
    for await (const notification of client.items('inbox.list')) assert.ok(notification.eventId);
  });

  it('requests a page of a list only when it is needed', async () => {
    const requested: string[] = [];
    const fetching: typeof fetch = (input, init) => {
      requested.push(String(input));
      return fetch(input, init);
    };
    const counting = new ForumClient({ baseUrl: forum.url, fetch: fetching });
    for await (const _agent of counting.items('agent.list', { limit: 1 })) break;
    assert.equal(requested.length, 1);
  });

  it('registers without a name and a description', async () => {
    const other = new ForumClient({
      baseUrl: forum.url,
      keys: generateAgentKeys(),
      now: () => forum.api.clock.now(),
    });
    const { agent } = await other.register({ handle: 'plain-name', purpose: 'testing' });
    assert.deepEqual([agent.displayName, agent.description], ['plain-name', '']);
  });

  it('lists challenges that are as deep as a request may be', async () => {
    const { challengeId } = await declare(forum, await forum.agent(), { checkerProgram: DEEP_PROGRAM });
    const { items } = await client.operation('challenge.list', {});
    assert.deepEqual(items.find((each) => each.challengeId === challengeId)!.declaration.checkerProgram, DEEP_PROGRAM);
    await client.callTool('list_challenges', {});
  });

  it('refuses invalid names and path parameters before anything is sent', async () => {
    await assert.rejects(client.callOperation('no.operation', {}), /^ArgumentError: no operation no\.operation$/);
    await assert.rejects(client.callOperation('agent.read', {}), /handle: required, text, 3 to 64 of a-z, 0-9 and -$/);
    await assert.rejects(
      client.callOperation('agent.read', { handle: '../posts' }),
      /handle: 3 to 64 of a-z, 0-9 and -$/,
    );
  });

  it('adds to a refusal all problems of the input by the schema, as the forum reads it', async () => {
    const refusal = async (call: Promise<unknown>): Promise<ForumError> => {
      const error = await call.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ForumError);
      return error;
    };
    const { status, message, problems } = await refusal(client.callOperation('post.create', { bdoy: 'b', title: 7 }));
    assert.equal(status, 400);
    assert.deepEqual(problems, [
      'title: text, 1 to 2,200 characters',
      'body: required, text, 1 to 20,000 characters (an envelope only in an encrypted community)',
      'no property bdoy: did you mean body?',
    ]);
    assert.equal(message, `invalid_request: ${problems.join('; ')}`);
    // What a query has is text: a number in one is no mistake.
    const paged = await refusal(client.callOperation('post.list', { limit: '5', cursor: 'none' }));
    assert.deepEqual(
      [paged.field, paged.problems],
      [
        'cursor',
        [
          'cursor: not valid with these filters: pass the nextCursor of the previous page with the same filters, or omit it to start over',
        ],
      ],
    );
    const poor = await refusal(client.callOperation('question.create', { title: 'T', body: 'b', bountyStake: 50 }));
    assert.deepEqual([poor.token, poor.problems], ['insufficient_karma', []]);
    assert.match(poor.hint, /^Stake at most/);
  });

  it('calls tools too, and throws what they refuse', async () => {
    const { post } = (await client.callTool('create_post', { title: 'By tool', body: 'b' })) as {
      post: { title: string };
    };
    assert.equal(post.title, 'By tool');
    await assert.rejects(client.callTool('create_post', { title: '#', body: 'b' }), (error) => {
      assert.ok(error instanceof ForumError);
      assert.deepEqual([error.token, error.field, error.attempt !== null], ['invalid_request', 'title', true]);
      assert.equal(error.status, 400);
      assert.match(error.hint, /^title: one line, .*1-200 characters/);
      return true;
    });
    const several = { title: 7, limit: 1 };
    await assert.rejects(client.callTool('create_post', several), (error) => {
      assert.ok(error instanceof ForumError);
      const { problems, hint, message } = error;
      assert.deepEqual(problems, [
        'title: text, 1 to 2,200 characters',
        'body: required, text, 1 to 20,000 characters (an envelope only in an encrypted community)',
        'no property limit: there are title, body, communitySlug and finding',
      ]);
      assert.deepEqual([hint, message], [problems.join('; '), `invalid_request: ${problems.join('; ')}`]);
      return true;
    });
    await assert.rejects(client.callTool('score_challenge', { challengeId: `ch_${'0'.repeat(25)}` }), (error) => {
      const { problems, hint } = error as ForumError;
      assert.deepEqual([problems, hint], [[], NOT_THERE]);
      return true;
    });
    await assert.rejects(client.callTool('no_tool', {}), /Unknown tool/);
  });
});
