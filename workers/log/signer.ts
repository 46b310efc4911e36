import type { Config } from '../../src/config.ts';
import { checkpointText, type Head, NoteSigner, type Verifier } from '../../src/formats/note.ts';
import { publishedCheckpoint } from '../../src/platform/postgres/logTiles.ts';
import { type Db, type Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import { edgeAt, haltLog, holdHead, type LogHead, readHead } from './head.ts';
import { LogMemory } from './memory.ts';
import { Fork, Witness } from './witnesses.ts';

export const PUBLISH = sql(
  'log.publish',
  `INSERT INTO log_checkpoint (origin, verifier_key, size, note, published_at)
   VALUES ($1, $2, $3, $4, clock_timestamp())
   ON CONFLICT (checkpoint_id) DO UPDATE SET size = excluded.size, note = excluded.note,
     published_at = excluded.published_at
   WHERE log_checkpoint.origin = excluded.origin AND log_checkpoint.verifier_key = excluded.verifier_key
     AND log_checkpoint.size <= excluded.size`,
);

/**
 * Signs heads and publishes them. A head is signed only when it continues the last one that is remembered outside the
 * database, and published only when it is remembered itself (docs/log#when-it-stops).
 */
export class LogSigner {
  readonly #db: Postgres;
  readonly #signer: NoteSigner;
  readonly memory: LogMemory;
  readonly #witnesses: readonly Witness[];
  /** What witnesses have seen, where nothing is remembered here. */
  #witnessed: Head | undefined;

  private constructor(db: Postgres, signer: NoteSigner, memory: LogMemory, witnesses: readonly Witness[]) {
    this.#db = db;
    this.#signer = signer;
    this.memory = memory;
    this.#witnesses = witnesses;
  }

  /**
   * The signer of this deployment's log. Its name is the one that it has already, or a new one. Throws when the log is
   * signed with another key, or under another name than the configured one.
   */
  static async open(db: Postgres, config: Config, deployment: string): Promise<LogSigner> {
    const { signingKey, origin, memoryDir, witnesses } = config.log;
    const published = await publishedCheckpoint(db);
    const name = published?.origin ?? origin ?? defaultOrigin(config, deployment);
    const signer = new NoteSigner(name, Buffer.from(signingKey!, 'base64url'));
    if (origin !== undefined && origin !== name) throw new Error(`the log is called ${name}, and LOG_ORIGIN differs`);
    if (published && published.verifierKey !== signer.verifierKey) {
      throw new Error('LOG_SIGNING_KEY is not the key that the log is signed with');
    }
    const memory = new LogMemory(memoryDir!, signer.verifier);
    const self = new LogSigner(
      db,
      signer,
      memory,
      witnesses.map((each) => new Witness(each)),
    );
    if (!(await memory.read())) self.#witnessed = await self.#askWitnesses();
    return self;
  }

  get verifier(): Verifier {
    return this.#signer.verifier;
  }

  async #askWitnesses(): Promise<Head | undefined> {
    const seen = await Promise.all(this.#witnesses.map((witness) => witness.lastSeen(this.#signer.verifier)));
    return seen.reduce((most, head) => ((head?.size ?? 0) > (most?.size ?? 0) ? head : most), undefined);
  }

  /**
   * Compares the stored log with what was signed last. False, and the log is halted, where it is not its continuation.
   * `whole`: the roots too, which costs a few tiles.
   */
  async agrees(db: Db, head: LogHead, { whole }: { whole: boolean }): Promise<boolean> {
    if (head.halted !== null) return false;
    const remembered = (await this.memory.read()) ?? this.#witnessed;
    if (!remembered) return true;
    const problem = await problemWith(db, head.size, remembered, whole);
    if (problem === undefined) return true;
    await haltLog(db, problem);
    return false;
  }

  /** Signs and publishes the head unless that is done; answers why the log is halted, or null. */
  async publish(): Promise<string | null> {
    const published = await publishedCheckpoint(this.#db);
    const head = await readHead(this.#db);
    if (head.halted !== null || head.size === (published?.size ?? 0)) return head.halted;
    const signed = await this.#db.inTransaction(async (db) => this.#sign(db));
    if (!signed) return (await readHead(this.#db)).halted;
    try {
      const lines = await Promise.all(this.#witnesses.map((each) => each.cosign(this.#db, signed.note, signed.head)));
      const { name, verifierKey } = this.#signer;
      await this.#db.query(PUBLISH, [name, verifierKey, signed.head.size, signed.note + lines.flat().join('')]);
      return null;
    } catch (error) {
      if (!(error instanceof Fork)) throw error;
      await haltLog(this.#db, error.message);
      return error.message;
    }
  }

  async #sign(db: Db): Promise<{ head: Head; note: string } | undefined> {
    const held = await holdHead(db);
    if (!held || !(await this.agrees(db, held, { whole: true }))) return undefined;
    const head = { origin: this.#signer.name, size: held.size, root: (await edgeAt(db, held.size)).root() };
    const text = checkpointText(head);
    const note = `${text}\n${this.#signer.sign(text)}`;
    await this.memory.remember(note);
    return { head, note };
  }
}

async function problemWith(db: Db, size: number, remembered: Head, whole: boolean): Promise<string | undefined> {
  if (remembered.size > size) return `${remembered.size} entries were signed, and here are ${size}`;
  if (!whole || remembered.size === 0) return undefined;
  const root = (await edgeAt(db, remembered.size)).root();
  return root.equals(remembered.root)
    ? undefined
    : `the first ${remembered.size} entries are not those that were signed`;
}

/** `<host of the public address>/log/<first 8 characters of the deployment's id>` */
function defaultOrigin({ publicBaseUrl, host, port }: Config, deployment: string): string {
  const place = publicBaseUrl === undefined ? `${host}:${port}` : new URL(publicBaseUrl).host;
  return `${place}/log/${deployment.slice(0, 8)}`;
}
