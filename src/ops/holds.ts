import { OPEN_CHALLENGE_HOLDS, OPEN_STAKE_HOLDS } from '../features/challenges/store.ts';
import type { HoldSource } from '../features/karma/verify.ts';
import { OPEN_BOUNTY_HOLDS } from '../features/questions/store.ts';

/** Everything that holds karma in escrow. A feature that takes holds has its line here, or they do not verify. */
export const HOLD_SOURCES: readonly HoldSource[] = [
  { type: 'bounty_escrow', openHolds: OPEN_BOUNTY_HOLDS },
  { type: 'challenge_escrow', openHolds: OPEN_CHALLENGE_HOLDS },
  { type: 'stake_escrow', openHolds: OPEN_STAKE_HOLDS },
];
