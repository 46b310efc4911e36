import assert from 'node:assert/strict';
import type { AgentCard } from '../../src/features/agents/schemas.ts';
import type { Challenge, DeclarationInput, PreviewInput, StakeReceipt } from '../../src/features/challenges/schemas.ts';
import type { Community } from '../../src/features/communities/schemas.ts';
import type { FeedbackStats, FiledFeedback, NewReview } from '../../src/features/feedback/schemas.ts';
import type { Attachment, CheckRequest, ComparedCheck } from '../../src/features/findings/schemas.ts';
import type { GovernanceEvent } from '../../src/features/governance/moderation/schemas.ts';
import type { Acknowledgement, InboxFilter, InboxPage } from '../../src/features/inbox/schemas.ts';
import type { KarmaEvent, OwnKarma } from '../../src/features/karma/schemas.ts';
import type { GrantReceipt, LedgerInput, MeterConfiguration, ProbeReceipt } from '../../src/features/meter/schemas.ts';
import type { Briefing, Digest, Dossier, Pulse } from '../../src/features/overview/schemas.ts';
import type { Post } from '../../src/features/posts/schemas.ts';
import type { QuestionReceipt, Settlement, UnansweredQuestion } from '../../src/features/questions/schemas.ts';
import type { NewReply, Thread } from '../../src/features/replies/schemas.ts';
import type { SearchInput, SearchResult } from '../../src/features/search/schemas.ts';
import type { VoteReceipt } from '../../src/features/votes/schemas.ts';
import { jsonSchema } from '../../src/operation/jsonSchema.ts';
import { type Page, page } from '../../src/operation/paging.ts';
import { closed, Joi, links, natural, optional, validate } from '../../src/operation/schemas.ts';
import {
  anyJson,
  either,
  extend,
  listOf,
  nullable,
  object,
  omittable,
  oneOf,
  only,
  recordOf,
  type Static,
} from '../../src/operation/shape.ts';

/** Fails to compile unless both are the same type; `any` is the same as nothing else. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_Statement extends true>(): void => {};

/** True where a type or anything within it is `any`. */
type HasAny<T> = 0 extends 1 & T
  ? true
  : T extends readonly (infer Item)[]
    ? HasAny<Item>
    : T extends object
      ? true extends { [Name in keyof T]: HasAny<T[Name]> }[keyof T]
        ? true
        : false
      : false;

const VOTE = oneOf('up', 'down');
const THING = object({
  name: Joi.string(),
  count: natural().min(1),
  vote: nullable(VOTE),
  parts: omittable(listOf(object({ weight: Joi.number() })).max(2)),
  body: either(Joi.string(), object({ sealed: Joi.boolean() })),
  links: links('self'),
});
type Thing = Static<typeof THING>;

interface ThingByHand {
  name: string;
  count: number;
  vote: 'up' | 'down' | null;
  parts?: { weight: number }[];
  body: string | { sealed: boolean };
  links: { self: string };
}

const INPUT = object({
  id: Joi.string(),
  answer: anyJson(),
  note: optional(Joi.string().max(5)),
  result: omittable(anyJson()),
  mode: oneOf('short', 'long').default('short').optional(),
  sure: only(true),
  sums: recordOf(/^[a-z]$/, object({ sum: Joi.number() })),
});
const WIDER = extend(INPUT, { id: omittable(natural()), last: nullable(THING) });

interface InputByHand {
  id: string;
  answer: unknown;
  note?: string;
  result?: unknown;
  mode: 'short' | 'long';
  sure: true;
  sums: Record<string, { sum: number }>;
}
type WiderByHand = Omit<InputByHand, 'id'> & { id?: number; last: ThingByHand | null };

const pageByHand = (item: typeof THING) => ({
  items: Joi.array().items(item),
  nextCursor: Joi.string().optional(),
});

/** A description without what it tells readers. */
const silent = (told: object): unknown =>
  JSON.parse(JSON.stringify(told), (name, value) => (name === 'description' ? undefined : value));

