import type { Scenario } from '../scenario.ts';
import { postCreate } from './postCreate.ts';
import { postRead } from './postRead.ts';

/** All scenarios, in the order they run. */
export const SCENARIOS: readonly Scenario[] = [postCreate, postRead];
