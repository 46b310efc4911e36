import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import { inheritOwner, readIfPresent, shortPath, writePrivateFile } from './files.ts';
import { chooseFreePort, isPortFree } from './ports.ts';
import { identify, isRunning, type ProcessIdentity, stopProcess } from './processes.ts';

const readyWithinMs = 60_000;
const LOOK_EVERY_MS = 1_000;

/** What the common life of a server needs to know about PostgreSQL or Redis. */
export interface ServerKind {
  /** Names the server in messages. */
  title: string;
  /** Holds the pid file: who runs, on which port, started by whom. */
  recordPath: string;
  logPath: string;
  preferredPort: number | undefined;
  stopSignal: NodeJS.Signals;
  killAfterMs: number;
  /** Starts the server in the background with its output going to the log. */
  spawn(port: number, logFd: number): ChildProcess;
  /** Resolves when the server answers with our password, throws `NotReady` while it does not answer yet. */
  probe(port: number): Promise<void>;
}

/** Where one of our servers keeps its files, and how it runs. */
export interface ServerOptions {
  /** Holds the pid file. */
  directory: string;
  /** Holds data and log; the account can enter it. */
  home: string;
  account: Account | undefined;
  password: string;
  /** Used if it is free and the directory has had no other port. */
  preferredPort: number | undefined;
  /** False trades the data for speed, in tests. */
  durable: boolean;
}

export interface RunningServer {
  port: number;
  pid: number;
  /** `shared`: another living process started it, and `stop()` leaves it alone. */
  origin: 'started' | 'taken over' | 'shared';
  stop(): Promise<void>;
  /** Resolves with what happened when the server has ended, whatever the reason; keeps no process alive. */
  ended(): Promise<string>;
}

export class NotReady extends Error {}

interface ServerRecord {
  server: ProcessIdentity;
  port: number;
  starter: ProcessIdentity;
  /** Of the directory that the server was started for; what was written before this was told has none. */
  directory?: string;
}

/** Shares the server that already runs on this directory, takes it over when its starter is dead, else starts one. */
export async function startOrJoin(kind: ServerKind): Promise<RunningServer> {
  const record = await readRecord(kind.recordPath);
  if (record && isOfPlace(kind.recordPath, record) && (await answers(kind, record))) {
    if (await isRunning(record.starter)) return running(kind, record, 'shared');
    const adopted = { ...record, starter: await self() };
    writeRecord(kind.recordPath, adopted);
    return running(kind, adopted, 'taken over');
  }
  return running(kind, await start(kind, record?.port), 'started');
}

/** Stops the server of a pid file whose starter has died. A living starter keeps its server. */
export async function stopAbandoned(recordPath: string, signal: NodeJS.Signals): Promise<void> {
  const record = await readRecord(recordPath);
  if (!record || !isOfPlace(recordPath, record) || (await isRunning(record.starter))) return;
  await stopProcess(record.server, { signal, killAfterMs: 10_000 });
  await rm(recordPath, { force: true });
}

/** False in a copy of a directory whose server runs: that one's data are the original's. A moved directory stays the same. */
function isOfPlace(recordPath: string, { directory }: ServerRecord): boolean {
  return directory === undefined || directory === directoryOf(recordPath);
}

function directoryOf(recordPath: string): string {
  const { dev, ino } = statSync(dirname(recordPath));
  return `${dev}:${ino}`;
}

/** A server that is just shutting down runs but answers no more: then false, after its end. */
async function answers(kind: ServerKind, record: ServerRecord): Promise<boolean> {
  return await untilReady(kind, record.port, () => isRunning(record.server));
}

async function start(kind: ServerKind, lastPort: number | undefined): Promise<ServerRecord> {
  const preferred = [lastPort, kind.preferredPort].filter((port) => port !== undefined);
  for (let attempt = 1; ; attempt++) {
    const port = await chooseFreePort(attempt === 1 ? preferred : []);
    const record = await launch(kind, port);
    if (await isReadyOrEnded(kind, record)) return record;
    const lostPort = !(await isPortFree(port));
    if (!lostPort || attempt === 3) throw new Error(`${kind.title} did not start:\n${tail(kind.logPath)}`);
  }
}

/** Leaves no server behind that never became ready. */
async function isReadyOrEnded(kind: ServerKind, record: ServerRecord): Promise<boolean> {
  try {
    return await untilReady(kind, record.port, () => isRunning(record.server));
  } catch (error) {
    await stopProcess(record.server, { signal: kind.stopSignal, killAfterMs: kind.killAfterMs });
    throw error;
  }
}

async function launch(kind: ServerKind, port: number): Promise<ServerRecord> {
  const starter = await self();
  const logFd = openLog(kind.logPath);
  const child = kind.spawn(port, logFd);
  closeSync(logFd);
  const failure = new Promise<never>((_, reject) => child.once('error', reject));
  failure.catch(() => undefined);
  if (child.pid === undefined) return await failure;
  child.unref();
  const server = (await identify(child.pid)) ?? { pid: child.pid, startedAt: 'ended at once' };
  const record = { server, port, starter, directory: directoryOf(kind.recordPath) };
  writeRecord(kind.recordPath, record);
  return record;
}

/** True when the server answers, false when it has ended before. */
async function untilReady(kind: ServerKind, port: number, alive: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    if (!(await alive())) return false;
    try {
      await kind.probe(port);
      return true;
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      if (Date.now() > deadline) {
        const { message } = error.cause as Error;
        throw new Error(`${kind.title} runs, but did not answer within a minute: ${message}`, { cause: error });
      }
    }
    await sleep(20);
  }
}

function running(kind: ServerKind, record: ServerRecord, origin: RunningServer['origin']): RunningServer {
  return {
    port: record.port,
    pid: record.server.pid,
    origin,
    stop: async () => {
      if (origin === 'shared') return;
      await stopProcess(record.server, { signal: kind.stopSignal, killAfterMs: kind.killAfterMs });
      // The port stays known, so that the next start listens where the last one did.
    },
    ended: async () => {
      while (await isRunning(record.server)) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
      return `${kind.title} ended (its log is ${shortPath(kind.logPath)})`;
    },
  };
}

async function self(): Promise<ProcessIdentity> {
  const identity = await identify();
  if (!identity) throw new Error('Cannot find out when this process was started: ps is missing');
  return identity;
}

/** Undefined of one that a power cut left empty, too. */
async function readRecord(path: string): Promise<ServerRecord | undefined> {
  const text = await readIfPresent(path);
  return text?.trim() ? (JSON.parse(text) as ServerRecord) : undefined;
}

function writeRecord(path: string, record: ServerRecord): void {
  writePrivateFile(path, `${JSON.stringify(record, null, 2)}\n`);
}

/** Keeps the log of the run before: it says why that one ended. */
function openLog(path: string): number {
  try {
    renameSync(path, `${path}.old`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const fd = openSync(path, 'a', 0o600);
  inheritOwner(path);
  return fd;
}

function tail(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
