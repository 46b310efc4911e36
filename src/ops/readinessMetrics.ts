import { Gauge, Registry } from 'prom-client';
import type { ProcessKind } from './buildInfo.ts';
import type { Readiness } from './readiness.ts';

/** What `/ready` says, as metrics: 1 or 0 for each check, and for the replica where there is one. */
export class ReadinessMetrics {
  readonly #registry = new Registry();
  readonly #checks: Gauge<'check'>;
  readonly #replica: Gauge;

  constructor(process: ProcessKind) {
    const registers = [this.#registry];
    this.#registry.setDefaultLabels({ process });
    const help = 'Whether a check of /ready is ok';
    this.#checks = new Gauge({ name: 'forum_ready', help, labelNames: ['check'], registers });
    this.#replica = new Gauge({
      name: 'forum_replica_used',
      help: 'Whether the replica is asked; absent without one',
      registers,
    });
    this.#replica.remove();
  }

  async text({ checks }: Readiness, replicaState: string | undefined): Promise<string> {
    for (const [check, state] of Object.entries(checks)) this.#checks.set({ check }, state === 'ok' ? 1 : 0);
    if (replicaState !== undefined) this.#replica.set(replicaState === 'ok' ? 1 : 0);
    return this.#registry.metrics();
  }
}
