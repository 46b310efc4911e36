// `npm run bench:evidence`: what keeping evidence and feeding the log adds to a write, in the API and in PostgreSQL, alone in a
// loop. `TEST_DATABASE_URL` names a server in place of the embedded one; `BENCH_DATABASE_URL` names a database of your own, with the rows
// that are in it, and leaves none there.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { newId } from '../../src/formats/ids.ts';
import { NOTHING, type Recording, recordingValues } from '../../src/kernel/effect.ts';
import { evidence } from '../../src/kernel/recording.ts';
import { createDatabase } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';
import { newNonce } from './content.ts';

const BATCHES = 60;
const CALLS_A_BATCH = 1_000;
const WRITES = 2_000;
const BODY = Buffer.from(JSON.stringify({ title: 'A title', body: 'words '.repeat(100) }));
const AT_MOST = { apiMicroseconds: 15, sqlMicroseconds: 40, walBytes: 1_500 };

/** A request whose signature has verified, as the pipeline has it. */
function newRequest() {
  const nonce = newNonce();
  const signedText = `svc-request-v1\nPOST\n/v1/posts\n\n${Math.floor(Date.now() / 1_000)}\n${nonce}\n${nonce}${nonce}`;
  const run = { now: Date.now(), request: { credentials: { body: BODY } } };
  return {
    run,
    proof: { signedText, signature: SIGNATURE, publicKey: KEY, keyEpoch: 0 },
    facts: { postId: newId('p_', run.now) },
  };
}

/** What is added to a write: that it is made, and that it is stored. */
const makeEvidence = ({ run, proof, facts }: ReturnType<typeof newRequest>) =>
  evidence(run, 'post.create', AGENT, proof, facts);

const AGENT = `ag1-${randomBytes(16).toString('base64url')}`;
const SIGNATURE = randomBytes(64).toString('base64url');
const KEY = randomBytes(32).toString('base64url');

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** CPU microseconds of one, by batches: the least is what an idle machine takes. */
function apiCost(): { least: number; median: number } {
  const requests = Array.from({ length: CALLS_A_BATCH }, newRequest);
  const batches = Array.from({ length: BATCHES }, () => {
    const before = process.cpuUsage();
    for (const request of requests) makeEvidence(request);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CALLS_A_BATCH;
  });
  return { least: Math.min(...batches), median: median(batches) };
}

interface Execution {
  readonly microseconds: number;
  readonly walBytes: number;
  readonly buffers: number;
}

/** One write that does nothing but leave its record, with evidence or without. */
async function execute(client: pg.PoolClient, isKept: boolean): Promise<Execution> {
  const kept = makeEvidence(newRequest());
  const at = new Date().toISOString();
  const none = Object.fromEntries(Object.keys(kept).map((name) => [name, null])) as Record<keyof typeof kept, null>;
  const recording: Recording = {
    agentId: AGENT,
    nonce: newNonce(),
    signedAt: at,
    at,
    operation: 'post.create',
    counter: 'posts',
    isReserved: true,
    status: 201,
    isPreview: false,
    facts: kept.evident,
    rateLimitIfFree: null,
    ...(isKept ? kept : none),
    kinds: null,
    subjects: null,
    communities: null,
    hidden: null,
    recipients: null,
    requestId: null,
    traceId: null,
    fence: 0,
    keyEpoch: 0,
    deadline: null,
  };
  const text = `EXPLAIN (ANALYZE, WAL, BUFFERS, FORMAT JSON) ${NOTHING.entered.text}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [Explained] }>(text, recordingValues(recording));
  const [{ Plan: plan, 'Execution Time': milliseconds }] = rows[0]!['QUERY PLAN'];
  const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return { microseconds: milliseconds * 1_000, walBytes: plan['WAL Bytes'], buffers };
}

const WRITER = `INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
    encryption_public_key, owner_encryption_public_key, identity, registered_at)
  VALUES ($1, 'evidence-bench', 2147483647, 'Writer', '', $2, $2, $2, '{}', now())`;

interface Explained {
  readonly 'Execution Time': number;
  readonly Plan: { 'WAL Bytes': number; 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
}

/** What evidence adds: writes with and without take turns, whatever else the machine does. */
async function databaseCost(pool: pg.Pool): Promise<Execution & { least: number }> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(WRITER, [AGENT, KEY]);
    const [kept, bare]: [Execution[], Execution[]] = [[], []];
    for (let write = 0; write < WRITES; write++) {
      kept.push(await execute(client, true));
      bare.push(await execute(client, false));
    }
    await client.query('ROLLBACK');
    const added = (of: (values: number[]) => number, pick: (each: Execution) => number) =>
      of(kept.map(pick)) - of(bare.map(pick));
    return {
      microseconds: added(median, (each) => each.microseconds),
      least: added(
        (values) => Math.min(...values),
        (each) => each.microseconds,
      ),
      walBytes: added(median, (each) => each.walBytes),
      buffers: added(median, (each) => each.buffers),
    };
  } finally {
    client.release();
  }
}

function report(what: string, value: number, unit: string, atMost: number): void {
  console.log(`${value <= atMost ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(1)} ${unit}, at most ${atMost}`);
}

async function measure(pool: pg.Pool): Promise<void> {
  const api = apiCost();
  report('API, CPU a write, least of the batches', api.least, 'µs', AT_MOST.apiMicroseconds);
  console.log(`       median of the batches: ${api.median.toFixed(1)} µs`);
  const added = await databaseCost(pool);
  report('PostgreSQL a write, by the least of both', added.least, 'µs', AT_MOST.sqlMicroseconds);
  console.log(`       by the median: ${added.microseconds.toFixed(1)} µs, ${added.buffers} pages touched`);
  report('WAL a write, median', added.walBytes, 'bytes', AT_MOST.walBytes);
}

async function measureFresh(): Promise<void> {
  const services = await startTestServices();
  try {
    process.env.TEST_DATABASE_URL = services.databaseUrl;
    await createTemplate();
    const database = await createDatabase();
    await measure(database.pool);
    await database.drop();
  } finally {
    await services.stop();
  }
}

async function measureOwn(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await measure(pool);
  } finally {
    await pool.end();
  }
}

const own = process.env.BENCH_DATABASE_URL;
await (own ? measureOwn(own) : measureFresh());
