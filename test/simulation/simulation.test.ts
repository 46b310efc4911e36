import assert from 'node:assert/strict';
import { type SimulationFigures, simulate } from './simulation.ts';

describe('the simulation of attacks', function () {
  this.timeout(120_000);
  const small = { agents: 30, days: 14, seed: 7 };
  const smaller = { agents: 10, days: 3, seed: 8, brakes: true };
  let braked: SimulationFigures;

  before(async () => {
    braked = await simulate({ ...small, brakes: true });
  });

  it('gives the same figures for the same seed, and `npm run verify` finds no problem', async () => {
    assert.deepEqual(braked.problems, []);
    assert.ok(braked.votes > 0);
    const [one, other] = [await simulate(smaller), await simulate(smaller)];
    assert.ok(one.votes > 0);
    assert.deepEqual(one, other);
  });

  it('shows that attacks achieve less with brakes', async () => {
    const free = await simulate({ ...small, brakes: false });
    assert.deepEqual(free.problems, []);
    assert.deepEqual([braked.floodReachedMost, free.floodReachedMost], [20, free.floodSent]);
    assert.ok(braked.ratifyCost! > free.ratifyCost!);
    assert.ok(braked.unopposedRatifyCost! > free.unopposedRatifyCost!);
  });
});
