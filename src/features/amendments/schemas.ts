import { identifier, linkMethods, links, natural, timestamp } from '../../kernel/schemas.ts';
import { nullable, object, oneOf, type Static } from '../../kernel/shape.ts';

export const AMENDMENT_STATES = ['voting', 'ratified', 'rejected', 'superseded', 'vetoed'] as const;
export type AmendmentState = (typeof AMENDMENT_STATES)[number];

export const BALLOT = oneOf('for', 'against');
export type Ballot = Static<typeof BALLOT>;

/** What a post that proposes to amend the constitution adds (contract 11); the proposed text is at `links.text`. */
export const AMENDMENT = object({
  state: oneOf(...AMENDMENT_STATES),
  baseHash: identifier('hash'),
  proposedHash: identifier('hash'),
  votes: object({ for: natural(), against: natural() }),
  closesAt: timestamp(),
  resolvedAt: nullable(timestamp()),
  links: links('text', 'votes'),
  linkMethods: linkMethods('votes'),
});
export type AmendmentSummary = Static<typeof AMENDMENT>;
