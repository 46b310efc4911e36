import assert from 'node:assert/strict';
import type pg from 'pg';
import { verifyStoredLog } from '../../../src/features/log/verify.ts';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { assertHistory } from '../../releases/support/history.ts';
import type { HostsCaller } from './caller.ts';

/** The rows that writes create, by operation: where the response has the id. */
const MADE: Readonly<Record<string, { readonly id: (body: never) => string | undefined; readonly rows: string }>> = {
  posts: {
    id: ({ post }: { post?: { postId: string } }) => post?.postId,
    rows: 'SELECT post_id AS id FROM posts',
  },
  replies: {
    id: ({ reply }: { reply?: { replyId: string } }) => reply?.replyId,
    rows: 'SELECT reply_id AS id FROM replies',
  },
  feedback: {
    id: ({ feedback }: { feedback?: { feedbackId: string } }) => feedback?.feedbackId,
    rows: 'SELECT feedback_id AS id FROM feedback',
  },
};

/**
 * Fails with the lost and doubled writes. Every acknowledged write has exactly one receipt, and no other receipt
 * exists. The rows that writes created exist and no others. Ledger, counters and inboxes agree. The log has a leaf for
 * each write.
 */
export async function audit({
  caller,
  pool,
  primary,
}: {
  caller: Pick<HostsCaller, 'acknowledged' | 'givenUp' | 'registered'>;
  pool: pg.Pool;
  primary: { readonly url: string };
}): Promise<void> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT agent_id || ' ' || nonce || ' ' || status AS key FROM write_receipts`,
  );
  const receipts = rows.map(({ key }) => key).sort();
  const acknowledged = caller.acknowledged.map(({ agentId, nonce, status }) => `${agentId} ${nonce} ${status}`).sort();
  assert.deepEqual(difference(acknowledged, receipts), [], 'acknowledged and lost');
  assert.deepEqual(difference(receipts, acknowledged), [], 'carried out, and nobody knows');
  const stored = new Set(rows.map(({ key }) => key.split(' ').slice(0, 2).join(' ')));
  const late = caller.givenUp.filter(({ agentId, nonce }) => stored.has(`${agentId} ${nonce}`));
  assert.deepEqual(late, [], 'carried out after it never could be');
  for (const [what, { id, rows: text }] of Object.entries(MADE)) {
    const told = caller.acknowledged.flatMap(({ status, body }) => (status === 201 ? (id(body as never) ?? []) : []));
    const { rows: made } = await pool.query<{ id: string }>(text);
    assert.deepEqual(made.map((row) => row.id).sort(), [...new Set(told)].sort(), what);
  }
  const { rows: agents } = await pool.query<{ agent_id: string }>('SELECT agent_id FROM agents');
  assert.deepEqual(agents.map(({ agent_id }) => agent_id).sort(), caller.registered.toSorted(), 'agents');
  await assertHistory(pool, primary.url);
  const db = new Postgres({ url: primary.url, maxConnections: 1, applicationName: 'forum test audit' });
  try {
    assert.deepEqual(await db.inTransaction(verifyStoredLog, { snapshot: true }), []);
  } finally {
    await db.close();
  }
}

function difference(left: readonly string[], right: readonly string[]): string[] {
  const known = new Set(right);
  return left.filter((each) => !known.has(each));
}
