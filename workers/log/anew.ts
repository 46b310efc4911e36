import { type Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import { plainLeaf } from '../../src/protocol/logFormat.ts';
import { checkpointText, NoteSigner, parseCheckpointText, parseNote } from '../../src/protocol/note.ts';
import { publishedCheckpoint } from '../../src/recording/logTiles.ts';
import { edgeAt, haltLog, holdHead, moveHead } from './head.ts';
import { cut, RecoveryError } from './recovery.ts';
import { PLAIN, place } from './sequencer.ts';
import { PUBLISH } from './signer.ts';

const FORGET_FORMER_LOG = [
  sql('log.forgetCheckpoint', 'DELETE FROM log_checkpoint'),
  sql('log.forgetWitnesses', 'DELETE FROM log_witnesses'),
  sql('log.forgetKeysOfLog', 'DELETE FROM log_rotations'),
];

/** The name of the next log (docs/log#keys-of-the-log): `…/2`, then `…/3`. */
export function nextOrigin(origin: string): string {
  const [, stem = origin, number = '1'] = /^(.+)\/([2-9]|[1-9]\d{1,2})$/.exec(origin) ?? [];
  return `${stem}/${Number(number) + 1}`;
}

export interface AnewOptions {
  readonly seed: Uint8Array;
  readonly remembered: string | undefined;
  readonly remember: (signer: NoteSigner, note: string) => Promise<void>;
}

/** Begins a new log when no copy is left (docs/log#when-it-stops). Throws RecoveryError if nothing was ever signed. */
export async function beginAnew(
  db: Postgres,
  { seed, remembered, remember }: AnewOptions,
): Promise<{ signer: NoteSigner; lost: string }> {
  return db.inTransaction(async (transaction) => {
    if (!(await holdHead(transaction))) throw new RecoveryError('a worker has locked the log: try again');
    const published = await publishedCheckpoint(transaction);
    const notes = [remembered, published?.note].filter((note) => note !== undefined);
    const [lost] = notes.toSorted((one, other) => sizeOf(other) - sizeOf(one));
    if (lost === undefined) throw new RecoveryError('nothing was signed yet, so nothing is lost');
    const signer = new NoteSigner(nextOrigin(originOf(lost)), seed);
    await cut(transaction, 0);
    await place(transaction, 0, [{ ...PLAIN, entry: plainLeaf('key', 1, { change: 'log', lost }) }]);
    await moveHead(transaction, { size: 1, agents: 0, acts: 0, keys: 1, lastAct: null });
    for (const statement of FORGET_FORMER_LOG) await transaction.query(statement);
    const text = checkpointText({ origin: signer.name, size: 1, root: (await edgeAt(transaction, 1)).root() });
    const note = `${text}\n${signer.sign(text)}`;
    await transaction.query(PUBLISH, [signer.name, signer.verifierKey, 1, note]);
    await haltLog(transaction, null);
    await remember(signer, note);
    return { signer, lost };
  });
}

const headOf = (note: string) => parseCheckpointText(parseNote(note)?.text ?? '');
const sizeOf = (note: string): number => headOf(note)?.size ?? 0;
const originOf = (note: string): string => headOf(note)!.origin;
