import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Compares a value with what is kept in `test/contract/snapshots`, or at `url`. With UPDATE_SNAPSHOTS=1 it is kept
 * instead, so that a change of the interface is seen as a difference in the repository.
 */
export async function assertSnapshot(
  name: string,
  value: unknown,
  url = new URL(`../snapshots/${name}.json`, import.meta.url),
): Promise<void> {
  const path = fileURLToPath(url);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_SNAPSHOTS === '1') await writeFile(path, text);
  const kept = JSON.parse(await readFile(path, 'utf8'));
  assert.deepEqual(JSON.parse(text), kept, `${name} changed: if it was meant to, run with UPDATE_SNAPSHOTS=1`);
}