describe('shapes', () => {
  it('are the types that would be written by hand', () => {
    holds<Same<Thing['vote'], 'up' | 'down' | null>>();
    holds<Same<Static<typeof VOTE>, 'up' | 'down'>>();
    holds<Thing extends ThingByHand ? true : false>();
    holds<ThingByHand extends Thing ? true : false>();
    holds<Same<HasAny<Thing>, false>>();
    // @ts-expect-error what may be null has to be there all the same
    const without: Thing = { name: 'n', count: 1, body: 'b', links: { self: '/' } };
    assert.notEqual(validate(THING, without).error, undefined);
    const whole: Thing = { ...without, vote: null };
    assert.equal(validate(THING, whole).error, undefined);
  });

  it('distinguish an absent value from any value', () => {
    type Input = Static<typeof INPUT>;
    type Wider = Static<typeof WIDER>;
    holds<Input extends InputByHand ? true : false>();
    holds<InputByHand extends Input ? true : false>();
    holds<Wider extends WiderByHand ? true : false>();
    holds<WiderByHand extends Wider ? true : false>();
    holds<Same<Page<Thing>, Static<ReturnType<typeof page<typeof THING>>>>>();
    // @ts-expect-error any value has to be there all the same
    const without: Input = { id: 'i', mode: 'long', sure: true, sums: { a: { sum: 1 } } };
    assert.notEqual(validate(INPUT, without).error, undefined);
    const whole: Input = { ...without, answer: null };
    assert.equal(validate(INPUT, whole).error, undefined);
    assert.deepEqual(validate(INPUT, { ...whole, note: null }).value, whole);
    assert.notEqual(validate(INPUT, { ...whole, sure: false }).error, undefined);
    assert.notEqual(validate(INPUT, { ...whole, sums: { A: { sum: 1 } } }).error, undefined);
    const { id: _replaced, ...rest } = whole;
    const wider: Wider = { ...rest, last: null };
    assert.equal(validate(WIDER, wider).error, undefined);
    assert.equal(validate(WIDER, { ...wider, id: 3 }).error, undefined);
    assert.notEqual(validate(WIDER, rest).error, undefined);
  });

  it('are complete for every feature', () => {
    holds<Same<HasAny<[AgentCard, Community, Post, NewReply, Thread, VoteReceipt, KarmaEvent, OwnKarma]>, false>>();
    holds<Same<HasAny<[QuestionReceipt, Settlement, UnansweredQuestion, SearchInput, SearchResult]>, false>>();
    holds<Same<HasAny<[Challenge, DeclarationInput, PreviewInput, StakeReceipt]>, false>>();
    holds<Same<HasAny<[Attachment, CheckRequest, ComparedCheck, FeedbackStats, FiledFeedback, NewReview]>, false>>();
    holds<Same<HasAny<[Acknowledgement, InboxFilter, InboxPage, GovernanceEvent]>, false>>();
    holds<Same<HasAny<[GrantReceipt, LedgerInput, MeterConfiguration, ProbeReceipt]>, false>>();
    holds<Same<HasAny<[Briefing, Digest, Dossier, Pulse]>, false>>();
    holds<Same<HasAny<[Post, { hole: ReturnType<typeof JSON.parse> }]>, boolean>>();
    holds<Same<Post['question'] extends { bountyStake: infer Stake } | null ? Stake : never, number | null>>();
    holds<
      Same<
        Community['members'],
        { agentId: string; handle: string; encryptionPublicKey: string; ownerEncryptionPublicKey: string }[] | undefined
      >
    >();
  });

  it('have no type if no schema defines it', () => {
    holds<Same<Static<ReturnType<typeof Joi.array>>, never>>();
    holds<Same<Static<ReturnType<typeof Joi.any>>, never>>();
  });

  it('are the Joi schemas of before', () => {
    const byHand = closed<ThingByHand>({
      name: Joi.string(),
      count: natural().min(1),
      vote: Joi.string().valid('up', 'down').allow(null),
      parts: Joi.array()
        .items(closed<{ weight: number }>({ weight: Joi.number() }))
        .max(2)
        .optional(),
      body: Joi.alternatives(Joi.string(), closed<{ sealed: boolean }>({ sealed: Joi.boolean() })),
      links: links('self'),
    });
    assert.deepEqual(jsonSchema(THING), jsonSchema(byHand));
    assert.deepEqual(THING.describe(), byHand.describe());
    assert.deepEqual(silent(page(THING).describe()), silent(closed<Page<Thing>>(pageByHand(byHand)).describe()));
    assert.deepEqual(
      WIDER.describe(),
      INPUT.append({ id: natural().optional(), last: byHand.allow(null).required() }).describe(),
    );
  });
});
