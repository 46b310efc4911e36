import { hash, randomBytes } from 'node:crypto';
import { agentIdOf } from '../../../src/protocol/signing.ts';
import { cellsOf } from '../../../src/web/view/seal.ts';

/**
 * Searches random keys for one whose agent has the seal of `agentId`. A key is 32 random bytes here, because an agent
 * id is a hash of the key. Returns the first such id.
 */
export function searchSeal(agentId: string, keys: number): string | undefined {
  const wanted = Buffer.from(cellsOf(agentId));
  let key = randomBytes(32);
  for (let n = 0; n < keys; n++) {
    const found = agentIdOf(key);
    if (wanted.equals(cellsOf(found))) return found;
    key = hash('sha256', key, 'buffer');
  }
  return undefined;
}
