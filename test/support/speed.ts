import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const fileName = 'slowness.json';
const rounds = 5;
const stepsPerRound = 3_000_000;
/** What one measurement takes on the idle machine that the waits of the tests were written on. */
const referenceMs = 25;
const mostSlowness = 10;
const measureEveryMs = 10_000;
/** A wait may begin in a lull and end under load. */
const remembered = 3;

/** How slow a run's machine is, as factors of `measureSlowness`. */
export interface Slowness {
  /** What waits are multiplied by: the most of the last half minute. */
  now: number;
  atStart: number;
  most: number;
}

/**
 * How many times longer than on the reference machine work and timers take here and now: 1 to 10. Takes 18 ms of CPU,
 * in portions, so that other processes run in between, as with a test.
 */
async function measureSlowness(): Promise<number> {
  work(stepsPerRound / 10);
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    work(stepsPerRound);
    await sleep(1);
  }
  return Math.min(mostSlowness, Math.max(1, (performance.now() - startedAt) / referenceMs));
}

/** Measures now and every 10 s, and keeps the outcome in the run's directory for all its processes. */
export async function followSlowness(directory: string): Promise<void> {
  const recent: number[] = [];
  let atStart: number | undefined;
  let most = 1;
  const measure = async () => {
    const measured = await measureSlowness();
    recent.push(measured);
    if (recent.length > remembered) recent.shift();
    atStart ??= measured;
    most = Math.max(most, measured);
    write(directory, { now: Math.max(...recent), atStart, most });
  };
  const schedule = () =>
    setTimeout(() => {
      // Once the run is over its directory is gone.
      measure().then(schedule, () => undefined);
    }, measureEveryMs).unref();
  await measure();
  schedule();
}

/** What `followSlowness` found last. Undefined outside a run, and when the run is over. */
export function readSlowness(directory = process.env.TEST_RUN_DIRECTORY): Slowness | undefined {
  if (directory === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(join(directory, fileName), 'utf8')) as Slowness;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(directory: string, slowness: Slowness): void {
  const path = join(directory, fileName);
  // Nobody reads half a file.
  writeFileSync(`${path}.new`, JSON.stringify(slowness));
  renameSync(`${path}.new`, path);
}

function work(steps: number): number {
  let state = 1;
  for (let step = 0; step < steps; step++) state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
  return state;
}
