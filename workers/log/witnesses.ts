import { hash } from 'node:crypto';
import { readAnswer } from '../../src/platform/codec/bytes.ts';
import { type Db, oneValue, sql } from '../../src/platform/postgres/postgres.ts';
import { consistencyProof } from '../../src/protocol/merkle.ts';
import {
  CheckpointError,
  type Head,
  openCheckpointBy,
  parseNote,
  parseVerifierKey,
  type Verifier,
  verifyNote,
} from '../../src/protocol/note.ts';
import { rangeFromTiles, tilesNeeded } from '../../src/protocol/tiles.ts';
import { readTiles } from '../../src/recording/logTiles.ts';
import { problemWith, readHead } from './head.ts';

const ANSWER_MS = 2_000;
const MAX_ANSWER_BYTES = 65_536;
/** How long a witness that failed is not asked again (docs/log#witnesses). */
const PAUSE_MS = 30_000;

/** A witness has shown a signed head that this log does not continue (docs/log#witnesses). */
export class Fork extends Error {
  override name = 'Fork';
}

/** An unproven claim to have seen another log. No head is published, but the log is not halted (docs/log#witnesses). */
class Objection extends Error {
  override name = 'Objection';
}

const knownSize = oneValue<number, [name: string]>(
  'log.witnessSize',
  'SELECT size::float8 AS size FROM log_witnesses WHERE name = $1',
);
const NOTE_OUTCOME = sql(
  'log.noteWitness',
  `INSERT INTO log_witnesses (name, verifier_key, size, cosigned_at, asked_at, error)
   VALUES ($1, $2, coalesce($3, 0), CASE WHEN $4::text IS NULL THEN clock_timestamp() END, clock_timestamp(), $4)
   ON CONFLICT (name) DO UPDATE SET verifier_key = excluded.verifier_key, size = coalesce($3, log_witnesses.size),
     cosigned_at = coalesce(excluded.cosigned_at, log_witnesses.cosigned_at), asked_at = excluded.asked_at,
     error = excluded.error`,
);

const KEEP_NAMED = sql('log.keepWitnesses', 'DELETE FROM log_witnesses WHERE name <> ALL ($1)');

export async function keepWitnesses(db: Db, witnesses: readonly Witness[]): Promise<void> {
  await db.query(KEEP_NAMED, [witnesses.map(({ verifier }) => verifier.name)]);
}

/** A witness of C2SP tlog-witness, at its submission prefix (docs/log#witnesses). */
export class Witness {
  readonly verifier: Verifier;
  readonly #verifierKey: string;
  readonly #url: string;
  #pausedUntil = 0;

  constructor({ verifierKey, url }: { verifierKey: string; url: string }) {
    const verifier = parseVerifierKey(verifierKey);
    if (!verifier) throw new Error(`${verifierKey} is not a verifier key`);
    this.verifier = verifier;
    this.#verifierKey = verifierKey;
    this.#url = url;
  }

  /** No lines if the witness fails or knows a later head. Throws Fork or Objection if it has seen another log. */
  async cosign(db: Db, note: string, head: Head, keys: readonly Verifier[]): Promise<string[]> {
    if (Date.now() < this.#pausedUntil) return [];
    try {
      const lines = await this.#ask(db, note, head, (await knownSize(db, this.verifier.name)) ?? 0);
      if (lines) await this.#note(db, head.size, null);
      return lines ?? [];
    } catch (error) {
      const cause = error instanceof Objection ? await this.#provenBy(db, keys, error) : error;
      await this.#note(db, null, cause instanceof Error ? cause.message : String(cause));
      if (cause instanceof Fork || cause instanceof Objection) throw cause;
      this.#pausedUntil = Date.now() + PAUSE_MS;
      return [];
    }
  }

  /** Undefined if the witness knows a later head. Throws Objection. */
  async #ask(db: Db, note: string, head: Head, old: number, mayCorrect = true): Promise<string[] | undefined> {
    const { name } = this.verifier;
    if (old > head.size) {
      // Another worker may have signed it, after storing its size in the database.
      const { size } = await readHead(db);
      if (old <= size) return undefined;
      throw new Objection(`the witness ${name} has seen ${old} entries, but the log has ${size}`);
    }
    const proof = old === 0 ? [] : await consistencyOf(db, old, head.size);
    const lines = proof.map((each) => `${each.toString('base64')}\n`).join('');
    const { status, text } = await request(`${this.#url}/add-checkpoint`, `old ${old}\n${lines}\n${note}`);
    const known = /^(0|[1-9]\d*)\n$/.test(text) ? Number(text) : undefined;
    // A witness reports different roots at the same size by either status.
    const differs = status === 422 || (status === 409 && old === head.size && (known ?? old) === old);
    if (differs) throw new Objection(`the witness ${name} has seen another history of the first ${old} entries`);
    if (status === 409 && known !== undefined && mayCorrect) return this.#ask(db, note, head, known, false);
    if (status !== 200) throw new Error(`returned ${status}`);
    const parsed = parseNote(`${note}${text}`);
    const verified = parsed && verifyNote(parsed, [this.verifier]);
    if (!verified?.length)
      throw new Error('returned no valid signature of its own with a time that is not in the future');
    return verified.map(({ line }) => line);
  }

  /** A Fork if the witness has a head that proves its objection, else the objection. */
  async #provenBy(db: Db, keys: readonly Verifier[], objection: Objection): Promise<Fork | Objection> {
    const seen = await this.lastSeen(keys);
    const problem = seen && (await problemWith(db, (await readHead(db)).size, seen));
    return problem === undefined ? objection : new Fork(`the witness ${this.verifier.name} shows that ${problem}`);
  }

  /** The last head of this log that the witness cosigned; undefined if it shows none. */
  async lastSeen(keys: readonly Verifier[]): Promise<Head | undefined> {
    const origin = hash('sha256', keys[0]!.name, 'hex');
    const { status, text } = await request(`${this.#url}/${origin}/checkpoint`).catch(() => ({ status: 0, text: '' }));
    if (status !== 200) return undefined;
    try {
      return openCheckpointBy(text, keys, [this.verifier]);
    } catch (error) {
      if (error instanceof CheckpointError) return undefined;
      throw error;
    }
  }

  async #note(db: Db, size: number | null, error: string | null): Promise<void> {
    await db.query(NOTE_OUTCOME, [this.verifier.name, this.#verifierKey, size, error]);
  }
}

async function consistencyOf(db: Db, old: number, size: number): Promise<Buffer[]> {
  if (old === size) return [];
  const needed = tilesNeeded((range) => consistencyProof(old, size, range)) as { level: number; index: number }[];
  const tiles = new Map((await readTiles(db, needed)).map((tile) => [`${tile.level}/${tile.index}`, tile.bytes]));
  return consistencyProof(
    old,
    size,
    rangeFromTiles((level, index) => tiles.get(`${level}/${index}`)),
  );
}

async function request(url: string, body?: string): Promise<{ status: number; text: string }> {
  const sent = body === undefined ? {} : { method: 'POST', body };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(url, { ...sent, redirect: 'manual', signal }).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    throw code === undefined ? error : new Error(`cannot be reached (${code})`);
  });
  return { status: answer.status, text: String(await readAnswer(answer, MAX_ANSWER_BYTES)) };
}
