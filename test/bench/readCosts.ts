import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { generateKeys } from '../../src/client/keys.ts';
import { Signer } from '../../src/client/signer.ts';
import { redisForTest } from '../support/database.ts';
import { logSettings } from '../support/logSettings.ts';
import { Child } from './child.ts';
import { newPost } from './content.ts';
import { CROWDED, PROLIFIC } from './dataset.ts';
import type { Read } from './readList.ts';
import { WITHOUT_ALLOWANCES } from './stage.ts';

export const TICK_MS = 10;
const WARM_UP_MS = 300;
const MEASURED_MS = 2_000;
const CALLERS = 8;
/** Requests from which the median wait is computed. */
const WAITS = 15;

/** CPU of one request and the wait of a single caller, in milliseconds, and the status of the response. */
export interface ReadCost {
  readonly name: string;
  readonly databaseMs: number;
  readonly apiMs: number;
  readonly medianMs?: number;
  readonly status: number;
}

/** An API and a worker on a filled database. `worker` may have been stopped. */
export interface Served {
  readonly worker: Child;
  cost(read: Read): Promise<ReadCost>;
  stop(): Promise<void>;
}

/** Starts both. The server must run on this machine, because the CPU of its backends is read from /proc. */
export async function serve(url: string, client: pg.Client): Promise<Served> {
  const keys = generateKeys();
  const signer = new Signer(keys);
  const { rowCount } = await client.query('UPDATE agents SET signing_public_key = $1 WHERE agent_id = $2', [
    keys.signing.publicKey.toString('base64url'),
    PROLIFIC.agentId,
  ]);
  // The log of a forum in use must never be signed by another key.
  if (rowCount === 0) throw new Error('this database was not filled by the bench');
  // Each run signs the log with another key.
  await client.query('DELETE FROM log_checkpoint');
  const log = await logSettings();
  const own = { ...WITHOUT_ALLOWANCES, ...log.env, OPERATOR_AGENT_ID: PROLIFIC.agentId };
  const env = { ...(await environmentOn(url)), ...own };
  const [api, worker] = await Promise.all([
    Child.startService('src/main', { env }),
    Child.startService('workers/main', { env }),
  ]);
  const written = await writeProven(api.url!, signer);
  return {
    worker,
    cost: async (read) => {
      const path = read.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Written) => written[name]);
      const send = () => answered(api.url!, { ...read, path }, signer);
      await during(WARM_UP_MS, send);
      const before = [await databaseTicks(client), await api.cpuMicroseconds()] as const;
      const { count, status } = await during(MEASURED_MS, send);
      const after = [await databaseTicks(client), await api.cpuMicroseconds()] as const;
      return {
        name: read.name,
        databaseMs: (ticksBetween(before[0], after[0]) * TICK_MS) / count,
        apiMs: (after[1] - before[1]) / 1_000 / count,
        medianMs: await medianWait(send),
        status,
      };
    },
    stop: async () => {
      await api.stop();
      await worker.stop();
      await log.remove();
    },
  };
}

/** Writes and moderation actions of the operator that the log of a filled database has. No other write has a proof. */
interface Written {
  readonly ownPost: string;
  readonly ownReply: string;
  readonly ownNonce: string;
  readonly ownAct: string;
}

/** Makes these writes and waits until the log has them. The agents of the database come first. */
async function writeProven(base: string, signer: Signer): Promise<Written> {
  const write = async (path: string, body: object) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const signed = signer.signRequest({ method: 'POST', path, query: '', body: bytes, nowMs: Date.now() });
    const headers = { ...signed, 'x-svc-agent-id': PROLIFIC.agentId, 'content-type': 'application/json' };
    const response = await fetch(base + path, { method: 'POST', headers, body: bytes });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return {
      nonce: signed['x-svc-nonce'],
      answer: (await response.json()) as { [name: string]: { [id: string]: string } },
    };
  };
  const { nonce, answer } = await write('/v1/posts', newPost());
  const ownPost = answer.post!.postId!;
  const reply = await write(`/v1/posts/${ownPost}/replies`, { body: newPost().body });
  const target = {
    targetType: 'reply',
    targetId: (await write(`/v1/posts/${ownPost}/replies`, { body: 'again' })).answer.reply!.replyId,
  };
  const act = await write('/v1/governance/enforcement', { action: 'remove_content', ...target, reason: 'measured' });
  const eventId = (act.answer as unknown as { eventId: string }).eventId;
  const written = { ownPost, ownReply: reply.answer.reply!.replyId!, ownNonce: nonce, ownAct: eventId };
  const isProven = async () => {
    const response = await fetch(`${base}/v1/governance/events/${eventId}/proof`);
    return ((await response.json()) as { state?: string }).state !== 'pending';
  };
  while (!(await isProven())) await sleep(200);
  return written;
}

/** The environment of a process on a filled database, with its own Redis. */
export const environmentOn = async (url: string): Promise<Record<string, string>> => ({
  DATABASE_URL: url,
  REDIS_URL: (await redisForTest()).url,
  HOST: '127.0.0.1',
  PORT: '0',
  OPS_PORT: '0',
  LOG_LEVEL: 'warn',
});

/** The median of requests sent one after another. */
async function medianWait(send: () => Promise<unknown>): Promise<number> {
  const waits: number[] = [];
  for (let n = 0; n < WAITS; n++) {
    const startedAt = performance.now();
    await send();
    waits.push(performance.now() - startedAt);
  }
  return waits.toSorted((a, b) => a - b)[Math.floor(WAITS / 2)]!;
}

/** CPU of database and API. */
export const totalOf = ({ databaseMs, apiMs }: ReadCost): number => databaseMs + apiMs;

/** A cost as the output shows it. */
export const shown = (ms: number): string => ms.toFixed(2);

/** Several callers send for a while. Returns the number of responses and the last status. */
async function during(ms: number, send: () => Promise<number>): Promise<{ count: number; status: number }> {
  const until = performance.now() + ms;
  let count = 0;
  let status = 0;
  const caller = async () => {
    do {
      status = await send();
      count++;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { count, status };
}

async function answered(base: string, { path, signed }: Read, signer: Signer): Promise<number> {
  const { pathname, search } = new URL(path, base);
  const headers = signed
    ? {
        ...signer.signRequest({
          method: 'GET',
          path: pathname,
          query: search.slice(1),
          body: Buffer.alloc(0),
          nowMs: Date.now(),
        }),
        'x-svc-agent-id': PROLIFIC.agentId,
      }
    : {};
  const response = await fetch(base + path, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** User and system time of each backend that serves the API, in clock ticks, by pid. */
export async function databaseTicks(client: pg.Client): Promise<Map<number, number>> {
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'forum api%'",
  );
  const ticksOf = async ({ pid }: { pid: number }) => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
    return [pid, Number(fields[11]) + Number(fields[12])] as const;
  };
  return new Map(await Promise.all(rows.map(ticksOf)));
}

/** Ticks used since `before`. Backends that ended are not counted: they were idle, and the pool closed them. */
export function ticksBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ticks]) => sum + ticks - (before.get(pid) ?? 0), 0);
}

/** Waits until the worker has delivered all events and refreshed the caches that they made stale. */
export async function settle(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO stale_aggregates (scope) VALUES (''), ($1) ON CONFLICT DO NOTHING`, [CROWDED]);
  const waiting = async () =>
    (await client.query('SELECT FROM outbox UNION ALL SELECT FROM stale_aggregates LIMIT 1')).rows.length > 0;
  while (await waiting()) await sleep(200);
  // The server does so within a minute. Until then, sums read the delivered rows.
  await client.query('VACUUM outbox');
}
