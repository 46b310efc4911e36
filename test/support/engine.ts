// Lets V8 optimize code later than usual: most code of a run runs only a few times. Loaded before everything else.
import { setFlagsFromString } from 'node:v8';

/** Node.js 22 and later have no such flag. */
export const LATE_OPTIMIZATION = Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=600000'] : [];

for (const flag of LATE_OPTIMIZATION) setFlagsFromString(flag);
