import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { heldBack } from '../../support/heldBack.ts';
import { apply, inbox, outboxFor } from './support.ts';

const EVENTS = 600;
const READERS = 3;

describe('inbox order', () => {
  let forum: TestForum;
  let agent: TestAgent;

  before(async () => {
    forum = await startForum();
    agent = await forum.agent();
  });
  after(() => forum.stop());

  it('shows no smaller number after a greater one, while batches are delivered side by side', async () => {
    const rows = await outboxFor(forum, agent, EVENTS);
    // Small batches, interleaved and partly twice, so that many wait for the same head.
    const batches = Array.from({ length: 60 }, (_, batch) => rows.filter((_, index) => index % 60 === batch));
    let delivered = 0;
    let last = false;
    const reader = async () => {
      let [seen, looks] = [0, 0];
      for (let again = true; again; ) {
        again = !last;
        const numbers = await forum.rows<{ number: string }>(
          'SELECT number FROM inbox_entries WHERE agent_id = $1 ORDER BY number',
          [agent.agentId],
        );
        // Dense from 1: whatever is seen is a beginning of the whole, and so is whatever was seen before.
        assert.deepEqual(
          numbers.map(({ number }) => Number(number)),
          numbers.map((_, index) => index + 1),
        );
        assert.ok(numbers.length >= seen);
        seen = numbers.length;
        looks += 1;
      }
      return looks;
    };
    const readers = Promise.all(Array.from({ length: READERS }, reader));
    const work = [...batches, ...batches.slice(0, 20)];
    const worker = async () => {
      for (let batch = work.pop(); batch; batch = work.pop()) {
        const count = await apply(forum, batch);
        delivered += count;
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    last = true;
    for (const looks of await readers) assert.ok(looks > 3, `only ${looks} looks`);
    assert.equal(delivered, EVENTS);
  });

  it('never covers what arrives while it is acknowledged', async () => {
    const before = await inbox(agent, 'limit=20');
    const rows = await outboxFor(forum, agent, 200);
    const delivering = (async () => {
      for (let start = 0; start < rows.length; start += 10) await apply(forum, rows.slice(start, start + 10));
    })();
    const through = before.items.at(-1)!.eventId;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        agent.post(
          '/v1/inbox/ack',
          index % 2 ? { eventId: through } : { eventId: before.items[index]!.eventId, scope: 'event' },
        ),
      ),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    await delivering;
    assert.equal((await inbox(agent)).unread, EVENTS + 200 - 20);
    const [head] = await forum.rows<{ counted: string; kept: string }>(
      `SELECT h.last_number - h.read_through - h.read_singly AS kept,
              (SELECT count(*) FROM inbox_entries e
               WHERE e.agent_id = h.agent_id AND e.number > h.read_through AND NOT e.read_singly) AS counted
       FROM inbox_heads h WHERE h.agent_id = $1`,
      [agent.agentId],
    );
    assert.equal(head!.kept, head!.counted);
  });

  it('notifies no agent of earlier replies in a thread, or of replies that another delivery has covered', async () => {
    const [ada, bob, cid] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
    const { postId } = (await ada.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post;
    const reply = async (by: TestAgent, body: string): Promise<string> =>
      (await by.post(`/v1/posts/${postId}/replies`, { body })).body.reply.replyId;
    const rowsOf = async (kind: string, ...replyIds: string[]): Promise<string[]> => {
      const sought = 'SELECT outbox_id FROM outbox WHERE kind = $1 AND subject = ANY ($2)';
      return (await forum.rows<{ outbox_id: string }>(sought, [kind, replyIds])).map((row) => row.outbox_id);
    };
    // Replies before the agent's first one cause no event, though both are delivered at once.
    const before = [await reply(cid, 'A reply'), await reply(bob, 'A reply')];
    assert.equal(await apply(forum, await rowsOf('reply.created', ...before)), 2);
    assert.deepEqual((await inbox(bob)).items, []);
    const named = await reply(cid, `@${bob.handle}`);
    for (const kind of ['agent.mentioned', 'reply.created']) {
      assert.equal(await apply(forum, await rowsOf(kind, named)), 1, kind);
    }
    assert.deepEqual(
      (await inbox(bob)).items.map(({ type }) => type),
      ['mention'],
    );
  });

  it('keeps every acknowledgement of several at the same time', async () => {
    const busy = await forum.agent();
    await apply(forum, await outboxFor(forum, busy, 5));
    const [first, second, third, fourth, fifth] = (await inbox(busy)).items.map(({ eventId }) => eventId);
    const single = (eventId: string) => ({ eventId, scope: 'event' });
    const answers = await heldBack(
      forum,
      { text: 'SELECT FROM inbox_heads WHERE agent_id = $1 FOR UPDATE', values: [busy.agentId] },
      [single(second!), single(fifth!), { eventId: third }, { eventId: first }].map(
        (body) => () => busy.post('/v1/inbox/ack', body),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const left = await inbox(busy, 'unread=true');
    assert.deepEqual([left.unread, left.items.map(({ eventId }) => eventId)], [1, [fourth]]);
  });
});
