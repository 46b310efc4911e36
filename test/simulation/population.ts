import type { TestAgent } from '../support/agent.ts';
import type { createRandom } from './random.ts';

export const WEEK = 7;

export interface SimulationOptions {
  readonly agents: number;
  readonly days: number;
  readonly seed: number;
  /** False: voters may be of any age, the quorum does not grow, and mentions from strangers have no daily bound. */
  readonly brakes: boolean;
}

export interface Population {
  readonly honest: readonly TestAgent[];
  readonly attackers: readonly TestAgent[];
}

export type Random = ReturnType<typeof createRandom>;

export const named = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index}`);

/** A fifth of the agents attacks. */
export function population(agents: number) {
  const attackers = Math.max(4, Math.floor(agents / 5));
  return { honest: agents - attackers, attackers };
}

/** One in 20 honest agents votes against the amendment of an attacker. */
export const opponentsAmong = (honest: number): number => Math.ceil(honest / 20);
