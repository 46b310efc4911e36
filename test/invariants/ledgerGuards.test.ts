import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { ensureHalfLife, foldPool, poolBalance, post, release } from '../../src/features/karma/store.ts';
import { verifyLedger } from '../../src/features/karma/verify.ts';
import { adjust, hold, openAccount, settleChallenge } from '../features/karma/ledger.ts';
import { dbOf, ledgerDatabase, onDay, outcomeOf, vote } from '../features/karma/support.ts';
import { createDatabase } from '../support/database.ts';

const DAY = 20_000;
const KARMA = 1_000_000n;
const CAPS = { perPair: 5, perAuthor: 20 };
type Ledger = Awaited<ReturnType<typeof ledgerDatabase>>;

/** A ledger with something of everything; `open` is a hold that nobody resolved. */
async function filled(): Promise<Ledger & { open: bigint }> {
  const ledger = await ledgerDatabase();
  const { db } = ledger;
  for (const agentId of ['a', 'b', 'c']) {
    await openAccount(db, { agentId, grant: 40n * KARMA, eligibleUntil: onDay(DAY + 7) }, onDay(DAY));
  }
  const escrow = (agentId: string, type: 'bounty_escrow' | 'stake_escrow' | 'challenge_escrow', day: number) =>
    hold(db, { agentId, amount: 3n * KARMA, type, reference: 'ref' }, onDay(day));
  await post(db, await escrow('a', 'bounty_escrow', DAY), 'b', 'bounty_award', onDay(DAY + 1));
  await release(db, await escrow('a', 'bounty_escrow', DAY), 'bounty_refund', onDay(DAY + 30));
  await post(db, await escrow('c', 'bounty_escrow', DAY), 'pool', 'bounty_forfeit', onDay(DAY + 1));
  await foldPool(db, 100);
  const awardHold = await escrow('a', 'challenge_escrow', DAY + 31);
  const stakes = [
    { holdSeq: await escrow('b', 'stake_escrow', DAY + 31), won: true },
    { holdSeq: await escrow('c', 'stake_escrow', DAY + 31), won: false },
  ];
  await settleChallenge(db, { reference: 'ref', awardHold, winnerId: 'b', award: KARMA, stakes }, onDay(DAY + 33));
  const change = { voterId: 'b', targetId: 't', authorId: 'a', movesKarma: true };
  await vote(db, { ...change, value: 1 }, CAPS, onDay(DAY + 33));
  await vote(db, { ...change, value: -1 }, CAPS, onDay(DAY + 40));
  await adjust(db, { agentId: 'c', amount: -50n * KARMA, reference: 'gov' }, onDay(DAY + 40));
  return { ...ledger, open: await escrow('b', 'bounty_escrow', DAY + 41) };
}

