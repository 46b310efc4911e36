import { Registry } from 'prom-client';
import type { Replica } from '../platform/postgres/replica.ts';
import { gauge } from './gauge.ts';
import type { ProcessKind } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/**
 * The state of `/ready` as metrics: 1 or 0 for each check, for the search index, and for the replica if there is one.
 */
export class ReadinessMetrics {
  readonly #registry = new Registry();
  readonly #checks = gauge(this.#registry, 'forum_ready', '1 if this check of /ready is ok, else 0', ['check']);
  readonly #searchIndex = gauge(
    this.#registry,
    'forum_search_index_used',
    '1 if searches use the search index, 0 if they scan the posts; absent while PostgreSQL is unavailable',
  );
  readonly #replica = gauge(
    this.#registry,
    'forum_replica_used',
    '1 if reads use the replica, else 0; absent without a replica',
  );
  readonly #lag = gauge(
    this.#registry,
    'forum_replica_lag_seconds',
    'Lag of the replica; absent without a replica, and while it is unreachable',
  );

  constructor(process: ProcessKind) {
    this.#registry.setDefaultLabels({ process });
    this.#replica.remove();
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
