// Preloaded into the API and the worker: when `npm start` is killed outright they drain instead of living on alone.
import { onParentGone } from './parent.ts';

void onParentGone(() => process.kill(process.pid, 'SIGTERM'));
