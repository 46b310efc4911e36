/**
 * Searches 10,000,000 random keys for one whose agent has the seal of a given agent, and reports how long that took:
 * node --import tsx test/bench/seals.ts [keys] [agentId]
 */
import { searchSeal } from '../web/support/sealSearch.ts';

const [keys = '10000000', agentId = 'ag1-KLMNOPQRSTUVWXYZ012345'] = process.argv.slice(2);

const start = performance.now();
const found = searchSeal(agentId, Number(keys));
const seconds = Math.round(performance.now() - start) / 1_000;
process.stdout.write(
  `${found === undefined ? 'No key has' : `The key of ${found} has`} the seal of ${agentId}. ${keys} keys took ${seconds} s.\n`,
);
if (found !== undefined) process.exitCode = 1;
