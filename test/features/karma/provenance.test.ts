import assert from 'node:assert/strict';
import {
  foldProvenance,
  presentProvenance,
  provenanceAt,
  verifyProvenance,
} from '../../../src/features/karma/provenance.ts';
import { post } from '../../../src/features/karma/store.ts';
import { sql } from '../../../src/platform/postgres/postgres.ts';
import { adjust, hold, openAccount, settleChallenge } from './ledger.ts';
import { ledgerDatabase, onDay, type VoteChange, vote } from './support.ts';

const DAY = 20_000;
const HOUR = 3_600_000;
const KARMA = 1_000_000n;
const CAPS = { perPair: 50, perAuthor: 500 };
const GIVERS = ['bob', 'cid', 'dan', 'eve', 'fay', 'gus'];

const REGISTER = sql(
  'test.provenance.register',
  `INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
                       encryption_public_key, owner_encryption_public_key, identity, registered_at)
   SELECT $1, $1, coalesce(max(registration_ordinal), 0) + 1, $1, '', $1, $1, $1, $1, $2 FROM agents`,
);
const STAKED = sql(
  'test.provenance.stake',
  `INSERT INTO challenge_stakes (hold_seq, challenge_id, agent_id, outcome, amount_micro, staked_at)
   VALUES ($1, $2, $3, 'pass', $4, $5)`,
);

