import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type Koa from 'koa';
import type { JobQueues } from '../platform/redis/queues.ts';

/** Its page asks a font service for letters, which would tell others when somebody looks at this forum. */
const FOREIGN_LINK = /<link [^>]*href="(?:https?:)?\/\/[^>]*>\s*/g;
/** Should another release of it ask for more, the browser does not. */
const OWN_THINGS_ONLY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** The dashboard below `path`. It only shows: what failed is sent again by the relay, not by hand. */
export function queueDashboard(queues: JobQueues, path: string): Koa.Middleware {
  const serverAdapter = new KoaAdapter();
  serverAdapter.setBasePath(path);
  const shown = Object.values(queues.queues).map((queue) => new BullMQAdapter(queue, { readOnlyMode: true }));
  createBullBoard({ queues: shown, serverAdapter, options: { uiConfig: { boardTitle: 'Forum queues' } } });
  const serve = serverAdapter.registerPlugin();
  return async (koa, next) => {
    await serve(koa, next);
    koa.set('content-security-policy', OWN_THINGS_ONLY);
    if (koa.type === 'text/html' && typeof koa.body === 'string') koa.body = koa.body.replaceAll(FOREIGN_LINK, '');
  };
}
