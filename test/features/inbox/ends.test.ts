import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { endInboxes } from '../../../workers/retention.ts';
import { assertRefused } from '../../contract/support/assertions.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { apply, inbox, outboxFor } from './support.ts';

const DAYS = 90;

interface Checked {
  readonly in_order: boolean;
  readonly is_dense: boolean;
}

/** docs/inbox#what-ends */
describe('the end of the inbox', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let agent: TestAgent;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    agent = await forum.agent();
  });

  const deliver = async (count: number) => apply(forum, await outboxFor(forum, agent, count));
  const ack = (eventId: string, scope = 'through') => agent.post('/v1/inbox/ack', { eventId, scope });
  /** As if events up to a number had been delivered so long ago, and it were time to look. */
  const age = (number: number, days = DAYS + 1) =>
    forum.rows(
      `WITH aged AS (UPDATE inbox_entries SET at = at - make_interval(days => $3) WHERE agent_id = $1 AND number <= $2)
       UPDATE inbox_heads SET sweep_at = now() - interval '1 day' WHERE agent_id = $1`,
      [agent.agentId, number, days],
    );
  const sweep = () => endInboxes(forum.api.services.db, DAYS);
  const assertCountsRight = async () => {
    const [row] = await forum.rows<Record<'unread' | 'unread_rows' | 'read_singly' | 'singly_rows', string> & Checked>(
      `SELECT h.last_number - h.read_through - h.read_singly AS unread, h.read_singly, h.read_through >= h.ended_through AS in_order,
         (SELECT count(*) FROM inbox_entries e WHERE e.agent_id = h.agent_id AND e.number > h.read_through AND NOT e.read_singly) AS unread_rows,
         (SELECT count(*) FROM inbox_entries e WHERE e.agent_id = h.agent_id AND e.number > h.read_through AND e.read_singly) AS singly_rows,
         (SELECT count(*) FROM inbox_entries e WHERE e.agent_id = h.agent_id) = h.last_number - h.ended_through AS is_dense
       FROM inbox_heads h WHERE h.agent_id = $1`,
      [agent.agentId],
    );
    assert.deepEqual([row!.unread, row!.read_singly], [row!.unread_rows, row!.singly_rows]);
    assert.ok(row!.in_order && row!.is_dense);
  };

  it('deletes older notifications that were read, and no unread or younger ones', async () => {
    await deliver(10);
    const { items } = await inbox(agent);
    await ack(items[3]!.eventId);
    await age(6);
    assert.equal(await sweep(), 4);
    const left = await inbox(agent);
    assert.deepEqual(left.items, items.slice(4));
    assert.deepEqual([left.unread, left.ended], [6, 4]);
    await assertCountsRight();
    await age(0);
    assert.equal(await sweep(), 0);
    await ack(items[9]!.eventId);
    await age(0);
    assert.equal(await sweep(), 2);
    assert.deepEqual((await inbox(agent)).items, items.slice(6));
  });

  it('uses the time of the database, with any clock of the host', async () => {
    await deliver(2);
    const { items } = await inbox(agent);
    await ack(items[1]!.eventId);
    await age(0);
    const now = Date.now;
    Date.now = () => now() + 400 * 86_400_000;
    try {
      assert.equal(await sweep(), 0);
    } finally {
      Date.now = now;
    }
    assert.deepEqual((await inbox(agent)).items, items);
  });

  it('deletes notifications that were read singly once all before them are read', async () => {
    await deliver(8);
    const { items } = await inbox(agent);
    for (const read of [0, 1, 3, 5]) await ack(items[read]!.eventId, 'event');
    await age(6);
    assert.equal(await sweep(), 2);
    assert.deepEqual((await inbox(agent)).items, items.slice(2));
    await assertCountsRight();
    assert.equal((await ack(items[2]!.eventId)).body.unread, 3);
    await assertCountsRight();
    await age(0);
    assert.equal(await sweep(), 2);
    assert.deepEqual((await inbox(agent, 'unread=true')).items, [items[4], items[6], items[7]]);
    await assertCountsRight();
  });

  it('an older cursor reports how many events ended, and an ended event is unknown', async () => {
    await deliver(6);
    const first = await inbox(agent, 'limit=2');
    const { items } = await inbox(agent);
    await ack(items[4]!.eventId);
    const unread = await inbox(agent, 'unread=true&limit=1');
    await age(5);
    assert.equal(await sweep(), 5);
    const later = await inbox(agent, `limit=2&cursor=${first.resumeCursor}`);
    assert.deepEqual([later.items, later.ended, later.unread], [[items[5]], 3, 1]);
    assert.equal((await inbox(agent, `limit=2&cursor=${later.resumeCursor}`)).ended, undefined);
    assert.equal((await inbox(agent, `unread=true&limit=1&cursor=${unread.resumeCursor}`)).ended, undefined);
    assertRefused(await ack(items[1]!.eventId), 404, 'not_found');
    await deliver(1);
    assert.equal((await inbox(agent)).items.length, 2);
  });

  it('visits an inbox again a day later, or when its oldest event is old enough', async () => {
    await deliver(3);
    const { items } = await inbox(agent);
    await ack(items[2]!.eventId);
    await age(3, DAYS - 5);
    assert.equal(await sweep(), 0);
    const [head] = await forum.rows<{ days: number }>(
      `SELECT round(extract(epoch FROM sweep_at - now()) / 86400)::integer AS days FROM inbox_heads WHERE agent_id = $1`,
      [agent.agentId],
    );
    assert.equal(head!.days, 5);
    assert.equal(await sweep(), 0);
  });

  it('visits every inbox that is due, in several batches', async () => {
    const agents = await Promise.all(Array.from({ length: 41 }, () => forum.agent()));
    const outbox = await Promise.all(agents.map((recipient) => outboxFor(forum, recipient, 1)));
    await apply(forum, outbox.flat());
    await forum.rows(
      `WITH aged AS (UPDATE inbox_entries SET at = at - make_interval(days => $2) WHERE agent_id = ANY ($1))
       UPDATE inbox_heads SET sweep_at = now() - interval '1 day', read_through = last_number WHERE agent_id = ANY ($1)`,
      [agents.map(({ agentId }) => agentId), DAYS + 1],
    );
    assert.equal(await sweep(), agents.length);
  });

  it('keeps counts right beside deliveries and acknowledgements, and a large inbox ends in batches', async () => {
    await deliver(600);
    await age(600);
    let isOver = false;
    const until = async (work: () => Promise<unknown>) => {
      while (!isOver) await work();
    };
    const acknowledging = (async () => {
      for (let n = 0; n < 25; n++) {
        const { items } = await inbox(agent, 'unread=true');
        if (items.length === 0) continue;
        const { eventId } = items[n % items.length]!;
        const { status } = await ack(eventId, n % 2 === 0 ? 'event' : 'through');
        // The sweep moves the mark over what was read singly, and takes it.
        assert.ok(status === 200 || status === 404, String(status));
      }
      isOver = true;
    })();
    await Promise.all([acknowledging, until(() => deliver(2)), until(() => age(600, 0).then(sweep))]);
    await assertCountsRight();
    const { items } = await inbox(agent);
    assert.equal((await ack(items.at(-1)!.eventId)).status, 200);
    await assertCountsRight();
  });
});
