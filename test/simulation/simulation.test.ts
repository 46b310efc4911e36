import assert from 'node:assert/strict';
import { simulate } from './simulation.ts';

describe('the simulation of attacks on karma', () => {
  const small = { agents: 20, days: 5, seed: 7 };

  it('gives the same figures for the same seed, and a ledger without problems', async () => {
    const first = await simulate({ ...small, brakes: true });
    assert.deepEqual(first.problems, []);
    assert.ok(first.votes > 0);
    assert.deepEqual(await simulate({ ...small, brakes: true }), first);
  });

  it('shows that attackers gain less with brakes', async () => {
    const braked = await simulate({ ...small, brakes: true });
    const free = await simulate({ ...small, brakes: false });
    assert.deepEqual(free.problems, []);
    assert.ok(braked.ratifyCost > free.ratifyCost);
  });
});
