// Preloaded into the API and the worker, which drain when `npm start` is killed: then their channel to it closes, maybe before this
// is loaded. Threads load this too, but have no channel.
import { isMainThread } from 'node:worker_threads';

const end = () => process.kill(process.pid, 'SIGTERM');
if (isMainThread) {
  if (process.connected) process.once('disconnect', end);
  else end();
  process.channel?.unref();
}
