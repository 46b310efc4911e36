import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfPresent } from '../../src/tools/dev/files.ts';
import { isRunning, stopProcess } from '../../src/tools/dev/processes.ts';
import { removeSubstitute } from '../../src/tools/dev/services.ts';

/** Stops the servers of a directory whose starter has died, and removes the data that root stores elsewhere for it. */
export async function stopAbandonedServices(directory: string): Promise<void> {
  for (const [name, stopSignal] of [['postgresql', 'SIGINT'] as const, ['redis', 'SIGTERM'] as const]) {
    const path = join(directory, `${name}.pid.json`);
    const text = await readIfPresent(path);
    if (!text?.trim()) continue;
    const { server, starter, directory: place } = JSON.parse(text);
    const { dev, ino } = statSync(directory);
    if (place !== `${dev}:${ino}` || (await isRunning(starter))) continue;
    await stopProcess(server, { stopSignal, killAfterMs: 10_000 });
    await rm(path, { force: true });
  }
  await removeSubstitute(directory);
}
