import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process that cannot be confused with a later one of the same number. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Identifies a running process, by default our own. Undefined when it is not running (a zombie counts as gone). */
export async function identify(pid: number = process.pid): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? linuxStartTime(pid) : await portableStartTime(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether this very process still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const now = await identify(identity.pid);
  return now?.startedAt === identity.startedAt;
}

/** Asks a process to stop, waits for its end, and kills it when it has not ended within `killAfterMs`. */
export async function stopProcess(
  identity: ProcessIdentity,
  options: { signal: NodeJS.Signals; killAfterMs: number },
): Promise<void> {
  if (!(await isRunning(identity))) return;
  sendSignal(identity.pid, options.signal);
  if (await hasEnded(identity, options.killAfterMs)) return;
  sendSignal(identity.pid, 'SIGKILL');
  if (!(await hasEnded(identity, 5_000))) throw new Error(`Process ${identity.pid} does not end`);
}

/** The command line of a running process, empty when it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return (await ps(pid, 'args=')) ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Whether any process of this machine has a text in its command line. */
export async function isOnAnyCommandLine(text: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(pids.map((pid) => commandLine(Number(pid))));
    return lines.some((line) => line.includes(text));
  }
  const { stdout } = await run('ps', ['-A', '-o', 'args='], { maxBuffer: 16 << 20 }).catch(() => ({ stdout: '' }));
  return stdout.includes(text);
}

/** The process that started the given one, undefined when that cannot be found out. */
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

/** Clock ticks since boot alone would repeat after a reboot, hence the boot id. */
function linuxStartTime(pid: number): string | undefined {
  const fields = linuxStat(pid);
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
}

/** The fields of `/proc/<pid>/stat` from the state on; `ps` is missing in slim images. */
function linuxStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Before them is the program's name in brackets, which may itself hold spaces and brackets.
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
