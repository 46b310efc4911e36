import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, Counter, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { gauge } from './gauge.ts';

type Figures = MetricObjectWithValues<MetricValue<string>>[];

const ASK = 'forum:figures?';
const ANSWER_WITHIN_MS = 1_000;

/** In a child of the cluster: sends the figures of `registry` to the primary whenever it asks. */
export function answerWithFigures(registry: Registry): void {
  process.on('message', (message) => {
    if (message !== ASK) return;
    void registry.getMetricsAsJSON().then((figures) => process.send?.({ figures }));
  });
}

/**
 * Sums over all API processes. Counters include ended and silent processes; gauges do not (`docs/operations#watching`).
 */
export class ClusterMetrics {
  readonly #known = new Map<number, { figures: Figures; answeredAt: number }>();
  #ended: Promise<Figures> = Promise.resolve([]);
  readonly #registry = new Registry();
  readonly #silent = gauge(
    this.#registry,
    'forum_processes_silent',
    'API processes of the cluster that did not report their metrics at the last request for them',
  );
  readonly #restarts = new Counter({
    name: 'forum_process_restarts_total',
    help: 'API processes of the cluster that ended and were replaced',
    registers: [this.#registry],
  });

  constructor() {
    this.#registry.setDefaultLabels({ process: 'api' });
    cluster.on('message', ({ id }, message: { figures?: Figures }) => {
      if (message.figures) this.#known.set(id, { figures: message.figures, answeredAt: performance.now() });
    });
    cluster.on('exit', (worker) => {
      const last = this.#known.get(worker.id);
      if (!last) return;
      this.#known.delete(worker.id);
      this.#ended = this.#ended.then((ended) => sum([ended, last.figures.filter(isCumulative)]).getMetricsAsJSON());
    });
  }

  countRestart(): void {
    this.#restarts.inc();
  }

  /** Asks every process for its figures; resolves once all have answered, at the latest after a second. */
  async ask(): Promise<void> {
    const askedAt = performance.now();
    const workers = liveWorkers();
    for (const worker of workers) worker.send(ASK, () => undefined);
    while (workers.some(({ id }) => !this.#hasAnsweredSince(id, askedAt))) {
      if (performance.now() - askedAt > ANSWER_WITHIN_MS) return;
      await sleep(5);
    }
  }

  /** Whether the process answered at or after `time`, in milliseconds of `performance.now()`. */
  #hasAnsweredSince(id: number, time: number): boolean {
    return (this.#known.get(id)?.answeredAt ?? -Infinity) >= time;
  }

  /** Milliseconds since the process last answered; 0 for one that was never asked while it was ready. */
  silentMs({ id }: Worker): number {
    const known = this.#known.get(id);
    return known ? performance.now() - known.answeredAt : 0;
  }

  async text(): Promise<string> {
    const askedAt = performance.now();
    await this.ask();
    const ended = this.#ended;
    const running = [...this.#known].map(([id, { figures }]) =>
      this.#hasAnsweredSince(id, askedAt) ? figures : figures.filter(isCumulative),
    );
    this.#silent.set(liveWorkers().filter(({ id }) => !this.#hasAnsweredSince(id, askedAt)).length);
    const figures = sum([...running, await ended]);
    return [await figures.metrics(), await this.#registry.metrics()].join('\n');
  }
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true) as Worker[];
}

/** True for figures that only ever grow within a process. */
function isCumulative({ type }: Figures[number]): boolean {
  return ['counter', 'histogram'].includes(String(type));
}

function sum(figures: readonly Figures[]): Registry {
  return AggregatorRegistry.aggregate([...figures]);
}
