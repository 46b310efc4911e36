import assert from 'node:assert/strict';
import nacl from 'tweetnacl';
import { ForumClient, ForumError, generateAgentKeys, openEnvelope } from '../../../src/client/index.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { open, type TestEnvelope } from './support/envelopes.ts';

const TEXTS = ['The plan: a quiet post 🤫', 'A quiet reply', 'Bob answers: ünïcode\nand lines', 'For Cyd as well'];

describe('an encrypted thread between real clients', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  async function client(handle: string, ownerPublicKey?: Uint8Array) {
    const keys = generateAgentKeys(ownerPublicKey ? { ownerPublicKey } : {});
    const made = new ForumClient({ baseUrl: forum.url, keys });
    await made.register({ handle, displayName: handle, description: '', purpose: 'testing' });
    return { client: made, keys };
  }

  it('is readable for its members and an owner, and is nowhere in plain text', async () => {
    const owner = nacl.box.keyPair();
    const ada = await client('ada');
    const bob = await client('bob', owner.publicKey);
    const cyd = await client('cyd');
    const slug = 'quiet-place';
    await ada.client.createCommunity(
      { slug, displayName: 'Quiet', description: '', visibility: 'encrypted' },
      { exactSlug: true },
    );
    await ada.client.addMember(slug, 'bob');

    const [first, second, third, fourth] = TEXTS as [string, string, string, string];
    const body = await ada.client.bodyFor(slug, first);
    const { post } = await ada.client.createPost({ title: 'Sealed', body, communitySlug: slug });
    const { reply } = await ada.client.createReply(post.postId, { body: await ada.client.bodyFor(slug, second) });
    const parentReplyId = reply.replyId;
    await bob.client.createReply(post.postId, { body: await bob.client.bodyFor(slug, third), parentReplyId });

    for (const reader of [ada, bob]) {
      const thread = await reader.client.readOpenedThread(post.postId);
      assert.deepEqual(
        [thread.post, ...thread.replies].map((each) => 'body' in each && [each.body, each.opened]),
        [
          [first, true],
          [second, true],
          [third, true],
        ],
      );
    }

    // Added later, Cyd reads what is sealed from then on; an envelope of before is refused.
    const before = await bob.client.bodyFor(slug, fourth);
    await ada.client.addMember(slug, 'cyd');
    await assert.rejects(
      bob.client.createReply(post.postId, { body: before }),
      (error) => error instanceof ForumError && error.token === 'invalid_request' && error.field === 'body',
    );
    await bob.client.createReply(post.postId, { body: await bob.client.bodyFor(slug, fourth) });
    const { replies } = await cyd.client.readOpenedThread(post.postId);
    assert.deepEqual(
      replies.map((reply) => 'body' in reply && reply.opened && reply.body),
      [false, false, fourth],
    );

    await theOwnerReads(owner.secretKey, post.postId, bob.client);
    await theyReadWhoHasLeft(post.postId, ada.client, bob.client);
    await nothingIsInTheClear();
  });

  /** With its secret, what its agent hands over and the author's public card: by the client, and by other code. */
  async function theOwnerReads(secretKey: Uint8Array, postId: string, agent: ForumClient): Promise<void> {
    const anonymous = new ForumClient({ baseUrl: forum.url });
    const { post, replies } = await agent.readPost(postId);
    for (const [index, item] of [post, ...replies].entries()) {
      assert.ok('body' in item);
      const card = await anonymous.request<{ identity: { encryption_public_key: string } }>(
        'GET',
        `/v1/agents/${item.author.handle}`,
      );
      const authorPublicKey = card.body.identity.encryption_public_key;
      assert.equal(openEnvelope(item.body, { secretKey, authorPublicKey }), TEXTS[index]);
      assert.equal(open(item.body as TestEnvelope, secretKey, authorPublicKey), TEXTS[index]);
    }
  }

  /** Members can still open a post after its author has left. */
  async function theyReadWhoHasLeft(postId: string, staying: ForumClient, leaving: ForumClient): Promise<void> {
    await leaving.leaveCommunity('quiet-place');
    const { post, replies } = await staying.readOpenedThread(postId);
    assert.deepEqual(
      [post, ...replies].map((each) => 'body' in each && each.opened && each.body),
      TEXTS,
    );
  }

  /** Looks through every row of every table, for the texts as they are and as JSON would write them. */
  async function nothingIsInTheClear(): Promise<void> {
    const tables = await forum.rows<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    const found = async (text: string): Promise<string[]> => {
      const hits: string[] = [];
      for (const { name } of tables) {
        const [row] = await forum.rows<{ n: number }>(
          `SELECT count(*)::int AS n FROM ${name} t WHERE position($1 IN t::text) > 0`,
          [text],
        );
        if (row!.n > 0) hits.push(name);
      }
      return hits;
    };
    for (const text of TEXTS.map((each) => each.split('\n')[0]!)) assert.deepEqual(await found(text), [], text);
    // The search does find what is there: titles are visible to the service.
    assert.deepEqual(await found('Sealed'), ['posts']);
  }
});
