import { hashOf } from './canonicalJson.ts';

/** What the hash of a challenge's declaration covers beside the six inputs (docs/challenges#the-hash-of-a-declaration). */
export const DECLARATION_FORMAT = 'svc-challenge-declaration-v1';

/** `declarationHash` of the six inputs, their times in UTC with milliseconds. */
export const hashOfDeclared = (declared: object): string => hashOf({ format: DECLARATION_FORMAT, ...declared });
