import { type Config, defaultLogOrigin } from '../../src/config.ts';
import { databaseTime } from '../../src/platform/postgres/clock.ts';
import { type Db, type Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import {
  checkpointText,
  type Head,
  NoteSigner,
  openCheckpointBy,
  parseNote,
  parseVerifierKey,
  type Verifier,
  verifyNote,
} from '../../src/protocol/note.ts';
import {
  type PublishedCheckpoint,
  publishedCheckpoint,
  readRotations,
  type StoredRotation,
} from '../../src/recording/logTiles.ts';
import { edgeAt, haltLog, holdHead, type LogHead, problemWith, readHead } from './head.ts';
import { LogMemory } from './memory.ts';
import { formerKeys, isRotationWaiting, rotate } from './rotations.ts';
import { Fork, keepWitnesses, Witness } from './witnesses.ts';

export const PUBLISH = sql(
  'log.publish',
  `INSERT INTO log_checkpoint (origin, verifier_key, size, note, published_at)
   VALUES ($1, $2, $3, $4, clock_timestamp())
   ON CONFLICT (checkpoint_id) DO UPDATE SET size = excluded.size, note = excluded.note,
     verifier_key = excluded.verifier_key, published_at = excluded.published_at
   WHERE log_checkpoint.origin = excluded.origin AND log_checkpoint.size <= excluded.size
     AND (log_checkpoint.verifier_key = excluded.verifier_key OR EXISTS (
       SELECT FROM log_rotations r WHERE r.from_key = log_checkpoint.verifier_key AND r.to_key = excluded.verifier_key))`,
);

/**
 * Changes nothing if another head was published meanwhile, or another worker already added the line of this witness.
 */
const ADD_LINE = sql(
  'log.addCosignature',
  `UPDATE log_checkpoint SET note = note || $3 WHERE origin = $1 AND size = $2 AND position($4 IN note) = 0`,
);

/** Publishes heads, each after writing it to a file outside the database (docs/log#when-it-stops). */
export class LogSigner {
  readonly #db: Postgres;
  readonly #signer: NoteSigner;
  /** The former key, if LOG_PREVIOUS_SIGNING_KEY is set. */
  readonly #previous: NoteSigner | undefined;
  /** The current key, then all former ones. */
  readonly keys: readonly [Verifier, ...Verifier[]];
  readonly memory: LogMemory;
  readonly #witnesses: readonly Witness[];
  /** The largest head that a witness has seen, if the file does not exist. */
  #witnessed: Head | undefined;
  /** The size of the last head that was compared. */
  #known = 0;

  private constructor(
    db: Postgres,
    { signer, previous, keys }: { signer: NoteSigner; previous: NoteSigner | undefined; keys: LogSigner['keys'] },
    memory: LogMemory,
    witnesses: readonly Witness[],
  ) {
    this.#db = db;
    this.#signer = signer;
    this.#previous = previous;
    this.keys = keys;
    this.memory = memory;
    this.#witnesses = witnesses;
  }

  /** Throws if the log has another name than LOG_ORIGIN or an unknown key; `isKeyLost` allows any key. */
  static async open(
    db: Postgres,
    config: Config,
    deployment: string,
    { isKeyLost = false }: { isKeyLost?: boolean } = {},
  ): Promise<LogSigner> {
    const { signingKey, previousSigningKey, origin, memoryDir, witnesses } = config.log;
    const published = await publishedCheckpoint(db);
    const name = published?.origin ?? origin ?? defaultLogOrigin(config, deployment);
    const signerOf = (seed: string) => new NoteSigner(name, Buffer.from(seed, 'base64url'));
    const signer = signerOf(signingKey!);
    const previous = previousSigningKey === undefined ? undefined : signerOf(previousSigningKey);
    if (origin !== undefined && origin !== name)
      throw new Error(`the log is named ${name}, but LOG_ORIGIN differs: correct LOG_ORIGIN`);
    const isKnown = !published || [signer.verifierKey, previous?.verifierKey].includes(published.verifierKey);
    if (!isKnown && !isKeyLost) throw new Error('LOG_SIGNING_KEY is not the key that the log is signed with');
    const lost = isKnown ? [] : [parseVerifierKey(published.verifierKey)!];
    const former = [...lost, ...(previous ? [previous.verifier] : []), ...(await formerKeys(db, name))];
    const keys = [signer.verifier, ...former] as const;
    const memory = new LogMemory(memoryDir!, keys);
    const self = new LogSigner(
      db,
      { signer, previous, keys },
      memory,
      witnesses.map((each) => new Witness(each)),
    );
    await keepWitnesses(db, self.#witnesses);
    if (!(await memory.read())) self.#witnessed = await self.#askWitnesses();
    return self;
  }

  async #askWitnesses(): Promise<Head | undefined> {
    const seen = await Promise.all(this.#witnesses.map((witness) => witness.lastSeen(this.keys)));
    return seen.reduce((most, head) => ((head?.size ?? 0) > (most?.size ?? 0) ? head : most), undefined);
  }

  /** False halts the log. `checksRoot` compares roots too, which reads a few tiles. The caller holds the head. */
  async agrees(db: Db, head: LogHead, { checksRoot }: { checksRoot: boolean }): Promise<boolean> {
    if (head.halted !== null) return false;
    const published = await publishedCheckpoint(db);
    if (published && published.origin !== this.#signer.name)
      throw new Error(`the log is named ${published.origin} now`);
    const remembered = (await this.memory.read()) ?? this.#witnessed;
    const isNews = published !== undefined && published.size > (remembered?.size ?? 0);
    const news = isNews ? openCheckpointBy(published.note, this.keys) : undefined;
    for (const signed of [remembered, news]) {
      const problem = signed && (await problemWith(db, head.size, signed, { checksRoot: checksRoot || isNews }));
      if (problem === undefined) continue;
      await haltLog(db, problem);
      return false;
    }
    if (isNews) await this.memory.remember(published.note);
    this.#known = (news ?? remembered)?.size ?? 0;
    return true;
  }

  /** Signs and publishes the head if it is new. Returns why the log is halted, or null. Throws Objection. */
  async publish(): Promise<string | null> {
    const published = await publishedCheckpoint(this.#db);
    const head = await readHead(this.#db);
    const halted = head.halted ?? ((published?.size ?? 0) > this.#known ? await this.#learn() : null);
    if (halted !== null) return halted;
    const isSigned = head.size === (published?.size ?? 0) && published?.verifierKey === this.#signer.verifierKey;
    if (isSigned) return this.#haltingAtForks(() => this.#askSilent(published));
    if (head.size === 0 || !(await this.#takesOver(published))) return null;
    const signed = await this.#db.inTransaction(async (db) => this.#sign(db));
    if (!signed) return (await readHead(this.#db)).halted;
    return this.#haltingAtForks(async () => {
      const { note, head: fresh } = signed;
      const lines = await Promise.all(this.#witnesses.map((each) => each.cosign(this.#db, note, fresh, this.keys)));
      const { name, verifierKey } = this.#signer;
      await this.#db.query(PUBLISH, [name, verifierKey, fresh.size, note + lines.flat().join('')]);
    });
  }

  /** Halts the log if a witness proves a fork. Returns why, or null. */
  async #haltingAtForks(work: () => Promise<void>): Promise<string | null> {
    try {
      await work();
      return null;
    } catch (error) {
      if (!(error instanceof Fork)) throw error;
      await haltLog(this.#db, error.message);
      return error.message;
    }
  }

  /** Asks witnesses whose signature the published head lacks: the next head may be days away (docs/log#witnesses). */
  async #askSilent({ note, size }: PublishedCheckpoint): Promise<void> {
    const parsed = parseNote(note)!;
    const silent = this.#witnesses.filter(({ verifier }) => !verifyNote(parsed, [verifier])?.length);
    if (silent.length === 0) return;
    const head = openCheckpointBy(note, this.keys);
    const ask = async (witness: Witness) => {
      const lines = await witness.cosign(this.#db, note, head, this.keys);
      const added = [this.#signer.name, size, lines.join(''), `\u2014 ${witness.verifier.name} `];
      if (lines.length > 0) await this.#db.query(ADD_LINE, added);
    };
    await Promise.all(silent.map(ask));
  }

  /** Stores what another worker published in this host's file. Returns why that halted the log, or null. */
  async #learn(): Promise<string | null> {
    return this.#db.inTransaction(async (db) => {
      const held = await holdHead(db);
      if (held) await this.agrees(db, held, { checksRoot: true });
      return (await readHead(db)).halted;
    });
  }

  /**
   * Rotates the key if needed. Returns true once the current key is the log's and the leaf of the rotation is in the
   * log.
   */
  async #takesOver(published: PublishedCheckpoint | undefined): Promise<boolean> {
    if (!published || published.verifierKey === this.#signer.verifierKey) return true;
    if (published.verifierKey !== this.#previous?.verifierKey)
      throw new Error(`the log is signed with another key now`);
    const rotation = await this.#rotation();
    if (rotation) return !(await isRotationWaiting(this.#db, rotation.note));
    await this.#db.inTransaction(async (db) => {
      const held = await holdHead(db);
      if (!held || !(await this.agrees(db, held, { checksRoot: true })) || (await this.#rotation(db))) return;
      const head = openCheckpointBy(published.note, [this.#previous!.verifier]);
      await rotate(db, this.#previous!, this.#signer, head);
    });
    return false;
  }

  async #rotation(db: Db = this.#db): Promise<StoredRotation | undefined> {
    return (await readRotations(db)).find(({ toKey }) => toKey === this.#signer.verifierKey);
  }

  /** The signature of the current key and, for 30 days after a rotation, that of the former one. */
  async #signatures(db: Db, text: string): Promise<string> {
    const line = this.#signer.sign(text);
    if (!this.#previous) return line;
    const rotation = await this.#rotation(db);
    const isBoth =
      rotation?.fromKey === this.#previous.verifierKey && rotation.bothUntil.getTime() > (await databaseTime(db));
    return isBoth ? line + this.#previous.sign(text) : line;
  }

  async #sign(db: Db): Promise<{ head: Head; note: string } | undefined> {
    const held = await holdHead(db);
    if (!held || !(await this.agrees(db, held, { checksRoot: true }))) return undefined;
    const head = { origin: this.#signer.name, size: held.size, root: (await edgeAt(db, held.size)).root() };
    const text = checkpointText(head);
    const note = `${text}\n${await this.#signatures(db, text)}`;
    await this.memory.remember(note);
    this.#known = head.size;
    return { head, note };
  }
}
