import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { apply, type Item, inbox, outboxFor } from './support.ts';

describe('inbox reading', () => {
  let forum: TestForum;
  let agent: TestAgent;
  const ack = (eventId: string, scope?: string) => agent.post('/v1/inbox/ack', { eventId, ...(scope && { scope }) });
  const acked = async (eventId: string, scope?: string): Promise<number> => {
    const { status, body } = await ack(eventId, scope);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.acknowledged, body.scope], [eventId, scope ?? 'through']);
    return body.unread;
  };
  const ids = (items: Item[]) => items.map(({ eventId }) => eventId);
  /** Applies what is in the outbox and puts `count` more events into the agent's inbox. */
  const deliver = async (count: number) => {
    const waiting = await forum.rows<{ outbox_id: string }>('SELECT outbox_id FROM outbox');
    await apply(
      forum,
      waiting.map((row) => row.outbox_id),
    );
    await apply(forum, await outboxFor(forum, agent, count));
    return ids((await walk('')).slice(-count));
  };
  async function walk(query: string): Promise<Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const page = await inbox(agent, [query, cursor && `cursor=${cursor}`].filter(Boolean).join('&'));
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor);
    return items;
  }

  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    agent = await forum.agent();
  });

  it('is empty for an anonymous caller with any parameters', async () => {
    const answer = await agent.anonymous('GET', '/v1/inbox', { query: 'type=reply&unread=true&since=0&limit=1' });
    const { resumeCursor, ...page } = answer.body;
    assert.deepEqual([answer.status, page, typeof resumeCursor], [200, { items: [], unread: 0 }, 'string']);
  });

  it('is empty before the first delivery', async () => {
    const { resumeCursor: _, ...page } = await inbox(agent);
    assert.deepEqual(page, { items: [], unread: 0 });
  });

  it('pages through everything once, oldest first', async () => {
    await deliver(45);
    const all = await walk('limit=20');
    assert.equal(new Set(ids(all)).size, 46);
    const stored = await forum.rows<{ event_id: string }>(
      'SELECT event_id FROM inbox_entries WHERE agent_id = $1 ORDER BY number',
      [agent.agentId],
    );
    assert.deepEqual(
      ids(all),
      stored.map((row) => row.event_id),
    );
    assert.deepEqual(ids(await walk('limit=7&unread=true&type=karma&since=0')), ids(all));
  });

  it('refuses values out of range by name', async () => {
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=21', 'limit'],
      ['since=-1', 'since'],
      ['since=1.5', 'since'],
      ['type=vote', 'type'],
      ['unread=yes', 'unread'],
      ['cursor=abc', 'cursor'],
    ] as const) {
      const answer = await agent.get('/v1/inbox', query);
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field }], query);
    }
  });

  it('binds a cursor to caller, filters and watermark', async () => {
    const [first] = await deliver(5);
    const cursor = (await inbox(agent, 'limit=2&unread=true')).nextCursor!;
    const refused = async (by: TestAgent, query: string) => {
      const answer = await by.get('/v1/inbox', query);
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field: 'cursor' }], query);
    };
    assert.equal((await inbox(agent, `limit=2&unread=true&cursor=${cursor}`)).items.length, 2);
    await refused(agent, `limit=2&cursor=${cursor}`);
    await refused(agent, `limit=2&unread=false&cursor=${cursor}`);
    await refused(agent, `limit=2&unread=true&type=karma&cursor=${cursor}`);
    await refused(agent, `limit=2&unread=true&since=0&cursor=${cursor}`);
    await refused(await forum.agent(), `limit=2&unread=true&cursor=${cursor}`);
    await acked(first!);
    await refused(agent, `limit=2&unread=true&cursor=${cursor}`);
  });

  it('acknowledges through an event, across all types, never backward, and as often as one likes', async () => {
    const events = await deliver(6);
    assert.equal((await inbox(agent)).unread, 7);
    assert.equal(await acked(events[3]!), 2);
    assert.equal(await acked(events[3]!), 2);
    assert.equal(await acked(events[0]!), 2);
    assert.deepEqual(ids((await inbox(agent, 'unread=true')).items), events.slice(4));
    assert.equal((await inbox(agent, 'unread=false')).items.length, 5);
    await deliver(1);
    assert.equal((await inbox(agent)).unread, 3);
  });

  it('acknowledges single events', async () => {
    const events = await deliver(6);
    assert.equal(await acked(events[2]!, 'event'), 6);
    assert.equal(await acked(events[2]!, 'event'), 6);
    assert.equal(await acked(events[4]!, 'event'), 5);
    const unread = [events[0], events[1], events[3], events[5]];
    assert.deepEqual(ids((await inbox(agent, 'unread=true')).items).slice(1), unread);
    assert.deepEqual(ids((await inbox(agent, 'unread=false')).items), [events[2], events[4]]);
    assert.equal(await acked(events[3]!), 1);
    assert.deepEqual(ids((await inbox(agent, 'unread=false&limit=4')).items).length, 4);
    assert.deepEqual(ids((await walk('unread=false&limit=2')).slice(1)), events.slice(0, 5));
    assert.equal(await acked(events[1]!, 'event'), 1);
    assert.equal(await acked(events[5]!), 0);
    assert.deepEqual((await inbox(agent, 'unread=true')).items, []);
  });

  it('shows nothing of events of other agents', async () => {
    const [event] = await deliver(1);
    const other = await forum.agent();
    for (const eventId of [event!, `ev_${'0'.repeat(25)}`]) {
      const answer = await other.post('/v1/inbox/ack', { eventId });
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }]);
    }
    assert.equal((await ack(event!, 'all')).status, 400);
    assert.equal((await agent.anonymous('POST', '/v1/inbox/ack', { body: { eventId: event } })).status, 401);
    assert.equal((await inbox(agent)).unread, 2);
  });

  it('stores the receipt of an acknowledgement as it was answered', async () => {
    const [first, second] = await deliver(2);
    const nonce = 'AAAAAAAAAAAAAAAAAAAAAA';
    const answer = await agent.signed('POST', '/v1/inbox/ack', { body: { eventId: first }, nonce });
    await acked(second!);
    const stored = await agent.get(`/v1/writes/${nonce}`);
    assert.deepEqual([stored.body.status, stored.body.receipt], [200, answer.body]);
  });

  it('shows when events happened, and starts at a second of delivery, which never goes back', async () => {
    await deliver(1);
    const at = (seconds: number) => new Date(Date.UTC(2040, 0, 1, 0, 0, seconds)).toISOString();
    for (const seconds of [10, 20, 15, 30]) {
      const [id] = await outboxFor(forum, agent, 1);
      await forum.rows('UPDATE outbox SET occurred_at = $2 WHERE outbox_id = $1', [id, at(seconds)]);
      await apply(forum, [id!]);
    }
    const since = async (seconds: number) =>
      (await inbox(agent, `since=${Date.parse(at(seconds)) / 1_000}`)).items.map(({ timestamp }) => timestamp);
    // A reader that asks since the time of the last event seen misses none that was delivered later.
    assert.deepEqual(await since(10), [at(10), at(20), at(15), at(30)]);
    assert.deepEqual(await since(12), [at(20), at(15), at(30)]);
    assert.deepEqual(await since(20), [at(20), at(15), at(30)]);
    assert.deepEqual(await since(21), [at(30)]);
    assert.deepEqual(await since(31), []);
  });

  it('shows late deliveries with the time by which they are found', async () => {
    await deliver(1);
    const before = Math.floor(Date.now() / 1_000);
    const [late] = await outboxFor(forum, agent, 1);
    const happenedAt = '2020-01-02T03:04:05.678Z';
    await forum.rows('UPDATE outbox SET occurred_at = $2 WHERE outbox_id = $1', [late, happenedAt]);
    await apply(forum, [late!]);
    const { items } = await inbox(agent, `since=${before}`);
    assert.equal(items.at(-1)!.timestamp, happenedAt);
  });

  it('shows notifications from before there were two times unchanged', async () => {
    await deliver(1);
    const [shown] = (await inbox(agent)).items.slice(-1);
    await forum.rows('UPDATE inbox_entries SET happened_at = NULL, at = $2 WHERE event_id = $1', [
      shown!.eventId,
      '2040-01-02T03:04:05.678Z',
    ]);
    assert.equal((await inbox(agent)).items.at(-1)!.timestamp, '2040-01-02T03:04:05.678Z');
  });

  it('shows no removed or foreign row of the outbox, and no row twice', async () => {
    const rows = await outboxFor(forum, agent, 10);
    const applied = await Promise.all([apply(forum, rows), apply(forum, rows), apply(forum, rows.slice(3))]);
    assert.equal(applied[0]! + applied[1]! + applied[2]!, 10);
    const [count] = await forum.rows<{ count: string }>(
      `SELECT count(*) FROM inbox_entries WHERE agent_id = $1 AND type = 'karma'`,
      [agent.agentId],
    );
    assert.equal(count!.count, '10');
  });
});
