import { Child } from './child.ts';
import type { Run } from './children/answering.ts';
import type { LoadOrder } from './children/load.ts';
import type { LoopOrder } from './children/sqlLoop.ts';
import type { HttpVariant, LoopVariant, Scenario, Target, Variant } from './scenario.ts';
import { CONCURRENCY, type Stage } from './stage.ts';

export const ROUNDS = 7;
const SECONDS_A_RUN = 0.5;
/** A short run estimates the rate. A longer one lets V8 compile hot code, which takes some thousand calls. */
const FIRST_CALLS = 500;
const WARM_UP_SECONDS = 1.5;
const WARM_UP_CALLS = 6_000;
const MOST_WARM_UP_SECONDS = 6;
const MAX_CALLS = 20_000;
/** The number of different requests where they may be repeated. */
const REPEATED_CALLS = 2_000;

/** One run of one variant. */
interface Sample {
  /** Calls per second. */
  readonly rate: number;
  /** CPU of the measured process in microseconds per call. */
  readonly cpu: number;
  readonly median: number;
  readonly percentile99: number;
}

/** A variant's figures: medians over the rounds. */
export interface VariantResult {
  readonly name: string;
  readonly title: string;
  readonly callsPerSecond: number;
  readonly cpuMicrosecondsPerCall: number;
  readonly medianMs: number;
  readonly percentile99Ms: number;
}

export interface TargetResult {
  readonly title: string;
  /** Median over the rounds of the ratio within each round. */
  readonly ratio: number;
  readonly bound: string;
  readonly met: boolean;
}

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly variants: readonly VariantResult[];
  readonly targets: readonly TargetResult[];
}

interface Subject {
  readonly variant: Variant;
  /** Prepares that many calls, makes them, and returns the measurements. */
  run(calls: number): Promise<Sample>;
  stop(): Promise<void>;
}

/** Measures a scenario's variants alternately, every second round in reverse order. */
export async function measure(scenario: Scenario, stage: Stage): Promise<ScenarioResult> {
  const variants = await scenario.prepare(stage);
  const subjects: Subject[] = [];
  // One loop for all variants, as a server with its defaults has a hundred connections.
  const loop = variants.some(({ kind }) => kind === 'loop') ? await startLoop(stage) : undefined;
  try {
    for (const variant of variants) {
      subjects.push(variant.kind === 'http' ? await httpSubject(variant, stage) : loopSubject(variant, loop!));
    }
    const samples = await sampled(subjects);
    return {
      name: scenario.name,
      title: scenario.title,
      variants: variants.map((variant) => summarised(variant, samples.get(variant.name)!)),
      targets: scenario.targets.map((target) => judged(target, samples)),
    };
  } finally {
    for (const each of subjects) await each.stop();
    await loop?.stop();
  }
}

async function sampled(subjects: readonly Subject[]): Promise<Map<string, Sample[]>> {
  const calls = new Map<Subject, number>();
  for (const each of subjects) {
    const mostCalls = each.variant.kind === 'http' ? (each.variant.mostCalls ?? MAX_CALLS) : MAX_CALLS;
    let { rate } = await each.run(Math.min(FIRST_CALLS, mostCalls));
    // By the current rate, because the first calls fill caches and are slow.
    for (let done = 0; done < warmUpCalls(rate); ) {
      const count = Math.min(warmUpCalls(rate) - done, mostCalls);
      ({ rate } = await each.run(count));
      done += count;
    }
    calls.set(each, Math.min(mostCalls, Math.ceil(rate * SECONDS_A_RUN)));
  }
  const samples = new Map<string, Sample[]>(subjects.map(({ variant }) => [variant.name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const each of order) samples.get(each.variant.name)!.push(await each.run(calls.get(each)!));
  }
  return samples;
}

function warmUpCalls(rate: number): number {
  const least = Math.min(WARM_UP_CALLS, rate * MOST_WARM_UP_SECONDS);
  return Math.min(MAX_CALLS, Math.ceil(Math.max(rate * WARM_UP_SECONDS, least)));
}

async function httpSubject(variant: HttpVariant, stage: Stage): Promise<Subject> {
  const server = await startServer(variant.server, stage);
  return {
    variant,
    run: async (count) => {
      const times = variant.repeatable ? Math.ceil(count / REPEATED_CALLS) : 1;
      const calls = await variant.calls(Math.ceil(count / times));
      const order: LoadOrder = { url: server.url!, calls, times, concurrency: CONCURRENCY, status: variant.status };
      await stage.load.ask('prepare', order);
      return watched(server, () => stage.load.ask<Run>('run'));
    },
    stop: async () => {
      if (server !== stage.api) await server.stop();
    },
  };
}

async function startServer(server: HttpVariant['server'], stage: Stage): Promise<Child> {
  if (server === 'api') return stage.api;
  if (server === 'nothing') return Child.start('children/nothingServer.ts');
  if ('settings' in server) return stage.startApi(server.settings);
  const { statements, answer } = server;
  const env = {
    DATABASE_URL: stage.database.url,
    BENCH_STATEMENTS: JSON.stringify(statements),
    ...(answer ? { BENCH_ANSWER: JSON.stringify(answer) } : {}),
  };
  return Child.start('children/queryServer.ts', { env });
}

function startLoop(stage: Stage): Promise<Child> {
  const env = { DATABASE_URL: stage.database.url, BENCH_CONCURRENCY: String(CONCURRENCY) };
  return Child.start('children/sqlLoop.ts', { env });
}

function loopSubject(variant: LoopVariant, loop: Child): Subject {
  const { signature } = variant;
  // Without the batch form, which is a function and cannot be sent.
  const { name, text } = variant.statement;
  return {
    variant,
    run: async (count) => {
      const order: LoopOrder = { statement: { name, text }, signature, values: await variant.values(count) };
      await loop.ask('prepare', order);
      return watched(loop, () => loop.ask<Run>('run'));
    },
    stop: async () => {},
  };
}

async function watched(child: Child, run: () => Promise<Run>): Promise<Sample> {
  const before = await child.cpuMicroseconds();
  const { calls, seconds, median, percentile99 } = await run();
  const used = (await child.cpuMicroseconds()) - before;
  return { rate: calls / seconds, cpu: used / calls, median, percentile99 };
}

function summarised({ name, title }: Variant, samples: readonly Sample[]): VariantResult {
  return {
    name,
    title,
    callsPerSecond: Math.round(medianOf(samples.map(({ rate }) => rate))),
    cpuMicrosecondsPerCall: rounded(medianOf(samples.map(({ cpu }) => cpu)), 1),
    medianMs: rounded(medianOf(samples.map(({ median }) => median)), 2),
    percentile99Ms: rounded(medianOf(samples.map(({ percentile99 }) => percentile99)), 2),
  };
}

function judged(target: Target, samples: ReadonlyMap<string, readonly Sample[]>): TargetResult {
  const { title, quantity, of, against, atMost = Number.POSITIVE_INFINITY, atLeast = 0 } = target;
  const floors = samples.get(against)!;
  const ratio = medianOf(samples.get(of)!.map((sample, round) => sample[quantity] / floors[round]![quantity]));
  return {
    title,
    ratio: rounded(ratio, 2),
    bound: boundOf(target),
    met: ratio <= atMost && ratio >= atLeast,
  };
}

function boundOf({ atMost, atLeast }: Target): string {
  if (atMost !== undefined) return `at most ${atMost}`;
  return atLeast === undefined ? 'for comparison' : `at least ${atLeast}`;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
