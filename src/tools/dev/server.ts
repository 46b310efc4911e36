import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import { inheritOwner, readIfPresent, shortPath, writePrivateFile } from './files.ts';
import { chooseFreePort, isPortFree } from './ports.ts';
import { identify, isRunning, type ProcessIdentity, stopProcess } from './processes.ts';

const READY_WITHIN_MS = 60_000;
const MOST_ATTEMPTS = 3;

interface ServerKind {
  title: string;
  /** The file with the process, the port and the starter of the server. */
  recordPath: string;
  logPath: string;
  preferredPort: number | undefined;
  stopSignal: NodeJS.Signals;
  killAfterMs: number;
  spawn(port: number, logFd: number): ChildProcess;
  /** Connects with our password. Throws `NotReady` while the server does not respond. */
  probe(port: number): Promise<void>;
}

export interface ServerOptions {
  directory: string;
  /** Contains data and log. The account can enter it. */
  home: string;
  account: Account | undefined;
  password: string;
  /** Used if it is free and the directory had no other port before. */
  preferredPort: number | undefined;
  /** False in tests, which trade the safety of the data for speed. */
  durable: boolean;
}

export interface RunningServer {
  port: number;
  pid: number;
  /** A `shared` server belongs to another running process, and `stop` does nothing. */
  origin: 'started' | 'taken over' | 'shared';
  stop(): Promise<void>;
  /** Resolves with a message when the server has ended. Does not keep this process running. */
  ended(): Promise<string>;
}

export class NotReady extends Error {}

interface ServerRecord {
  server: ProcessIdentity;
  port: number;
  starter: ProcessIdentity;
  /** Device and inode of the directory. */
  directory?: string;
}

/** Shares the server of this directory if its starter runs, takes it over if the starter is dead, else starts one. */
export async function startOrJoin(kind: ServerKind): Promise<RunningServer> {
  const record = await readRecord(kind.recordPath);
  if (record && isOfDirectory(record, kind.recordPath) && (await isReady(kind, record))) {
    if (await isRunning(record.starter)) return running(kind, record, 'shared');
    const adopted = { ...record, starter: await self() };
    writeRecord(kind.recordPath, adopted);
    return running(kind, adopted, 'taken over');
  }
  return running(kind, await start(kind, record?.port), 'started');
}

/**
 * False in a copy of a directory, because the server uses the data of the original. A moved directory stays the same.
 */
const isOfDirectory = ({ directory }: ServerRecord, recordPath: string): boolean =>
  directory === undefined || directory === identityOf(dirname(recordPath));

function identityOf(directory: string): string {
  const { dev, ino } = statSync(directory);
  return `${dev}:${ino}`;
}

async function start(kind: ServerKind, lastPort: number | undefined): Promise<ServerRecord> {
  const preferred = [lastPort, kind.preferredPort].filter((port) => port !== undefined);
  for (let attempt = 1; ; attempt++) {
    const port = await chooseFreePort(attempt === 1 ? preferred : []);
    const record = await launch(kind, port);
    const isStarted = await isReady(kind, record).catch(async (error: unknown) => {
      await stopProcess(record.server, kind);
      throw error;
    });
    if (isStarted) return record;
    // Another process may have taken the port meanwhile.
    if ((await isPortFree(port)) || attempt === MOST_ATTEMPTS)
      throw new Error(`${kind.title} did not start:\n${lastLines(readFileSync(kind.logPath, 'utf8'))}`);
  }
}

/** The end of a log, for error messages. */
export const lastLines = (log: string): string => log.trimEnd().split('\n').slice(-12).join('\n');

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
  const record = { server, port, starter, directory: identityOf(dirname(kind.recordPath)) };
  writeRecord(kind.recordPath, record);
  return record;
}

async function isReady(kind: ServerKind, { server, port }: ServerRecord): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (await isRunning(server)) {
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
  return false;
}

function running(kind: ServerKind, record: ServerRecord, origin: RunningServer['origin']): RunningServer {
  return {
    port: record.port,
    pid: record.server.pid,
    origin,
    // The record stays, so that the next start uses the same port.
    stop: async () => {
      if (origin !== 'shared') await stopProcess(record.server, kind);
    },
    ended: async () => {
      while (await isRunning(record.server)) await sleep(1_000, undefined, { ref: false });
      return `${kind.title} ended (its log is ${shortPath(kind.logPath)})`;
    },
  };
}

async function self(): Promise<ProcessIdentity> {
  const identity = await identify();
  if (!identity) throw new Error('Cannot find out when this process was started: ps is missing');
  return identity;
}

/** Returns undefined also for an empty file, which a power cut can leave. */
async function readRecord(path: string): Promise<ServerRecord | undefined> {
  const text = await readIfPresent(path);
  return text?.trim() ? (JSON.parse(text) as ServerRecord) : undefined;
}

function writeRecord(path: string, record: ServerRecord): void {
  writePrivateFile(path, `${JSON.stringify(record, null, 2)}\n`);
}

/** Opens a new log and keeps that of the run before. */
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
