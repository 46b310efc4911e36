import { Gauge, type Registry } from 'prom-client';
import { RELEASE } from '../platform/postgres/release.ts';
import { VERSION } from '../protocol/service.ts';

/** What a process of the service does; it labels everything that the process measures of itself. */
export type ProcessKind = 'api' | 'worker';

/** Labels what a process measures with its kind, and says once which process it is and what runs in it. */
export function identify(registry: Registry, process: ProcessKind, name: string): void {
  registry.setDefaultLabels({ process });
  // The name has the number of the process in it: on every series it would begin them all anew at each start.
  new Gauge({
    name: 'forum_build_info',
    help: 'Always 1: version, schema of the functions, version of Node and name of a process',
    labelNames: ['version', 'release', 'node', 'name'],
    registers: [registry],
  }).set({ version: VERSION, release: RELEASE, node: globalThis.process.version, name }, 1);
}
