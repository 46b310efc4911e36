import { hash } from 'node:crypto';
import type { ReadOperation } from '../operation/operation.ts';

/**
 * The weak `ETag` of an answer (docs/reading#asking-again): of its text, without what the operation does not count as
 * lasting. So it is the same in every process, and answers that differ never share one, whoever asked.
 */
export const tagOf = ({ lasting }: ReadOperation, body: object, text: string): string =>
  `W/"${hash('sha256', lasting ? JSON.stringify(lasting(body)) : text, 'base64url').slice(0, 22)}"`;
