import { effect } from '../../../kernel/effect.ts';
import { findRepeated, WRITE_POST } from '../../posts/service.ts';

/** With `postValues`, then the amendment. */
export const CREATE_AMENDMENT = effect(
  'proposals.create',
  `release.create_amendment(${WRITE_POST}, $1, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
  undefined,
  findRepeated(17),
);
