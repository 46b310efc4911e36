import assert from 'node:assert/strict';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import {
  karmaEventId,
  presentDossierKarma,
  presentKarmaEvent,
  presentOwnKarma,
  presentPublicKarma,
  presentVoteEvent,
} from '../../../src/features/karma/present.ts';
import { provenanceAt } from '../../../src/features/karma/provenance.ts';
import { events, figures, post, release } from '../../../src/features/karma/store.ts';
import { IDENTIFIER_PATTERNS } from '../../../src/protocol/ids.ts';
import { adjust, hold, openAccount } from './ledger.ts';
import { ledgerDatabase, onDay, vote } from './support.ts';

const DAY = 20_000;
const KARMA = 1_000_000n;
const CAPS = { perPair: 5, perAuthor: 20 };

describe('karma as agents see it', () => {
  let ledger: Awaited<ReturnType<typeof ledgerDatabase>>;
  before(async () => {
    ledger = await ledgerDatabase();
    for (const agentId of ['ann', 'bob']) {
      const account = { agentId, grant: 40n * KARMA, eligibleUntil: onDay(DAY + 7, 1_000) };
      await openAccount(ledger.db, account, onDay(DAY, 1_000));
    }
    const escrow = (amount: bigint, day: number) =>
      hold(ledger.db, { agentId: 'ann', amount, type: 'bounty_escrow', reference: 'p_1' }, onDay(day));
    await post(ledger.db, await escrow(5n * KARMA, DAY), 'bob', 'bounty_award', onDay(DAY, 5_000));
    const refunded = await escrow(10n * KARMA, DAY + 1);
    await escrow(2n * KARMA, DAY + 1);
    await release(ledger.db, refunded, 'bounty_refund', onDay(DAY + 2));
    const change = { voterId: 'bob', targetId: 'r_1', authorId: 'ann', movesKarma: true };
    await vote(ledger.db, { ...change, value: 1 }, CAPS, onDay(DAY + 2));
    await vote(ledger.db, { ...change, value: -1 }, CAPS, onDay(DAY + 2));
    await adjust(ledger.db, { agentId: 'ann', amount: -KARMA / 4n, reference: 'gov_1' }, onDay(DAY + 2));
  });
  after(() => ledger.drop());

  const seenBy = async (agentId: string) =>
    (await events(ledger.db, agentId, { limit: 20 })).map((row) => presentKarmaEvent(row, agentId));

  const karmaOf = async (agentId: string, at: Date) => ({
    figures: (await figures(ledger.db, agentId, at))!,
    provenance: (await provenanceAt(ledger.db, agentId, at))!,
  });

  it('shows every event with its change of available and held karma, newest first', async () => {
    const shown = await seenBy('ann');
    assert.deepEqual(
      shown.map(({ type, category, amount, escrowed, reference }) => [type, category, amount, escrowed, reference]),
      [
        ['enforcement_adjustment', 'adjustment', -0.25, 0, 'gov_1'],
        ['vote_reversal', 'earned', -1, 0, 'r_1'],
        ['vote_up', 'earned', 1, 0, 'r_1'],
        ['bounty_refund', 'staked', 10, -10, 'p_1'],
        ['bounty_escrow', 'staked', -2, 2, 'p_1'],
        ['bounty_escrow', 'staked', -10, 10, 'p_1'],
        ['bounty_award', 'earned', 0, -5, 'p_1'],
        ['bounty_escrow', 'staked', -5, 5, 'p_1'],
        ['registration_grant', 'adjustment', 40, 0, null],
      ],
    );
    assert.equal(shown[0]!.createdAt, onDay(DAY + 2).toISOString());
    assert.deepEqual(
      (await seenBy('bob')).map(({ type, amount, escrowed }) => [type, amount, escrowed]),
      [
        ['bounty_award', 5, 0],
        ['registration_grant', 40, 0],
      ],
    );
  });

  it('pages through all events without a gap', async () => {
    const all = (await events(ledger.db, 'ann', { limit: 20 })).map((row) => row.seq);
    const paged: bigint[] = [];
    for (;;) {
      const last = paged.at(-1);
      const page = await events(ledger.db, 'ann', last === undefined ? { limit: 2 } : { limit: 2, beforeSeq: last });
      if (page.length === 0) break;
      paged.push(...page.map((row) => row.seq));
    }
    assert.deepEqual(paged, all);
  });

  it('names both sides of a payment differently, and the receipt of a vote like the author’s event', async () => {
    const [ann, bob] = [await seenBy('ann'), await seenBy('bob')];
    const ids = [...ann, ...bob].map((event) => event.eventId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, IDENTIFIER_PATTERNS.karmaEventId);
    const change = { voterId: 'bob', targetId: 'r_2', authorId: 'ann', value: 1, movesKarma: true } as const;
    const at = onDay(DAY + 2, 77);
    const receipt = presentVoteEvent(await vote(ledger.db, change, CAPS, at), at.getTime());
    const [newest] = await seenBy('ann');
    assert.deepEqual(receipt, { eventId: newest!.eventId, type: 'vote_up', amount: 1 });
    assert.equal(presentVoteEvent(null, 0), null);
    await vote(ledger.db, { ...change, value: 0 }, CAPS, at);
  });

  it('shows balance, escrow and starter grant', async () => {
    const now = onDay(DAY + 3, 500);
    const own = presentOwnKarma(await karmaOf('ann', now), 90, now.getTime());
    assert.deepEqual(own, {
      agentId: 'ann',
      rules: 'svc-karma-v0',
      balance: 34.75,
      available: 32.75,
      escrowed: 2,
      starterGrant: { amount: 40, remaining: 32.75, eligibleUntil: onDay(DAY + 7, 1_000).toISOString() },
      counts: { earned: 5, staked: 4, adjustment: 2 },
      halfLifeDays: 90,
      provenance: { givers: null, topGiverShare: null, youngGiverShare: null, grantShare: 1 },
      nextDecayAt: onDay(DAY + 8).toISOString(),
      asOf: now.toISOString(),
    });
    const { starterGrant: _, counts: _counts, ...publicly } = own;
    assert.deepEqual(presentPublicKarma(await karmaOf('ann', now), 90, now.getTime()), publicly);
    assert.equal(await figures(ledger.db, 'nobody', now), null);
  });

  it('says when something decays next', async () => {
    const nextDecay = async (agentId: string, day: number) =>
      presentPublicKarma(await karmaOf(agentId, onDay(day)), 90, onDay(day).getTime()).nextDecayAt;
    assert.equal(await nextDecay('bob', DAY + 1), onDay(DAY + 2).toISOString());
    assert.equal(await nextDecay('ann', DAY + 7), onDay(DAY + 8).toISOString());
    assert.equal(await nextDecay('ann', DAY + 100), onDay(DAY + 101).toISOString());
  });

  it('shows balance, escrow and grant decayed at the time of the read, and stores nothing', async () => {
    const later = onDay(DAY + 97);
    const own = presentOwnKarma(await karmaOf('ann', later), 90, later.getTime());
    assert.equal(own.starterGrant.remaining, 0);
    assert.equal(own.available, 16.375);
    assert.equal(own.escrowed, 1);
    assert.equal(own.balance, 17.375);
    const now = onDay(DAY + 3);
    assert.equal((await figures(ledger.db, 'ann', now))!.grace, 32_750_000n);
  });

  it('counts events by category for the dossier', async () => {
    const now = onDay(DAY + 3);
    const dossier = presentDossierKarma(await karmaOf('ann', now), now.getTime());
    const shown = await seenBy('ann');
    const count = (category: string) => shown.filter((event) => event.category === category).length;
    assert.deepEqual(dossier.counts, {
      earned: count('earned'),
      staked: count('staked'),
      adjustment: count('adjustment'),
    });
    assert.equal(dossier.balance, 34.75);
  });
});

describe('karma event identifiers', () => {
  it('never meet, have the form of the docs and sort by time', () => {
    const seq = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(seq, seq, fc.nat(2 ** 31 - 1), (one, other, ms) => {
        const first = karmaEventId(one, 1_767_225_600_000 + ms, 'from');
        assert.match(first, /^ke_[a-z0-9]{25}$/);
        assert.notEqual(first, karmaEventId(one, 1_767_225_600_000 + ms, 'to'));
        if (one !== other) assert.notEqual(first, karmaEventId(other, 1_767_225_600_000 + ms, 'from'));
        assert.ok(first < karmaEventId(other, 1_767_225_600_001 + ms, 'to'));
      }),
    );
  });
});
