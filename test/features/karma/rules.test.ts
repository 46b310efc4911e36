import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  categoryOf,
  decay,
  decayTable,
  HOLD_TYPES,
  type KarmaAccount,
  kindOf,
  MOVE_TYPES,
  POST_TYPES,
  RELEASE_TYPES,
  releaseParts,
  roll,
  splitHold,
  toKarma,
  toMicro,
} from '../../../src/protocol/karmaFormat.ts';
import { castVote, mayMove, reverseVote, settleStakes } from './modelRules.ts';
import { vectors } from './support.ts';

const ninety = decayTable(90);
const alphabetical = (a: string, b: string) => a.localeCompare(b);

describe('karma rules: decay', () => {
  const given = vectors<{
    table: string[];
    cases: { micro: string; days: number; result: string }[];
  }>('karma-decay.json');

  it('has the table of the vectors', () => {
    assert.deepEqual(ninety.factors.map(String), given.table);
    assert.equal(
      createHash('sha256').update(ninety.factors.join('\n')).digest('base64url'),
      'r847sOYAh_Krjzeoz5EvFG2601w5CnQxkpH49qGSKro',
    );
  });

  it('leaves of an amount what every case of the vectors says', () => {
    for (const { micro, days, result } of given.cases) {
      assert.equal(decay(BigInt(micro), days, ninety), BigInt(result), `${micro} after ${days} days`);
    }
    assert.ok(given.cases.length > 50);
  });

  it('has the greatest factor whose power stays within the bound, for every half-life', () => {
    for (const halfLifeDays of [1, 2, 3, 7, 30, 89, 180, 364, 365]) {
      const { factors } = decayTable(halfLifeDays);
      const power = BigInt(halfLifeDays);
      const bound = 10n ** (18n * power);
      assert.equal(factors.length, halfLifeDays);
      for (const [remainder, factor] of factors.entries()) {
        const shift = BigInt(remainder);
        assert.ok((factor ** power) << shift <= bound, `T[${remainder}] of ${halfLifeDays} is too great`);
        assert.ok(((factor + 1n) ** power) << shift > bound, `T[${remainder}] of ${halfLifeDays} is too small`);
      }
    }
  });

  it('refuses a half-life outside 1..365 or with a fraction', () => {
    for (const days of [0, 366, -1, 1.5, Number.NaN]) assert.throws(() => decayTable(days), RangeError);
  });

  it('never grows, is exact over whole half-lives, and does not count backwards', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(amount, fc.nat(4000), fc.integer({ min: 1, max: 60 }), (x, days, halvings) => {
        assert.ok(decay(x, days + 1, ninety) <= decay(x, days, ninety));
        assert.equal(decay(x, 90 * halvings, ninety), x >> BigInt(halvings));
        assert.equal(decay(x, -days, ninety), x);
      }),
    );
  });
});

