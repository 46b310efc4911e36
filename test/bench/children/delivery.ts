import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { AgentKeys } from '../../../src/client/keys.ts';
import { Signer } from '../../../src/client/signer.ts';
import { answering, type Run } from './answering.ts';
import { Connection, statusOf } from './connection.ts';

// Writes replies at a steady rate, and measures from each response until its notification is in the inbox.

export interface DeliveryOrder {
  readonly url: string;
  readonly databaseUrl: string;
  /** The repliers, one after the other. */
  readonly keys: readonly AgentKeys[];
  readonly postIds: readonly string[];
  /** The author of the posts. All notifications go to this one inbox, so that they all wait for one row. */
  readonly recipientId: string;
  readonly repliesPerSecond: number;
  readonly seconds: number;
}

/** The outcome of the replies. A notification that is missing counts with the time until the watch ended. */
export interface Delivered extends Run {
  /** Notifications that were missing 10 s after the last one arrived. */
  readonly missing: number;
  /** Events that were waiting in the outbox then. They are late; other missing notifications were lost. */
  readonly waiting: number;
}

const CONNECTIONS = 32;
/** The precision of the measured moment. */
const POLL_MS = 2;
const LAST_WAIT_MS = 10_000;

answering({ deliver });

async function deliver(order: DeliveryOrder): Promise<Delivered> {
  const { url, repliesPerSecond, seconds } = order;
  const count = repliesPerSecond * seconds;
  const requests = signedReplies(order, count);
  const { port, hostname } = new URL(url);
  const open = () => Connection.open(Number(port), hostname);
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  const accepted = new Map<string, number>();
  const { visible, done } = await watch(order, count);
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  for (const [index, request] of requests.entries()) {
    const aheadMs = startedAt + (index * 1_000) / repliesPerSecond - performance.now();
    if (aheadMs > 1) await sleep(aheadMs);
    while (free.length === 0) await sleep(1);
    sent.push(reply(free, request, accepted));
  }
  await Promise.all(sent);
  const elapsed = (performance.now() - startedAt) / 1_000;
  const waiting = await done;
  for (const connection of free) connection.close();
  const endedAt = performance.now();
  // A notification may be in the inbox before the response has arrived.
  const waits = [...accepted].map(([replyId, at]) => Math.max(0, (visible.get(replyId) ?? endedAt) - at));
  waits.sort((a, b) => a - b);
  const percentile = (share: number) => waits[Math.min(count - 1, Math.floor(count * share))]!;
  const missing = [...accepted.keys()].filter((replyId) => !visible.has(replyId)).length;
  return { calls: count, seconds: elapsed, median: percentile(0.5), percentile99: percentile(0.99), missing, waiting };
}

async function reply(free: Connection[], request: Buffer, accepted: Map<string, number>): Promise<void> {
  const connection = free.pop()!;
  const answer = await connection.exchange(request);
  const at = performance.now();
  if (statusOf(answer) !== 201) throw new Error(`expected 201, got:\n${answer.toString()}`);
  accepted.set(/"replyId":"(r_[a-z0-9]+)"/.exec(answer.toString())![1]!, at);
  free.push(connection);
}

/**
 * Records when each notification is first seen, by reply, until `count` were seen or no more arrive. `done` resolves
 * with the number of events that wait in the outbox then.
 */
async function watch({ databaseUrl, recipientId }: DeliveryOrder, count: number) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const visible = new Map<string, number>();
  const head = 'SELECT last_number FROM inbox_heads WHERE agent_id = $1';
  let [last] = (await client.query<{ last_number: string }>(head, [recipientId])).rows.map((row) => row.last_number);
  const text = `SELECT number, subject FROM inbox_entries WHERE agent_id = $1 AND number > $2 AND type = 'reply' ORDER BY number`;
  const look = async () => {
    let lastSeenAt = performance.now();
    while (visible.size < count && performance.now() - lastSeenAt < LAST_WAIT_MS) {
      const values = [recipientId, last ?? '0'];
      const { rows } = await client.query<{ number: string; subject: string }>({ name: 'watch', text, values });
      for (const { subject } of rows) visible.set(subject, performance.now());
      if (rows.length > 0) lastSeenAt = performance.now();
      last = rows.at(-1)?.number ?? last;
      await sleep(POLL_MS);
    }
    const { rows } = await client.query<{ waiting: number }>('SELECT count(*)::integer AS waiting FROM outbox');
    await client.end();
    return rows[0]!.waiting;
  };
  return { visible, done: look() };
}

function signedReplies({ url, keys, postIds }: DeliveryOrder, count: number): Buffer[] {
  const signers = keys.map((each) => new Signer(each));
  const { host } = new URL(url);
  const body = Buffer.from(JSON.stringify({ body: 'A reply of some length, as they are written every day.' }));
  return Array.from({ length: count }, (_, index) => {
    const path = `/v1/posts/${postIds[index % postIds.length]}/replies`;
    const signer = signers[index % signers.length]!;
    const signed = signer.signRequest({ method: 'POST', path, query: '', body, nowMs: Date.now() });
    const headers = { host, 'content-type': 'application/json', 'content-length': body.length, ...signed };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
  });
}
