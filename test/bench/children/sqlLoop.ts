import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import pg from 'pg';
import { importPublicKey, useNodeCrypto, useSodium, verifyStrict } from '../../../src/platform/crypto/ed25519.ts';
import type { Statement } from '../../../src/platform/postgres/postgres.ts';
import type { LoopVariant } from '../scenario.ts';
import { answering, type Run, timed } from './answering.ts';

// The lower bound of a write: raw `pg`, one connection per worker, one prepared statement per call, and optionally one
// signature check.

export interface LoopOrder {
  readonly statement: Statement;
  readonly values: readonly unknown[][];
  readonly signature: LoopVariant['signature'];
}

/** The approximate size of the seven lines of a signed request. */
const TEXT_BYTES = 160;

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = importPublicKey(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'))!;
const clients = Array.from(
  { length: Number(process.env.BENCH_CONCURRENCY) },
  () => new pg.Client({ connectionString: process.env.DATABASE_URL }),
);
await Promise.all(clients.map((client) => client.connect()));

let order: LoopOrder;
let signed: { text: Buffer; signature: Buffer }[] = [];

answering({
  prepare: (given: LoopOrder) => {
    order = given;
    signed = given.signature === 'none' ? [] : given.values.map(signedText);
    useNodeCrypto();
    if (given.signature === 'sodium' && !useSodium()) throw new Error('sodium-native is not installed');
  },
  run,
});

async function run(): Promise<Run> {
  const { statement, values, signature } = order;
  return timed(values.length, clients.length, async (worker, index) => {
    if (signature !== 'none') verify(index);
    await clients[worker]!.query({ name: statement.name, text: statement.text, values: values[index]! });
  });
}

function verify(index: number): void {
  const { text, signature } = signed[index]!;
  if (!verifyStrict(key, text, signature)) throw new Error('a signature that should be valid is not');
}

function signedText(): { text: Buffer; signature: Buffer } {
  const text = randomBytes(TEXT_BYTES);
  return { text, signature: sign(null, text, privateKey) };
}