describe('karma rules: accounts and holds', () => {
  const account = fc.record({
    graceDay: fc.integer({ min: 0, max: 20 }),
    grace: fc.bigInt({ min: 0n, max: 40_000_000n }),
    main: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    mainDay: fc.constant(0),
    decayed: fc.constant(0n),
  });

  it('keep every unit in grace, main or decayed while rolling', () => {
    fc.assert(
      fc.property(account, fc.nat(800), (before, day) => {
        const after = roll<KarmaAccount>(before, day, ninety);
        assert.equal(after.grace + after.main + after.decayed, before.grace + before.main);
        assert.equal(after.grace, day > before.graceDay ? 0n : before.grace);
      }),
    );
  });

  it('lose at most three units of rounding by holding and releasing, and gain nothing', () => {
    const share = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(account, share, fc.nat(30), fc.nat(400), (before, permille, holdDay, later) => {
        const held = roll<KarmaAccount>(before, holdDay, ninety);
        const amount = ((held.grace + held.main) * BigInt(permille)) / 1000n;
        const split = splitHold(held, amount)!;
        const rest = { ...held, grace: held.grace - split.fromGrace, main: held.main - split.fromMain };
        const day = holdDay + later;
        const back = releaseParts({ ...split, day: holdDay }, before.graceDay, day, ninety);
        const rolled = roll<KarmaAccount>(rest, day, ninety);
        const never = roll<KarmaAccount>(held, day, ninety);
        const gain = rolled.grace + rolled.main + back.toGrace + back.toMain - never.grace - never.main;
        assert.ok(gain <= 0n && gain >= -3n, `holding changed the balance by ${gain}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('refuse a hold of more than is available', () => {
    const three = { graceDay: 7, grace: 1n, main: 2n, mainDay: 0, decayed: 0n };
    assert.deepEqual(splitHold(three, 3n), { fromGrace: 1n, fromMain: 2n });
    assert.equal(splitHold(three, 4n), null);
  });
});

describe('karma rules: votes', () => {
  const fresh = { moved: 0n, movedDay: 0, remainder: 0n, remainderDay: 0 };

  it('collects what a reversal could not take from the next up-vote', () => {
    const short = reverseVote({ ...fresh, moved: 1_000_000n }, 300_000n, 0, ninety);
    assert.equal(short.amount, -300_000n);
    assert.equal(short.vote.remainder, 700_000n);
    const next = castVote(1, short.vote, 0n, 0, ninety);
    assert.equal(next.amount, 300_000n);
    assert.deepEqual(next.vote, { ...fresh, moved: 1_000_000n });
  });

  it('collects it from the next down-vote, which returns only its own part', () => {
    const owing = { ...fresh, remainder: 700_000n };
    const down = castVote(-1, owing, 5_000_000n, 0, ninety);
    assert.equal(down.amount, -1_700_000n);
    assert.deepEqual(down.vote, { ...fresh, moved: -1_000_000n });
    assert.equal(reverseVote(down.vote, 0n, 0, ninety).amount, 1_000_000n);
    const partly = castVote(-1, owing, 200_000n, 0, ninety);
    assert.deepEqual(partly, { amount: -200_000n, vote: { ...fresh, remainder: 500_000n } });
  });

  it('leaves a remainder alone that it does not touch', () => {
    const owing = { ...fresh, remainder: 700_000n };
    assert.deepEqual(castVote(-1, owing, 0n, 40, ninety), { amount: 0n, vote: owing });
  });

  it('counts the moves of a pair and of a direction within a rolling day', () => {
    const up = (voterId: string, atMs: number) => ({ voterId, type: 'vote_up' as const, atMs });
    const caps = { perPair: 2, perAuthor: 3 };
    const now = 100_000_000;
    assert.equal(mayMove([up('v', now), up('v', now)], up('v', now), caps), false);
    assert.equal(mayMove([up('v', now), up('v', now)], up('w', now), caps), true);
    assert.equal(mayMove([up('a', now), up('b', now), up('c', now)], up('w', now), caps), false);
    assert.equal(
      mayMove([up('a', now), up('b', now), up('c', now)], { ...up('w', now), type: 'vote_down' }, caps),
      true,
    );
    assert.equal(mayMove([up('v', now - 86_400_000), up('v', now)], up('v', now), caps), true);
    assert.equal(mayMove([up('v', now - 86_399_999), up('v', now)], up('v', now), caps), false);
  });
});

describe('karma rules: stakes', () => {
  interface StakeVector {
    stakes: { id: string; outcome: string; micro: string }[];
    outcome: string;
    refund: boolean;
    winnings: Record<string, string>;
    dust: string;
  }
  for (const [index, vector] of vectors<StakeVector[]>('stakes.json').entries()) {
    it(`settles vector ${index}`, () => {
      const stakes = vector.stakes.map(({ id, outcome, micro }) => ({ agentId: id, outcome, amount: BigInt(micro) }));
      const { refund, winnings, dust } = settleStakes(stakes, vector.outcome);
      const written = Object.fromEntries([...winnings].map(([id, amount]) => [id, String(amount)]));
      assert.deepEqual(
        { refund, winnings: written, dust: String(dust) },
        {
          refund: vector.refund,
          winnings: vector.winnings,
          dust: vector.dust,
        },
      );
    });
  }
});

describe('karma rules: types and numbers', () => {
  it('knows the kind and the category of every type', () => {
    const types = [...HOLD_TYPES, ...RELEASE_TYPES, ...POST_TYPES, ...MOVE_TYPES];
    assert.equal(types.length, 17);
    assert.ok(types.every((type) => kindOf(type) !== undefined));
    assert.equal(kindOf('gift'), undefined);
    const earned = types.filter((type) => categoryOf(type) === 'earned').toSorted(alphabetical);
    assert.deepEqual(earned, [
      'bounty_award',
      'challenge_award',
      'stake_payout',
      'vote_down',
      'vote_reversal',
      'vote_up',
    ]);
    const adjustments = types.filter((type) => categoryOf(type) === 'adjustment').toSorted(alphabetical);
    assert.deepEqual(adjustments, ['enforcement_adjustment', 'registration_grant']);
  });

  it('writes and reads amounts exactly, with at most six decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -4n * 10n ** 15n, max: 4n * 10n ** 15n }), (micro) => {
        const number = toKarma(micro);
        assert.equal(toMicro(number), micro);
        const digits = String(micro < 0n ? -micro : micro).padStart(7, '0');
        const decimals = digits.slice(-6).replace(/0+$/, '');
        const sign = micro < 0n ? '-' : '';
        const plain = `${sign}${digits.slice(0, -6)}${decimals && `.${decimals}`}`;
        assert.equal(JSON.parse(plain), number);
      }),
      { numRuns: 5000 },
    );
    assert.throws(() => toKarma(4n * 10n ** 15n + 1n), RangeError);
  });

  it('refuses more than six decimals, and text that is not an amount', () => {
    for (const number of [0.1234567, 1e-7, 12.0000001, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      assert.equal(toMicro(number), null);
    }
    assert.equal(toMicro(0.1), 100_000n);
    assert.equal(toMicro(49.999999), 49_999_999n);
    assert.equal(toMicro(-0), 0n);
  });
});
