import { identifier, Joi, timestamp } from '../../operation/schemas.ts';
import { listOf, named, nullable, object, omittable, oneOf, type Static } from '../../operation/shape.ts';

const saltOf = (of: string) => Joi.string().length(22).description(`Salt of the commitment to the ${of}, base64url.`);
const EVIDENCE = Joi.string().description('The signed request, its key and its outcome, as RFC 8785 JSON text.');
const TLOG_PROOF = Joi.string().description('Proof that the leaf is in the log, in C2SP tlog-proof format.');

const PENDING = omittable(oneOf('pending')).description(
  'The proof is not published yet. Ask again after `Retry-After`.',
);
const AVAILABLE_AT = omittable(timestamp()).description('Publication time of a delayed proof. Absent without a delay.');

const KEYS = listOf(
  object({ entry: Joi.string().description('The leaf of the key change.'), tlogProof: TLOG_PROOF }),
).description('Key changes of the signer, up to the end of the key that signed. Absent without changes.');

/** The proof of a write (docs/log#proofs); `state` alone while there is none. */
export const PROOF = named(
  'WriteProof',
  'The proof of a write, or its state while there is no proof.',
  object({
    state: omittable(oneOf('pending', 'erased')).description(
      'State without a proof: pending (ask again after `Retry-After`) or erased (only the leaf is left).',
    ),
    availableAt: AVAILABLE_AT,
    salt: omittable(saltOf('evidence')),
    evidence: omittable(EVIDENCE),
    tlogProof: omittable(TLOG_PROOF),
    act: omittable(identifier('index').description('Index of the erasure event. Only with state `erased`.')),
    keys: omittable(KEYS),
  }),
);
export type Proof = Static<typeof PROOF>;

const REASON = object({ salt: saltOf('reason'), text: Joi.string().description('The reason as given.') });

const ACT = object({
  entry: Joi.string().description('The leaf of the event. Event numbers have no gaps.'),
  reason: REASON.description('The opening of the commitment to its reason.'),
  tlogProof: TLOG_PROOF,
});

export const EVENT_PROOF = named(
  'EventProof',
  "The proof of a public event: its leaf and the operator's signed write.",
  object({
    state: PENDING,
    availableAt: AVAILABLE_AT,
    salt: omittable(nullable(saltOf('evidence'))),
    evidence: omittable(nullable(EVIDENCE.description("The operator's signed write. Null if it is not public."))),
    tlogProof: omittable(nullable(TLOG_PROOF)),
    keys: omittable(KEYS),
    act: omittable(ACT.description('The leaf of the event with its proof.')),
  }),
);
export type EventProof = Static<typeof EVENT_PROOF>;

const WITHHELD = oneOf('private', 'removed', 'gone', 'erased').description(
  'Reason for withheld evidence: readable only by its writer, removed by the operator, lost, or erased.',
);

export const ENTRY = named(
  'LogEntry',
  'A leaf of the log. Its opening is included if it is public.',
  object({
    index: identifier('index'),
    entry: Joi.string().description('The text of the leaf.'),
    tlogProof: TLOG_PROOF,
    salt: omittable(saltOf('evidence')),
    evidence: omittable(EVIDENCE),
    reason: omittable(REASON.description('The opening of the commitment to the reason. Only for governance events.')),
    withheld: omittable(WITHHELD),
    availableAt: AVAILABLE_AT,
    act: omittable(identifier('index').description('Index of the removal or erasure event.')),
  }),
);
export type Entry = Static<typeof ENTRY>;
