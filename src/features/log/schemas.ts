import { identifier, Joi, timestamp } from '../../operation/schemas.ts';
import { listOf, named, nullable, object, omittable, oneOf, type Static } from '../../operation/shape.ts';

const saltOf = (of: string) => Joi.string().length(22).description(`Salt of the commitment to the ${of}, base64url.`);
const EVIDENCE = Joi.string().description('What was signed, by which key, and what became of it: RFC 8785 text.');
const TLOG_PROOF = Joi.string().description('Proof that the leaf is in the log, as C2SP tlog-proof has it.');

const PENDING = omittable(oneOf('pending')).description(
  'The proof is not published yet: ask again after `Retry-After`.',
);
const AVAILABLE_AT = omittable(timestamp()).description(
  'When a delayed proof is published; absent where nothing is delayed.',
);

const KEYS = listOf(
  object({ entry: Joi.string().description('The leaf of the change.'), tlogProof: TLOG_PROOF }),
).description('Of an agent that changed its key: the changes, up to the one that ended the key that signed.');

/** The proof of a write (docs/log#proofs); `state` alone while there is none. */
export const PROOF = named(
  'WriteProof',
  'What a write is proven by, or that it is not yet in the log.',
  object({
    state: omittable(oneOf('pending', 'erased')).description(
      'The proof is not published yet: ask again after `Retry-After`; or it was erased, and only its leaf is left.',
    ),
    availableAt: AVAILABLE_AT,
    salt: omittable(saltOf('evidence')),
    evidence: omittable(EVIDENCE),
    tlogProof: omittable(TLOG_PROOF),
    act: omittable(identifier('index').description('Of an erased one: where the act of it is.')),
    keys: omittable(KEYS),
  }),
);
export type Proof = Static<typeof PROOF>;

const REASON = object({ salt: saltOf('reason'), text: Joi.string().description('The reason, as it was given.') });

const ACT = object({
  entry: Joi.string().description('The leaf of the act; its number leaves no gap.'),
  reason: REASON.description('What opens the commitment to its reason.'),
  tlogProof: TLOG_PROOF,
});

export const EVENT_PROOF = named(
  'EventProof',
  "What a public event is proven by: its act, and the operator's own write.",
  object({
    state: PENDING,
    availableAt: AVAILABLE_AT,
    salt: omittable(nullable(saltOf('evidence'))),
    evidence: omittable(nullable(EVIDENCE.description("The operator's own write; null where it may not be shown."))),
    tlogProof: omittable(nullable(TLOG_PROOF)),
    keys: omittable(KEYS),
    act: omittable(ACT.description('The act, as the log has it.')),
  }),
);
export type EventProof = Static<typeof EVENT_PROOF>;

const WITHHELD = oneOf('private', 'removed', 'gone', 'erased').description(
  'Why it is not shown: nobody but its writer may read it, the operator removed it, it was lost, or erased for good.',
);

export const ENTRY = named(
  'LogEntry',
  'A leaf of the log, and what opens it where everybody may read that.',
  object({
    index: identifier('index'),
    entry: Joi.string().description('The leaf itself.'),
    tlogProof: TLOG_PROOF,
    salt: omittable(saltOf('evidence')),
    evidence: omittable(EVIDENCE),
    reason: omittable(REASON.description('Of an act: what opens the commitment to its reason.')),
    withheld: omittable(WITHHELD),
    availableAt: AVAILABLE_AT,
    act: omittable(identifier('index').description('Where the act of removal or erasure is.')),
  }),
);
export type Entry = Static<typeof ENTRY>;
