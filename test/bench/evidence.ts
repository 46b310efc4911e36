// `npm run bench:evidence`: what keeping evidence and feeding the log adds to a write, in the API and in PostgreSQL, alone in a
// loop. `TEST_DATABASE_URL` names a server in place of the embedded one; `BENCH_DATABASE_URL` names a database of your own, with the rows
// that are in it, and leaves none there.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
// The driver's own, without types: what it does with the values of a statement, and how it writes them.
// @ts-expect-error: no types
import { prepareValue } from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import { NOTHING } from '../../src/kernel/effect.ts';
import { evidence, NO_EVIDENCE } from '../../src/kernel/recording.ts';
import { type Recording, recordingValues } from '../../src/kernel/recordingValues.ts';
import { newId } from '../../src/protocol/ids.ts';
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
  const now = Date.now();
  const facts = { postId: newId('p_', now) };
  return {
    written: { acceptedAt: new Date(now).toISOString(), agentId: AGENT, operation: 'post.create', body: BODY, facts },
    proof: { signedText, signature: SIGNATURE, publicKey: KEY, keyEpoch: 0 },
  };
}

/** What is added to a write: that it is made, and that it is stored. */
const makeEvidence = ({ written, proof }: ReturnType<typeof newRequest>) => evidence(written, proof);

const AGENT = `ag1-${randomBytes(16).toString('base64url')}`;
const SIGNATURE = randomBytes(64).toString('base64url');
const KEY = randomBytes(32).toString('base64url');
const FACTS = JSON.stringify({ postId: newId('p_', Date.now()) });

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

interface ApiCost {
  readonly least: number;
  readonly median: number;
}

/** CPU microseconds of one, by batches: the least is what an idle machine takes. */
function apiCost<Request>(requests: readonly Request[], work: (request: Request) => unknown): ApiCost {
  const batches = Array.from({ length: BATCHES }, () => {
    const before = process.cpuUsage();
    for (const request of requests) work(request);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / requests.length;
  });
  return { least: Math.min(...batches), median: median(batches) };
}

/** What the driver does with the values of a statement before they are in its socket. */
const bind = (values: unknown[]) =>
  serialize.bind({ statement: NOTHING.alone.name, values, valueMapper: prepareValue });

/** What is added to a write in the API: that its evidence is made, and that it is sent besides the rest. */
function addedToApi(): { made: ApiCost; sent: ApiCost } {
  const requests = Array.from({ length: CALLS_A_BATCH }, newRequest);
  const made = apiCost(requests, makeEvidence);
  const kept = apiCost(
    requests.map((request) => recordingValues(newRecording(makeEvidence(request)))),
    bind,
  );
  const bare = apiCost(
    requests.map(() => recordingValues(newRecording(NO_EVIDENCE))),
    bind,
  );
  return { made, sent: { least: kept.least - bare.least, median: kept.median - bare.median } };
}

type Kept = Pick<Recording, keyof ReturnType<typeof evidence>>;

/** A write of which nothing but its record is left. */
function newRecording(kept: Kept): Recording {
  const at = new Date().toISOString();
  return {
    agentId: AGENT,
    nonce: newNonce(),
    signedAt: at,
    at,
    operation: 'post.create',
    counter: 'posts',
    isReserved: true,
    status: 201,
    isPreview: false,
    facts: FACTS,
    rateLimitIfFree: null,
    ...kept,
    kinds: null,
    subjects: null,
    communities: null,
    hidden: null,
    recipients: null,
    requestId: null,
    traceId: null,
    fence: 0,
    keyEpoch: 0,
    laterKey: null,
    deadline: null,
  };
}

interface Execution {
  readonly microseconds: number;
  readonly walBytes: number;
  readonly buffers: number;
}

/** One write that does nothing but leave its record, with evidence or without. */
async function execute(client: pg.PoolClient, isKept: boolean): Promise<Execution> {
  const recording = newRecording(isKept ? makeEvidence(newRequest()) : NO_EVIDENCE);
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
  const { made, sent } = addedToApi();
  report('API, CPU a write, medians', made.median + sent.median, 'µs', AT_MOST.apiMicroseconds);
  const shown = ({ median, least }: ApiCost) => `${median.toFixed(1)} µs (least ${least.toFixed(1)})`;
  console.log(`       made in ${shown(made)}, sent in ${shown(sent)}`);
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
