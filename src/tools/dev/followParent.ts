// When `npm start` is killed, the API and the worker drain, because their channel closes. Threads have none.
import { isMainThread } from 'node:worker_threads';

const end = () => process.kill(process.pid, 'SIGTERM');
if (isMainThread) {
  if (process.connected) process.once('disconnect', end);
  else end();
  process.channel?.unref();
}
