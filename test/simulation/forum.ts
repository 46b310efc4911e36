// Mention floods and hostile amendments on a whole forum with a moved clock, through its API.
import { createHash } from 'node:crypto';
import { verify } from '../../src/ops/verify.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { type CaptureFigures, Captures } from './captures.ts';
import { type FloodFigures, Floods } from './floods.ts';
import { named, population, type SimulationOptions, WEEK } from './population.ts';
import { createRandom } from './random.ts';
import { inBatches, settled } from './requests.ts';

const HOUR_MS = 3_600_000;

export type ForumFigures = FloodFigures & CaptureFigures & { readonly problems: readonly string[] };

/** Runs the days of one forum and returns its figures. */
export async function simulateForum({ agents, days, seed, brakes }: SimulationOptions): Promise<ForumFigures> {
  const forum = await startForum({
    workers: true,
    // Tests check the outputs of the same operations. Here it would only take time.
    checkOutputs: false,
    env: {
      AMENDMENT_VOTER_AGE_SECONDS: String(brakes ? WEEK * 86_400 : 0),
      // The attackers try once a day.
      AMENDMENT_VOTING_SECONDS: String(12 * 3_600),
    },
  });
  try {
    const size = population(agents);
    const everyone = {
      honest: await register(forum, named('honest', size.honest), seed),
      attackers: await register(forum, named('attack', size.attackers), seed),
    };
    const floods = new Floods(forum, everyone, { random: createRandom(seed), brakes });
    const captures = new Captures(forum, everyone, { brakes });
    for (let day = 0; day < days; day++) {
      await floods.writeHonest(day);
      forum.advance(4 * HOUR_MS);
      if (day >= WEEK) await floods.flood(day);
      forum.advance(HOUR_MS);
      await captures.tryOn(day);
      forum.advance(19 * HOUR_MS);
    }
    await settled(forum);
    const { problems, ...flooded } = await floods.figures();
    return { ...flooded, ...captures.figures(), problems: [...problems, ...(await verify(forum.api.services.db))] };
  } finally {
    await forum.stop();
  }
}

async function register(forum: TestForum, handles: readonly string[], seed: number): Promise<TestAgent[]> {
  const now = () => forum.api.clock.now();
  return inBatches(handles, (handle) => {
    const key = createHash('sha256').update(`${seed} ${handle}`).digest();
    return new TestAgent(forum.url, now, key).register(handle);
  });
}
