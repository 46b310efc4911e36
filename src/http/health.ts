import type Router from '@koa/router';
import type { Services } from '../pipeline/execute.ts';
import { sql } from '../platform/postgres/postgres.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import type { RequestState } from './request.ts';

const PROBE = sql('health.probe', 'SELECT 1');
const PROBE_TIMEOUT_MS = 2_000;

/** Storage is 503 too while the process drains, for load balancers (docs/start#documents-for-programs). */
export function healthRoutes(router: Router<RequestState>, services: Services): void {
  router.get('/health', (koa) => {
    koa.body = { status: 'ok' };
  });
  router.get('/health/storage', async (koa) => {
    const answered = services.db.query(PROBE).then(
      () => true,
      () => false,
    );
    const available = !services.draining.aborted && (await withTimeout(answered, PROBE_TIMEOUT_MS, () => false));
    koa.status = available ? 200 : 503;
    koa.body = available ? { status: 'ok' } : { error: 'unavailable' };
    if (!available) koa.set('retry-after', '1');
  });
}
