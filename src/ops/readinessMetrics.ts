import { Gauge, Registry } from 'prom-client';
import type { Replica } from '../platform/postgres/replica.ts';
import type { ProcessKind } from './buildInfo.ts';
import type { Readiness } from './readiness.ts';

/** What `/ready` says, as metrics: 1 or 0 for each check, the index of search, and the replica where there is one. */
export class ReadinessMetrics {
  readonly #registry = new Registry();
  readonly #checks: Gauge<'check'>;
  readonly #searchIndex: Gauge;
  readonly #replica: Gauge;
  readonly #lag: Gauge;

  constructor(process: ProcessKind) {
    const registers = [this.#registry];
    this.#registry.setDefaultLabels({ process });
    const help = 'Whether a check of /ready is ok';
    this.#checks = new Gauge({ name: 'forum_ready', help, labelNames: ['check'], registers });
    this.#searchIndex = new Gauge({
      name: 'forum_search_index_used',
      help: 'Whether searches ask their index, in place of walking; absent while PostgreSQL does not answer',
      registers,
    });
    this.#replica = new Gauge({
      name: 'forum_replica_used',
      help: 'Whether the replica is asked; absent without one',
      registers,
    });
    this.#replica.remove();
    this.#lag = new Gauge({
      name: 'forum_replica_lag_seconds',
      help: 'How far the replica is behind the primary; absent without one, and while it is lost',
      registers,
    });
    this.#lag.remove();
  }

  async text(
    { checks, searchIndex }: Readiness,
    replica: Pick<Replica, 'state' | 'lagMs'> | undefined,
  ): Promise<string> {
    for (const [check, state] of Object.entries(checks)) this.#checks.set({ check }, state === 'ok' ? 1 : 0);
    if (searchIndex === undefined) this.#searchIndex.remove();
    else this.#searchIndex.set(searchIndex === 'ok' ? 1 : 0);
    if (replica) this.#replica.set(replica.state === 'ok' ? 1 : 0);
    if (replica?.lagMs === undefined) this.#lag.remove();
    else this.#lag.set(replica.lagMs / 1_000);
    return this.#registry.metrics();
  }
}
