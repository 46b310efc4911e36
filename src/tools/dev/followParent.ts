// Preloaded into the API and the worker: when `npm start` is killed outright they drain instead of living on alone. Their channel
// to it closes then, maybe before this is loaded; it keeps none of them alive. Their threads load this too, and have no channel.
import { isMainThread } from 'node:worker_threads';

const end = () => process.kill(process.pid, 'SIGTERM');
if (isMainThread) {
  if (process.connected) process.once('disconnect', end);
  else end();
  process.channel?.unref();
}
