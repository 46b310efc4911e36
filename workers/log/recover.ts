// `npm run log:recover -- --from URL|FOLDER`, or `--anew` (deploy/RUNBOOK.md). Exit code 1: failed, nothing was
// changed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../../src/config.ts';
import { requireDatabase } from '../../src/ops/schema.ts';
import { readAnswer } from '../../src/platform/codec/bytes.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { deploymentId } from '../../src/platform/postgres/settings.ts';
import { ignoreClosedOutput, StartupError } from '../../src/platform/startupError.ts';
import type { NoteSigner } from '../../src/protocol/note.ts';
import { describeStartFailures } from '../../src/start/startFailure.ts';
import { beginAnew } from './anew.ts';
import { LogMemory, requireLog } from './memory.ts';
import { type ReadMirror, RecoveryError, recoverLog } from './recovery.ts';
import { LogSigner } from './signer.ts';

const ANSWER_MS = 30_000;
/** 256 entries, the length of each in two bytes (docs/log). */
const MAX_ANSWER_BYTES = 256 * (2 + 65_535);

/** A mirror at a URL, without `/log`, or in a folder with `checkpoint` and `tile/…`. */
function mirrorAt(from: string): ReadMirror {
  if (!/^https?:/.test(from)) return (path) => readFile(join(from, path));
  return async (path) => {
    const url = `${from.replace(/\/$/, '')}/log/${path}`;
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { redirect: 'manual', signal }).catch((error: Error) => {
      const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
      throw new RecoveryError(`${url} does not respond (${code ?? message}). Check that it is the address of a mirror`);
    });
    if (answer.status !== 200) throw new RecoveryError(`${url} returned ${answer.status}`);
    return readAnswer(answer, MAX_ANSWER_BYTES);
  };
}

async function recover(db: Postgres, config: Config, mirror: ReadMirror): Promise<object> {
  const { keys, memory } = await LogSigner.open(db, config, await deploymentId(db));
  const remember = (note: string) => memory.remember(note);
  return recoverLog(db, mirror, { keys, remembered: await memory.read(), remember });
}

/** Accepts any signing key, because the key of the log may be lost too. */
async function begin(db: Postgres, config: Config): Promise<object> {
  const { memory } = await LogSigner.open(db, config, await deploymentId(db), { isKeyLost: true });
  const seed = Buffer.from(config.log.signingKey!, 'base64url');
  const remember = ({ verifier }: NoteSigner, note: string) =>
    new LogMemory(config.log.memoryDir!, [verifier]).remember(note);
  const { signer, lost } = await beginAnew(db, { seed, remembered: (await memory.read())?.note, remember });
  return { origin: signer.name, verifierKey: signer.verifierKey, lost };
}

async function main(): Promise<void> {
  ignoreClosedOutput();
  const { from, anew } = parseArgs({ options: { from: { type: 'string' }, anew: { type: 'boolean' } } }).values;
  const config = loadConfig();
  if ((from === undefined) === !anew || !config.log.signingKey)
    throw new StartupError('Give either --from or --anew, and set LOG_SIGNING_KEY and LOG_MEMORY_DIR.');
  await requireLog(config);
  const { databaseUrl: url, databaseStatements: statements } = config;
  const db = new Postgres({ url, statements, maxConnections: 2, applicationName: 'forum log recover' });
  try {
    await requireDatabase(db, config, { warn: (_facts, message) => console.warn(message) });
    const done = () => (from === undefined ? begin(db, config) : recover(db, config, mirrorAt(from)));
    console.log(JSON.stringify(await describeStartFailures(url, done)));
  } finally {
    await db.close();
  }
}

// One line instead of a stack for every failure, wrong arguments included.
await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