describe('the provenance of karma', () => {
  let ledger: Awaited<ReturnType<typeof ledgerDatabase>>;
  let target = 0;
  const register = async (agentId: string, at: Date) => {
    await ledger.db.query(REGISTER, [agentId, at]);
    const eligibleUntil = new Date(at.getTime() + 7 * 24 * HOUR);
    await openAccount(ledger.db, { agentId, grant: 40n * KARMA, eligibleUntil }, at);
  };
  beforeEach(async () => {
    ledger = await ledgerDatabase();
    target = 0;
    await ledger.pool.query('ALTER TABLE challenge_stakes DROP CONSTRAINT challenge_stakes_challenge_id_fkey');
    await register('ann', onDay(DAY));
    for (const agentId of GIVERS) await register(agentId, onDay(DAY - 30));
  });
  afterEach(async () => {
    try {
      assert.deepEqual(await verifyProvenance(ledger.db), []);
    } finally {
      await ledger.drop();
    }
  });

  const cast = (voterId: string, at: Date, change: Partial<VoteChange> = {}) =>
    vote(
      ledger.db,
      { voterId, targetId: `r_${++target}`, authorId: 'ann', value: 1, movesKarma: true, ...change },
      CAPS,
      at,
    );
  const bounty = async (from: string, to: string, karma: bigint, at: Date) => {
    const escrow = { agentId: from, amount: karma * KARMA, type: 'bounty_escrow', reference: `p_${++target}` } as const;
    await post(ledger.db, await hold(ledger.db, escrow, at), to, 'bounty_award', at);
  };
  const seen = async (at: Date, agentId = 'ann') => presentProvenance((await provenanceAt(ledger.db, agentId, at))!);
  const fold = (at: Date) => foldProvenance(ledger.db, at.getTime());

  it('is null for givers below five, and all of the balance is the grant on the first day', async () => {
    const alone = { givers: null, topGiverShare: null, youngGiverShare: null, grantShare: 1 };
    assert.deepEqual(await seen(onDay(DAY, HOUR)), alone);
    for (const voter of GIVERS.slice(0, 4)) await cast(voter, onDay(DAY, HOUR));
    assert.deepEqual(await seen(onDay(DAY, 2 * HOUR)), alone);
    assert.deepEqual(await seen(onDay(DAY + 1, HOUR)), { ...alone, grantShare: 0.9097 });
    assert.equal(await provenanceAt(ledger.db, 'nobody', onDay(DAY)), undefined);
  });

  it('counts votes, bounties and lost stakes by giver, without what was taken back', async () => {
    const at = onDay(DAY, HOUR);
    for (const voter of GIVERS.slice(0, 5)) await cast(voter, at);
    await bounty('bob', 'ann', 4n, at);
    // Taken back, and a down-vote after an up-vote: neither is a giver of anything.
    await cast('gus', at, { targetId: 'r_gus' });
    await cast('gus', at, { targetId: 'r_gus', value: 0 });
    const stake = async (agentId: string, karma: bigint) => {
      const escrow = { agentId, amount: karma * KARMA, type: 'stake_escrow', reference: 'ch_1' } as const;
      const holdSeq = await hold(ledger.db, escrow, at);
      await ledger.db.query(STAKED, [holdSeq, 'ch_1', agentId, karma * KARMA, at]);
      return holdSeq;
    };
    const [won, lost, also] = [await stake('ann', 2n), await stake('cid', 3n), await stake('dan', 1n)];
    const stakes = [
      { holdSeq: won, won: true },
      { holdSeq: lost, won: false },
      { holdSeq: also, won: false },
    ];
    await settleChallenge(
      ledger.db,
      { reference: 'ch_1', awardHold: null, winnerId: 'ann', award: 7n * KARMA, stakes },
      at,
    );
    // bob 5, cid 4, dan 2, eve 1, fay 1: 13 of 20 earned, because the award has no giver.
    const { grantShare: _, ...givers } = await seen(onDay(DAY + 1, HOUR));
    assert.deepEqual(givers, { givers: 5, topGiverShare: 0.3846, youngGiverShare: 0 });
    await fold(onDay(DAY + 1, HOUR));
    const { grantShare: _stored, ...stored } = await seen(onDay(DAY + 1, HOUR));
    assert.deepEqual(stored, givers);
  });

  it('shows the share of agents that were young when they gave', async () => {
    await register('new', onDay(DAY));
    for (const voter of GIVERS.slice(0, 4)) await cast(voter, onDay(DAY, HOUR));
    await cast('new', onDay(DAY + 6), { targetId: 'r_young' });
    await cast('new', onDay(DAY + 8));
    assert.deepEqual((await seen(onDay(DAY + 9, HOUR))).youngGiverShare, 0.1667);
    // The reversal of the young vote takes the young karma back, although its voter is older by then.
    await cast('new', onDay(DAY + 9), { targetId: 'r_young', value: 0 });
    assert.deepEqual((await seen(onDay(DAY + 10, HOUR))).youngGiverShare! < 0.01, true);
  });

  it('shows the part of the grant that was not spent, before and after it decays', async () => {
    await bounty('ann', 'bob', 10n, onDay(DAY + 1));
    for (const voter of GIVERS) await cast(voter, onDay(DAY + 1));
    assert.equal((await seen(onDay(DAY + 1, HOUR))).grantShare, 1);
    // 30 of the grant and 6 earned, which decayed for a day.
    assert.equal((await seen(onDay(DAY + 2))).grantShare, 0.8344);
    const later = (await seen(onDay(DAY + 60))).grantShare!;
    assert.ok(later > 0.83 && later < 0.85, String(later));
    await adjust(ledger.db, { agentId: 'ann', amount: -100n * KARMA, reference: 'gov_1' }, onDay(DAY + 60));
    assert.equal((await seen(onDay(DAY + 60, HOUR))).grantShare, later);
    assert.equal((await seen(onDay(DAY + 61))).grantShare, null);
  });

  it('never reveals one voter: reads of one day are equal whatever is voted, stored or folded', async () => {
    for (const voter of GIVERS) await cast(voter, onDay(DAY, HOUR));
    const reads: unknown[] = [];
    const read = async (ms: number) => reads.push(await seen(onDay(DAY + 1, 120_000 + ms)));
    await read(0);
    await cast('bob', onDay(DAY + 1, 121_000));
    await read(2_000);
    await fold(onDay(DAY + 1, 123_000));
    await read(4_000);
    for (const voter of GIVERS) await cast(voter, onDay(DAY + 1, 130_000));
    await cast('cid', onDay(DAY + 1, 131_000), { value: -1 });
    await bounty('dan', 'ann', 9n, onDay(DAY + 1, 132_000));
    await bounty('ann', 'eve', 20n, onDay(DAY + 1, 133_000));
    await hold(
      ledger.db,
      { agentId: 'ann', amount: KARMA, type: 'bounty_escrow', reference: 'p_open' },
      onDay(DAY + 1, 134_000),
    );
    await read(20_000);
    await fold(onDay(DAY + 1, 150_000));
    await read(40_000);
    await read(20 * HOUR);
    assert.equal(new Set(reads.map((each) => JSON.stringify(each))).size, 1, JSON.stringify(reads));
    // The givers of the day before appear a minute after midnight, when its last writes are committed.
    const givers = ({ grantShare: _, ...rest }: Awaited<ReturnType<typeof seen>>) => JSON.stringify(rest);
    const [before, after] = [await seen(onDay(DAY + 2, 1_000)), await seen(onDay(DAY + 2, 61_000))];
    assert.equal(givers(before), givers(reads[0] as typeof before));
    assert.notEqual(givers(after), givers(before));
  });

  it('stores the balance at the start of a day, and adds up rows where a worker stored none', async () => {
    for (const voter of GIVERS) await cast(voter, onDay(DAY, HOUR));
    await cast('bob', onDay(DAY + 1, HOUR));
    await bounty('ann', 'eve', 20n, onDay(DAY + 1, HOUR));
    const at = onDay(DAY + 1, 2 * HOUR);
    const computed = await provenanceAt(ledger.db, 'ann', at);
    await fold(at);
    const stored = await ledger.pool.query(
      "SELECT start_day, start_balance FROM karma_provenance WHERE agent_id = 'ann' AND start_seq = through_seq",
    );
    assert.deepEqual(stored.rows, [{ start_day: DAY + 1, start_balance: computed!.balance }]);
    await cast('cid', onDay(DAY + 1, 3 * HOUR));
    assert.deepEqual(await provenanceAt(ledger.db, 'ann', onDay(DAY + 1, 4 * HOUR)), computed);
    // As a worker of the release before would leave it.
    await ledger.pool.query("UPDATE karma_provenance SET start_seq = 0 WHERE agent_id = 'ann'");
    assert.deepEqual(await provenanceAt(ledger.db, 'ann', onDay(DAY + 1, 4 * HOUR)), computed);
    const next = await provenanceAt(ledger.db, 'ann', onDay(DAY + 2, HOUR));
    await fold(onDay(DAY + 2, HOUR));
    assert.deepEqual(await provenanceAt(ledger.db, 'ann', onDay(DAY + 2, HOUR)), next);
  });

  it('does not depend on which of two equal givers voted', async () => {
    const figures: unknown[] = [];
    for (const voter of ['bob', 'cid']) {
      await register(`of-${voter}`, onDay(DAY));
      for (const giver of GIVERS) await cast(giver, onDay(DAY, HOUR), { authorId: `of-${voter}` });
      await cast(voter, onDay(DAY, HOUR), { authorId: `of-${voter}` });
      figures.push(await seen(onDay(DAY + 1, HOUR), `of-${voter}`));
    }
    assert.deepEqual(figures[0], figures[1]);
  });

  it('is computed again after the stored rows, and verify finds a stored sum that is wrong', async () => {
    for (const voter of GIVERS) await cast(voter, onDay(DAY, HOUR));
    assert.ok((await fold(onDay(DAY + 1, HOUR))) > 0);
    assert.equal(await fold(onDay(DAY + 1, HOUR)), 0);
    const stored = await seen(onDay(DAY + 1, HOUR));
    await cast('bob', onDay(DAY + 1, HOUR));
    const computed = await seen(onDay(DAY + 2, HOUR));
    assert.notDeepEqual(computed, stored);
    await fold(onDay(DAY + 2, HOUR));
    assert.deepEqual(await seen(onDay(DAY + 2, HOUR)), computed);
    await ledger.pool.query("UPDATE karma_provenance SET young_given = 1 WHERE agent_id = 'ann'");
    assert.deepEqual(await verifyProvenance(ledger.db), ['account ann: its provenance is not what its rows make']);
    await ledger.pool.query("UPDATE karma_provenance SET young_given = 0 WHERE agent_id = 'ann'");
  });
});
