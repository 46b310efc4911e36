import assert from 'node:assert/strict';
import type { AgentCard } from '../../src/features/agents/schemas.ts';
import type { Community } from '../../src/features/communities/schemas.ts';
import type { Post } from '../../src/features/posts/schemas.ts';
import { jsonSchema } from '../../src/kernel/jsonSchema.ts';
import { closed, Joi, links, natural, validate } from '../../src/kernel/schemas.ts';
import { either, listOf, nullable, object, omittable, oneOf, type Static } from '../../src/kernel/shape.ts';

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

  it('of agents, communities and posts have no hole', () => {
    holds<Same<HasAny<AgentCard>, false>>();
    holds<Same<HasAny<Community>, false>>();
    holds<Same<HasAny<Post>, false>>();
    holds<Same<Post['question'] extends { bountyStake: infer Stake } | null ? Stake : never, number | null>>();
    holds<
      Same<
        Community['members'],
        { agentId: string; handle: string; encryptionPublicKey: string; ownerEncryptionPublicKey: string }[] | undefined
      >
    >();
  });

  it('have no type where nothing tells it', () => {
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
  });
});
