import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process. The start time distinguishes it from a later process with the same pid. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Identifies a process, by default this one. Returns undefined if it does not run or is a zombie. */
export async function identify(pid: number = process.pid): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? linuxStartTime(pid) : await portableStartTime(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const now = await identify(identity.pid);
  return now?.startedAt === identity.startedAt;
}

/** Sends a signal to a process and waits for its end. Kills it after `killAfterMs`. */
export async function stopProcess(
  identity: ProcessIdentity,
  { stopSignal, killAfterMs }: { stopSignal: NodeJS.Signals; killAfterMs: number },
): Promise<void> {
  if (!(await isRunning(identity))) return;
  sendSignal(identity.pid, stopSignal);
  if (await hasEnded(identity, killAfterMs)) return;
  sendSignal(identity.pid, 'SIGKILL');
  if (!(await hasEnded(identity, 5_000))) throw new Error(`Process ${identity.pid} does not end`);
}

/** The command line of a process, or an empty string if it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return (await ps(pid, 'args=')) ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

export async function isOnAnyCommandLine(text: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(pids.map((pid) => commandLine(Number(pid))));
    return lines.some((line) => line.includes(text));
  }
  const { stdout } = await run('ps', ['-A', '-o', 'args='], { maxBuffer: 16 << 20 }).catch(() => ({ stdout: '' }));
  return stdout.includes(text);
}

export async function parentOf(pid: number): Promise<number | undefined> {
  const parent = process.platform === 'linux' ? linuxStat(pid)?.[1] : await ps(pid, 'ppid=');
  return Number(parent) || undefined;
}

async function hasEnded(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (await isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Clock ticks since boot and the boot id, because ticks repeat after a reboot. */
function linuxStartTime(pid: number): string | undefined {
  const fields = linuxStat(pid);
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
}

/** The fields of `/proc/<pid>/stat` from the state on, because slim images have no `ps`. */
function linuxStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes before in brackets, and can contain spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

async function portableStartTime(pid: number): Promise<string | undefined> {
  const [, state, startedAt] = /^\s*(\S+)\s+(.+?)\s*$/.exec((await ps(pid, 'stat=,lstart=')) ?? '') ?? [];
  return state?.startsWith('Z') ? undefined : startedAt;
}

async function ps(pid: number, columns: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', columns, '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } });
    return stdout;
  } catch {
    return undefined;
  }
}
