import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import pg from 'pg';
import { figures, foldPool, poolBalance, post, release } from '../../src/features/karma/store.ts';
import { verifyLedger } from '../../src/features/karma/verify.ts';
import type { Db } from '../../src/platform/postgres/postgres.ts';
import { adjust, hold, lockAccounts, openAccount, settleChallenge } from '../features/karma/ledger.ts';
import { dbOf, ledgerDatabase, onDay, outcomeOf, vote } from '../features/karma/support.ts';
import { eventually } from '../support/waits.ts';

const DAY = 20_000;
const NOW = onDay(DAY);
const CAPS = { perPair: 5, perAuthor: 20 };
const KARMA = 1_000_000n;
const GRANT = 40n * KARMA;

describe('karma ledger: races', () => {
  let database: Awaited<ReturnType<typeof ledgerDatabase>>;
  let pool: pg.Pool;
  let db: Db;
  let round = 0;
  let id = (name: string): string => name;

  before(async () => {
    database = await ledgerDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 20 });
    db = dbOf(pool);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    const prefix = `${++round}-`;
    id = (name) => prefix + name;
  });

  const open = async (...names: string[]) => {
    for (const name of names) {
      await openAccount(db, { agentId: id(name), grant: GRANT, eligibleUntil: onDay(DAY + 7) }, NOW);
    }
  };
  const escrow = (name: string, amount: bigint) =>
    hold(db, { agentId: id(name), amount, type: 'bounty_escrow', reference: 'p' }, NOW);
  const tally = async (actions: readonly Promise<unknown>[]) => {
    const outcomes = await Promise.all(actions.map(outcomeOf));
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  };
  const times = <T>(count: number, action: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => action(i));

  it('lets one of twenty simultaneous holds of 30 on 40 through', async () => {
    await open('a');
    assert.deepEqual(await tally(times(20, () => escrow('a', 30n * KARMA))), { done: 1, AF402: 19 });
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('lets four of twelve simultaneous holds of 10 on 40 through', async () => {
    await open('a');
    assert.deepEqual(await tally(times(12, () => escrow('a', 10n * KARMA))), { done: 4, AF402: 8 });
    assert.equal((await figures(db, id('a'), NOW))!.escrowedGrace, GRANT);
  });

  it('resolves a hold once, with concurrent releases, awards and forfeits', async () => {
    await open('a', 'b', 'c');
    for (let attempt = 0; attempt < 15; attempt++) {
      const holdSeq = await escrow('a', 1n * KARMA);
      const resolutions = times(20, (i) => {
        if (i % 4 === 0) return release(db, holdSeq, 'bounty_refund', NOW);
        if (i % 4 === 1) return post(db, holdSeq, id('b'), 'bounty_award', NOW);
        if (i % 4 === 2) return post(db, holdSeq, id('c'), 'bounty_award', NOW);
        return post(db, holdSeq, 'pool', 'bounty_forfeit', NOW);
      });
      assert.deepEqual(await tally(resolutions), { done: 1, AF409: 19 });
    }
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('does not deadlock when agents award each other in opposite directions', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await open(...names);
    for (let attempt = 0; attempt < 10; attempt++) {
      const holds: { seq: bigint; to: string }[] = [];
      for (const from of names) {
        for (const to of names) if (from !== to) holds.push({ seq: await escrow(from, KARMA / 2n), to });
      }
      const awards = holds.map(({ seq, to }) => post(db, seq, id(to), 'bounty_award', NOW));
      assert.deepEqual(await tally(awards), { done: holds.length });
    }
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('does not deadlock when transactions lock all their accounts first', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    await open(...names);
    const swap = async (first: string, second: string) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const own = dbOf(client);
        await lockAccounts(own, [id(first), id(second)]);
        for (const name of [first, second]) {
          await adjust(own, { agentId: id(name), amount: KARMA, reference: 'gov' }, NOW);
        }
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    };
    const swaps = times(60, (i) => swap(names[i % 5]!, names[(i * 3 + 1 + Math.floor(i / 5)) % 5]!));
    assert.deepEqual(await tally(swaps), { done: 60 });
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('keeps the caps when forty agents vote for one author at the same time', async () => {
    await open('author');
    const votes = times(40, (i) =>
      vote(
        db,
        { voterId: id(`v${i}`), targetId: id('t'), authorId: id('author'), value: 1, movesKarma: true },
        CAPS,
        NOW,
      ),
    );
    const events = await Promise.all(votes);
    assert.equal(events.filter((event) => event !== null).length, 20);
    const own = times(8, (i) =>
      vote(
        db,
        { voterId: id('w'), targetId: id(`t${i}`), authorId: id('author'), value: -1, movesKarma: true },
        CAPS,
        NOW,
      ),
    );
    assert.equal((await Promise.all(own)).filter((event) => event !== null).length, 5);
    assert.equal((await figures(db, id('author'), NOW))!.main, 15n * KARMA);
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('settles a challenge once while its stakers hold, and pays everybody', async () => {
    const names = ['d', 'a', 'b', 'c', 'e'];
    await open(...names);
    const stake = (name: string, amount: bigint) =>
      hold(db, { agentId: id(name), amount, type: 'stake_escrow', reference: id('ch') }, NOW);
    const awardHold = await hold(
      db,
      { agentId: id('d'), amount: KARMA, type: 'challenge_escrow', reference: id('ch') },
      NOW,
    );
    const stakes = [
      { holdSeq: await stake('a', 2n * KARMA), won: true },
      { holdSeq: await stake('b', 1n * KARMA), won: true },
      { holdSeq: await stake('c', 3n * KARMA), won: false },
    ];
    const before = await poolBalance(db);
    const settlement = { reference: id('ch'), awardHold, winnerId: id('e'), award: KARMA, stakes };
    const settlings = times(10, () => settleChallenge(db, settlement, NOW));
    const holds = names.flatMap((name) => times(3, () => escrow(name, KARMA)));
    const [settled, held] = await Promise.all([tally(settlings), tally(holds)]);
    assert.deepEqual(settled, { done: 1, AF409: 9 });
    assert.deepEqual(held, { done: 15 });
    const balance = async (name: string) => {
      const now = (await figures(db, id(name), NOW))!;
      return now.grace + now.main + now.escrowedGrace + now.escrowedMain;
    };
    assert.deepEqual(
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map(balance)),
      [42n, 41n, 37n, 39n, 41n].map((karma) => karma * KARMA),
    );
    assert.equal((await poolBalance(db)) - before, KARMA);
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('settles a challenge by what its stakers have once their accounts are free', async () => {
    const names = ['d', 'a', 'b', 'e'];
    await open(...names);
    const stake = (name: string) =>
      hold(db, { agentId: id(name), amount: KARMA, type: 'stake_escrow', reference: id('ch') }, NOW);
    const stakes = [
      { holdSeq: await stake('a'), won: true },
      { holdSeq: await stake('b'), won: false },
    ];
    const award = { agentId: id('d'), amount: KARMA, type: 'challenge_escrow', reference: id('ch') } as const;
    const awardHold = await hold(db, award, NOW);
    const client = await pool.connect();
    const settlement = { reference: id('ch'), awardHold, winnerId: id('e'), award: KARMA, stakes };
    try {
      await client.query('BEGIN');
      const own = dbOf(client);
      await lockAccounts(own, names.map(id));
      for (const name of names) await adjust(own, { agentId: id(name), amount: KARMA, reference: 'gov' }, NOW);
      const settled = settleChallenge(db, settlement, NOW);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await pool.query(waiting)).rowCount === 1);
      await client.query('COMMIT');
      await settled;
    } finally {
      client.release();
    }
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('shows the same pool to every reader while entries are folded', async () => {
    await open('a', 'b');
    for (const name of ['a', 'b']) {
      for (let i = 0; i < 20; i++) await post(db, await escrow(name, KARMA), 'pool', 'bounty_forfeit', NOW);
    }
    const expected = await poolBalance(db);
    const folded = times(30, () => foldPool(db, 3));
    const readings = await Promise.all(times(100, () => poolBalance(db)));
    assert.deepEqual(new Set(readings), new Set([expected]));
    const counts = await Promise.all(folded);
    assert.ok(counts.reduce((sum, count) => sum + count, 0) >= 40);
    assert.equal(await poolBalance(db), expected);
    assert.deepEqual(await verifyLedger(db), []);
  });

  it('verifies after a storm of everything at once, read in one snapshot while it rages', async () => {
    const names = times(6, (i) => `s${i}`);
    await open(...names);
    const one = async (i: number) => {
      const from = names[i % 6]!;
      const to = names[(i * 5 + 1) % 6]!;
      const at = onDay(DAY + (i % 9) - 1, i);
      const change = {
        voterId: id(to),
        targetId: id(`t${i}`),
        authorId: id(from),
        value: 1,
        movesKarma: true,
      } as const;
      await vote(db, change, CAPS, at);
      const escrowed = { agentId: id(from), amount: KARMA, type: 'bounty_escrow', reference: 'p' } as const;
      const holdSeq = await hold(db, escrowed, at);
      if (i % 3 === 0) await release(db, holdSeq, 'bounty_refund', onDay(DAY + (i % 40)));
      else if (i % 3 === 1 && from !== to) await post(db, holdSeq, id(to), 'bounty_award', at);
      else await post(db, holdSeq, 'pool', 'bounty_forfeit', at);
    };
    const storm = tally(times(300, one));
    const client = await database.pool.connect();
    try {
      for (let reading = 0; reading < 5; reading++) {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        assert.deepEqual(await verifyLedger(dbOf(client)), []);
        await client.query('COMMIT');
      }
    } finally {
      client.release();
    }
    const { done = 0, AF402: refused = 0 } = await storm;
    assert.equal(done + refused, 300);
    assert.deepEqual(await verifyLedger(db), []);
  });
});