describe('karma ledger: what the database refuses', () => {
  let ledger: Awaited<ReturnType<typeof filled>>;
  before(async () => {
    ledger = await filled();
  });
  after(() => ledger.drop());

  const refusals: Record<string, [statement: string, sqlState: string]> = {
    'a changed row': ['UPDATE karma_rows SET amount = amount + 1', 'AF500'],
    'a deleted row': ['DELETE FROM karma_rows', 'AF500'],
    'an emptied ledger': ['TRUNCATE karma_rows', 'AF500'],
    'a deleted hold': ['DELETE FROM karma_holds', 'AF500'],
    'a changed hold': ['UPDATE karma_holds SET amount = amount + 1 WHERE resolved_seq IS NULL', 'AF500'],
    'a hold opened again': ['UPDATE karma_holds SET resolved_seq = NULL WHERE resolved_seq IS NOT NULL', 'AF500'],
    'a hold resolved by another row': [
      'UPDATE karma_holds SET resolved_seq = resolved_seq + 1 WHERE resolved_seq IS NOT NULL',
      'AF500',
    ],
    'negative main': [`UPDATE karma_accounts SET main = -1 WHERE agent_id = 'a'`, '23514'],
    'negative grace': [`UPDATE karma_accounts SET grace = -1 WHERE agent_id = 'a'`, '23514'],
    'a second row for one hold': [
      `INSERT INTO karma_rows (type, from_account, to_account, amount, day, hold_seq, at)
       SELECT type, from_account, to_account, amount, day, hold_seq, at FROM karma_rows WHERE type = 'bounty_refund'`,
      '23505',
    ],
    'a payout that the same transaction did not post': [
      `INSERT INTO karma_rows (type, from_account, to_account, amount, day, at)
       VALUES ('stake_payout', 'pool', 'a', 1, 20050, '2026-01-01Z')`,
      '23514',
    ],
    'an amount of zero': [
      `INSERT INTO karma_rows (type, from_account, to_account, amount, day, at)
       VALUES ('vote_up', 'mint', 'a', 0, 20050, '2026-01-01Z')`,
      'AF500',
    ],
    'an unknown type': [
      `INSERT INTO karma_rows (type, from_account, to_account, amount, day, at)
       VALUES ('gift', 'a', 'b', 1, 20050, '2026-01-01Z')`,
      'AF500',
    ],
    'a grant out of the pool': [
      `INSERT INTO karma_rows (type, from_account, to_account, amount, day, at)
       VALUES ('registration_grant', 'pool', 'b', 1, 20050, '2026-01-01Z')`,
      'AF500',
    ],
  };
  for (const [name, [statement, sqlState]] of Object.entries(refusals)) {
    it(name, async () => {
      assert.equal(await outcomeOf(ledger.pool.query(statement)), sqlState);
    });
  }

  it('an award to the holder itself', async () => {
    assert.equal(await outcomeOf(post(ledger.db, ledger.open, 'b', 'bounty_award', onDay(DAY + 42))), 'AF500');
  });

  it('a hold of nothing, of less than nothing, of an unknown agent', async () => {
    const escrow = (agentId: string, amount: bigint) =>
      hold(ledger.db, { agentId, amount, type: 'bounty_escrow', reference: 'p' }, onDay(DAY + 42));
    assert.deepEqual(await Promise.all([escrow('b', 0n), escrow('b', -1n), escrow('nobody', 1n)].map(outcomeOf)), [
      'AF500',
      'AF500',
      'AF500',
    ]);
  });

  it('and nothing of it left a trace', async () => {
    assert.deepEqual(await verifyLedger(ledger.db), []);
    // The forfeited bounty and the consumed award; the only winner took all of the lost stake.
    assert.equal(await poolBalance(ledger.db), 6n * KARMA);
  });
});

describe('karma ledger: what verify finds', () => {
  let ledger: Awaited<ReturnType<typeof filled>>;
  before(async () => {
    ledger = await filled();
  });
  after(() => ledger.drop());

  const insert = (type: string, from: string, to: string, amount: number, day: number) =>
    `INSERT INTO karma_rows (type, from_account, to_account, amount, day, at)
     VALUES ('${type}', '${from}', '${to}', ${amount}, ${day}, to_timestamp(${day} * 86400))`;
  const damages: Record<string, [statement: string, problem: RegExp]> = {
    'main that no row explains': [`UPDATE karma_accounts SET main = main + 1 WHERE agent_id = 'a'`, /account a: not/],
    'grace that no row explains': [
      `UPDATE karma_accounts SET grace = grace + 1 WHERE agent_id = 'b'`,
      /account b: not/,
    ],
    'decay that never was': [`UPDATE karma_accounts SET decayed = decayed + 1 WHERE agent_id = 'c'`, /account c: not/],
    'a wrong mainDay': [`UPDATE karma_accounts SET main_day = main_day - 1 WHERE agent_id = 'c'`, /account c: not/],
    'a wrong count of events': [
      `UPDATE karma_accounts SET earned_events = earned_events + 1 WHERE agent_id = 'a'`,
      /account a: not/,
    ],
    'a wrong end of grace': ['UPDATE karma_accounts SET grace_day = grace_day + 1', /graceDay/],
    'a sum that does not balance': ['UPDATE karma_accounts SET decayed = decayed + 1', /minted were/],
    'a pool that no row explains': ['UPDATE karma_pool SET folded = folded + 1', /the pool is stored as/],
    'a lost pool entry': ['DELETE FROM karma_pool_entries', /the pool is stored as/],
    'a row without its effect': [insert('challenge_award', 'mint', 'a', 5, DAY + 60), /account a: not/],
    'a row on a wrong day': [insert('challenge_award', 'mint', 'a', 5, DAY), /wrong day/],
    'a row for an unknown agent': [insert('challenge_award', 'mint', 'x', 5, DAY + 60), /no such account/],
    'a balance below zero': [insert('vote_down', 'a', 'mint', 90_000_000, DAY + 60), /the account is negative/],
    'an escrow without a hold': [insert('bounty_escrow', 'b', 'b', 5, DAY + 60), /is stored as another hold/],
    'a hold without a row': [
      `INSERT INTO karma_holds (hold_seq, agent_id, type, amount, from_grace, day)
       VALUES (999999, 'a', 'bounty_escrow', 1, 0, 1)`,
      /holds without a row/,
    ],
    'a hold resolved by no row': [
      'UPDATE karma_holds SET resolved_seq = 999999 WHERE resolved_seq IS NULL',
      /open holds are not those/,
    ],
    'a changed decay table': ['UPDATE karma_decay_factors SET factor = factor - 1 WHERE remainder = 45', /decay table/],
  };
  for (const [name, [statement, problem]] of Object.entries(damages)) {
    it(name, async () => {
      const client = await ledger.pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(statement);
        const problems = await verifyLedger(dbOf(client));
        assert.ok(
          problems.some((found) => problem.test(found)),
          JSON.stringify(problems),
        );
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    });
  }

  it('holds that do not match what they are held for', async () => {
    const sources = [{ type: 'bounty_escrow' as const, openHolds: 'SELECT hold_seq, agent_id, amount FROM bounties' }];
    const matching = `(${ledger.open}, 'b', 3000000)`;
    await ledger.pool.query('CREATE TABLE bounties (hold_seq bigint, agent_id text, amount bigint)');
    const problemsWith = async (bounties: string) => {
      await ledger.pool.query(`DELETE FROM bounties; INSERT INTO bounties VALUES ${bounties}`);
      return verifyLedger(ledger.db, sources);
    };
    assert.deepEqual(await problemsWith(matching), []);
    for (const mismatch of [
      matching.replace(`${ledger.open}`, '1'),
      matching.replace(`'b'`, `'a'`),
      matching.replace('3000000', '3000001'),
      `${matching}, ${matching}`,
      `${matching}, (1, 'a', 3000000)`,
    ]) {
      const problems = await problemsWith(mismatch);
      assert.ok(problems.length > 0 && problems.every((found) => /do not match/.test(found)), JSON.stringify(problems));
    }
    await ledger.pool.query('TRUNCATE bounties');
    assert.equal((await verifyLedger(ledger.db, sources)).length, 1);
  });

  it('nothing in a ledger that nobody damaged', async () => {
    assert.deepEqual(await verifyLedger(ledger.db), []);
  });
});

describe('karma ledger: the half-life', () => {
  it('is stored once and refuses another one later', async () => {
    const database = await createDatabase();
    try {
      const db = dbOf(database.pool);
      const first = await Promise.all([30, 30, 45, 45].map((days) => outcomeOf(ensureHalfLife(db, days))));
      assert.equal(first.filter((outcome) => outcome === 'done').length, 2, first.join());
      const { rows } = await database.pool.query('SELECT half_life_days AS days FROM karma_rules');
      const stored = rows[0].days as number;
      await ensureHalfLife(db, stored);
      await assert.rejects(ensureHalfLife(db, 90), /KARMA_HALF_LIFE_DAYS is 90, but this ledger was started with/);
      await database.pool.query('UPDATE karma_decay_factors SET factor = factor - 1 WHERE remainder = 7');
      await assert.rejects(ensureHalfLife(db, stored), /damaged/);
    } finally {
      await database.drop();
    }
  });

  for (const halfLifeDays of [1, 365]) {
    it(`of ${halfLifeDays} days keeps a ledger that verifies`, async () => {
      const ledger = await ledgerDatabase(halfLifeDays);
      try {
        const account = { agentId: 'a', grant: 40n * KARMA, eligibleUntil: onDay(DAY + 7) };
        await openAccount(ledger.db, account, onDay(DAY));
        for (const days of [3, 8, 20, 400]) {
          const escrow = { agentId: 'a', amount: 5n, type: 'bounty_escrow', reference: 'p' } as const;
          await adjust(ledger.db, { agentId: 'a', amount: 7n * KARMA, reference: 'gov' }, onDay(DAY + days - 1));
          const holdSeq = await hold(ledger.db, escrow, onDay(DAY + days));
          await release(ledger.db, holdSeq, 'bounty_refund', onDay(DAY + days + 5));
        }
        assert.deepEqual(await verifyLedger(ledger.db), []);
      } finally {
        await ledger.drop();
      }
    });
  }
});
