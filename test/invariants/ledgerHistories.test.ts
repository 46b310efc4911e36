import assert from 'node:assert/strict';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import type pg from 'pg';
import { foldPool, poolBalance, post, release } from '../../src/features/karma/store.ts';
import { verifyLedger } from '../../src/features/karma/verify.ts';
import type { Db } from '../../src/platform/postgres/postgres.ts';
import { decayTable, type HoldType, roll } from '../../src/protocol/karmaFormat.ts';
import { adjust, hold, openAccount, settleChallenge } from '../features/karma/ledger.ts';
import { LedgerModel } from '../features/karma/model.ts';
import { dbOf, ledgerDatabase, onDay, outcomeOf, vote } from '../features/karma/support.ts';

/** Histories run against the database; `KARMA_HISTORIES=3000 npm test -- test/invariants` runs more of them. */
const DATABASE_HISTORIES = Number(process.env.KARMA_HISTORIES ?? 50);
const MODEL_HISTORIES = 5_000;
const AGENTS = ['ag-0', 'ag-1', 'ag-2', 'ag-3'];
const TARGETS = ['t0', 't1', 't2'];
const FIRST_DAY = 20_000;
const DAY_MS = 86_400_000;
const CAPS = { perPair: 2, perAuthor: 4 };
const TABLE = decayTable(90);

const PURPOSES = {
  bounty: { hold: 'bounty_escrow', release: 'bounty_refund', forfeit: 'bounty_forfeit' },
  challenge: { hold: 'challenge_escrow', release: 'challenge_release', forfeit: 'challenge_consume' },
  stake: { hold: 'stake_escrow', release: 'stake_refund', forfeit: 'stake_forfeit' },
} as const;

const agent = fc.constantFrom(...AGENTS);
const pick = fc.nat(50);
const micro = fc.oneof(
  fc.bigInt({ min: 1n, max: 45_000_000n }),
  fc.constantFrom(1n, 40_000_000n, 10_000_000n, 50_000_000n),
);
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('vote' as const),
      voter: agent,
      target: fc.constantFrom(...TARGETS),
      author: agent,
      value: fc.constantFrom(1 as const, -1 as const, 0 as const),
      movesKarma: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      agent,
      amount: micro,
      purpose: fc.constantFrom('bounty' as const, 'challenge' as const, 'stake' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), hold: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('award' as const), hold: pick, to: agent }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forfeit' as const), hold: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('adjust' as const),
      agent,
      amount: fc.bigInt({ min: -60_000_000n, max: 30_000_000n }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      winner: fc.option(agent),
      outcome: fc.constantFrom('y', 'n', 'void'),
      holds: fc.array(fc.tuple(agent, micro, fc.constantFrom('y', 'n')), { maxLength: 5 }),
      days: fc.nat(40),
    }),
  },
  // Hours, days and months pass; now and then the clock steps back.
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: DAY_MS }),
        fc.integer({ min: 1, max: 9 }).map((days) => days * DAY_MS),
        fc.integer({ min: 30, max: 400 }).map((days) => days * DAY_MS),
        fc.integer({ min: 1, max: 3 * DAY_MS }).map((ms) => -ms),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fold' as const), limit: fc.integer({ min: 1, max: 4 }) }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;
// The default size would keep most histories to a few steps.
const history = fc.array(command, { minLength: 1, maxLength: 25, size: 'max' });

describe('karma ledger: random histories', () => {
  it(`balances in the model after every step of ${MODEL_HISTORIES} histories`, async () => {
    await fc.assert(
      fc.asyncProperty(history, (commands) => play(new Both(new LedgerModel(TABLE), null), commands)),
      { numRuns: MODEL_HISTORIES },
    );
  }).timeout(60_000);

  describe('on the database', () => {
    let database: Awaited<ReturnType<typeof ledgerDatabase>>;
    let client: pg.PoolClient;
    before(async () => {
      database = await ledgerDatabase();
      client = await database.pool.connect();
    });
    after(async () => {
      client.release();
      await database.drop();
    });

    it(`does what the model does and verifies after every step of ${DATABASE_HISTORIES} histories`, async () => {
      await fc.assert(
        fc.asyncProperty(history, async (commands) => {
          await client.query('BEGIN');
          try {
            await play(new Both(new LedgerModel(TABLE), client), commands);
          } finally {
            await client.query('ROLLBACK');
          }
        }),
        { numRuns: DATABASE_HISTORIES },
      );
    }).timeout(60_000 + DATABASE_HISTORIES * 500);

    it('gives stakes back on the day of their account, where the clock went back before', async () => {
      await client.query('BEGIN');
      try {
        const db = dbOf(client);
        const day = (count: number) => onDay(FIRST_DAY + count);
        await openAccount(db, { agentId: 'ag-0', grant: 0n, eligibleUntil: day(0) }, day(0));
        const earned = { agentId: 'ag-0', amount: 20_000_000n, reference: 'gov' };
        await adjust(db, earned, day(0));
        const stake = { agentId: 'ag-0', amount: 15_000_000n, type: 'stake_escrow', reference: 'p' } as const;
        const stakes = [{ holdSeq: await hold(db, stake, day(1)), won: false }];
        await adjust(db, earned, day(9));
        const settlement = { reference: 'p', awardHold: null, winnerId: null, award: 0n, stakes };
        await settleChallenge(db, settlement, day(5));
        const { rows } = await client.query("SELECT day FROM karma_rows WHERE type = 'stake_refund'");
        assert.deepEqual(rows, [{ day: FIRST_DAY + 9 }]);
        assert.deepEqual(await verifyLedger(db), []);
      } finally {
        await client.query('ROLLBACK');
      }
    });

    it('lets what a reversal still owes decay from its own day, and from that on which some of it was collected', async () => {
      const voting = { do: 'vote', voter: 'ag-0', target: 't0', author: 'ag-3', movesKarma: true } as const;
      const month = { do: 'pass', ms: 30 * DAY_MS } as const;
      await client.query('BEGIN');
      try {
        await play(new Both(new LedgerModel(TABLE), client), [
          { ...voting, value: 1 },
          { do: 'hold', agent: 'ag-3', amount: 1_000_000n, purpose: 'bounty' },
          month,
          { ...voting, value: 0 },
          month,
          { do: 'adjust', agent: 'ag-3', amount: 300_000n },
          { ...voting, value: -1 },
          month,
          { ...voting, value: 1 },
        ]);
      } finally {
        await client.query('ROLLBACK');
      }
    });
  });
});

async function play(both: Both, commands: readonly Command[]): Promise<void> {
  await both.open();
  for (const next of commands) {
    await both.run(next);
    await both.check();
  }
}

/** The model and, when there is a connection, the database beside it: every command goes to both. */
class Both {
  readonly #model: LedgerModel;
  readonly #client: pg.PoolClient | null;
  readonly #db: Db | null;
  readonly #votes = new Map<string, { author: string; value: 1 | -1 | 0 }>();
  readonly #authors = new Map<string, string>();
  /** The database's number of each hold of the model, and what it is for. */
  readonly #holds: { seq: bigint; purpose: keyof typeof PURPOSES }[] = [];
  #nowMs = onDay(FIRST_DAY, 12 * 3_600_000).getTime();

  constructor(model: LedgerModel, client: pg.PoolClient | null) {
    this.#model = model;
    this.#client = client;
    this.#db = client && dbOf(client);
  }

  async open(): Promise<void> {
    for (const [index, agentId] of AGENTS.entries()) {
      const grant = index === 3 ? 0n : 40_000_000n;
      const graceDay = FIRST_DAY + 7 - index;
      this.#model.open(agentId, grant, graceDay, this.#at());
      if (this.#db) await openAccount(this.#db, { agentId, grant, eligibleUntil: onDay(graceDay, 5) }, this.#at());
    }
  }

  async run(next: Command): Promise<void> {
    switch (next.do) {
      case 'pass':
        this.#nowMs = Math.max(onDay(FIRST_DAY).getTime(), this.#nowMs + next.ms);
        return;
      case 'hold':
        return this.#hold(next.agent, next.amount, next.purpose);
      case 'release':
        return this.#resolve(next.hold, null);
      case 'forfeit':
        return this.#resolve(next.hold, 'pool');
      case 'award':
        return this.#resolve(next.hold, next.to);
      case 'vote':
        return this.#vote(next);
      case 'adjust': {
        const changed = this.#model.adjust(next.agent, next.amount, this.#at());
        if (!this.#db) return;
        const answer = await adjust(
          this.#db,
          { agentId: next.agent, amount: next.amount, reference: 'gov' },
          this.#at(),
        );
        return assert.equal(answer?.amount ?? 0n, changed);
      }
      case 'settle':
        return this.#settle(next);
      case 'fold':
        if (this.#db) await foldPool(this.#db, next.limit);
    }
  }

  /** Accounts, rows and pool are the model's, and the ledger verifies. */
  async check(): Promise<void> {
    assert.equal(this.#model.imbalance(), 0n);
    assert.ok(this.#model.pool >= 0n);
    for (const account of this.#model.accounts.values()) assert.ok(account.grace >= 0n && account.main >= 0n);
    if (!this.#client || !this.#db) return;
    const { rows: accounts } = await this.#client.query({
      name: 'test.accounts',
      text: `SELECT agent_id, grace, main, main_day, decayed FROM karma_accounts ORDER BY agent_id`,
    });
    const expected = [...this.#model.accounts].map(([agentId, account]) => ({
      agent_id: agentId,
      grace: String(account.grace),
      main: String(account.main),
      main_day: account.mainDay,
      decayed: String(account.decayed),
    }));
    assert.deepEqual(accounts, expected);
    const { rows } = await this.#client.query({
      name: 'test.rows',
      text: `SELECT type, from_account AS from, to_account AS to, amount::bigint, day FROM karma_rows ORDER BY seq`,
    });
    assert.deepEqual(
      rows.map((row) => ({ ...row, amount: BigInt(row.amount) })),
      this.#model.rows,
    );
    assert.equal(await poolBalance(this.#db), this.#model.pool);
    assert.deepEqual(await verifyLedger(this.#db), []);
  }

  async #hold(agentId: string, amount: bigint, purpose: keyof typeof PURPOSES): Promise<void> {
    const type: HoldType = PURPOSES[purpose].hold;
    const index = this.#model.hold(agentId, amount, type, this.#at());
    const inDatabase = await this.#tried(typeof index === 'string', (db) =>
      hold(db, { agentId, amount, type, reference: 'p' }, this.#at()),
    );
    if (typeof index === 'string') {
      if (this.#db) assert.equal(inDatabase, index);
    } else this.#holds[index] = { seq: typeof inDatabase === 'bigint' ? inDatabase : 0n, purpose };
  }

  async #resolve(choice: number, to: string | null): Promise<void> {
    if (this.#holds.length === 0) return;
    const index = choice % this.#holds.length;
    const { seq, purpose } = this.#holds[index]!;
    if (to !== null && to !== 'pool' && (purpose !== 'bounty' || to === this.#model.holds[index]!.agentId)) return;
    const types = PURPOSES[purpose];
    const refused = !this.#model.holds[index]!.open;
    const type = to === 'pool' ? types.forfeit : 'bounty_award';
    const inModel =
      to === null
        ? this.#model.release(index, types.release, this.#at())
        : this.#model.post(index, to, type, this.#at());
    const inDatabase = await this.#tried(refused, async (db) => {
      if (to === null) return (await release(db, seq, types.release, this.#at())).amount;
      return (await post(db, seq, to, type, this.#at())).amount;
    });
    if (this.#db) assert.equal(inDatabase, inModel);
  }

  async #vote(next: Extract<Command, { do: 'vote' }>): Promise<void> {
    // A target keeps its author, and a vote that changes nothing never gets here.
    const authorId = this.#authors.get(next.target) ?? next.author;
    this.#authors.set(next.target, authorId);
    const key = `${next.voter} ${next.target}`;
    if ((this.#votes.get(key)?.value ?? 0) === next.value) return;
    this.#votes.set(key, { author: authorId, value: next.value });
    const change = {
      voterId: next.voter,
      targetId: next.target,
      authorId,
      value: next.value,
      movesKarma: next.movesKarma && next.voter !== authorId,
    };
    const event = this.#model.vote(change, CAPS, this.#at());
    if (!this.#db) return;
    const answer = await vote(this.#db, change, CAPS, this.#at());
    assert.deepEqual(answer && { type: answer.type, amount: answer.amount }, event);
  }

  /** A whole challenge: award and stakes are held, days pass, it is settled, and a second time it is not. */
  async #settle(next: Extract<Command, { do: 'settle' }>): Promise<void> {
    const first = this.#holds.length;
    await this.#hold(AGENTS[0]!, 1_000_000n, 'challenge');
    if (this.#holds.length === first) return;
    const stakes: { hold: number; outcome: string }[] = [];
    for (const [agentId, amount, outcome] of next.holds) {
      const index = this.#holds.length;
      await this.#hold(agentId, amount, 'stake');
      if (this.#holds.length > index) stakes.push({ hold: index, outcome });
    }
    this.#nowMs += next.days * DAY_MS;
    const challenge = { awardHold: first, winnerId: next.winner, award: 1_000_000n, outcome: next.outcome };
    this.#model.settle(challenge, stakes, this.#at());
    const settlement = {
      reference: 'p',
      awardHold: this.#holds[first]!.seq,
      winnerId: next.winner,
      award: 1_000_000n,
      stakes: stakes.map((stake) => ({
        holdSeq: this.#holds[stake.hold]!.seq,
        won: stake.outcome === next.outcome,
      })),
    };
    const settled = await this.#tried(false, (db) => settleChallenge(db, settlement, this.#at()));
    if (!Array.isArray(settled)) return;
    const written = this.#model.rows.slice(-settled.length).map((row) => row.type);
    assert.deepEqual(
      settled.map((row) => row.type),
      written,
    );
    assert.equal(await this.#tried(true, (db) => settleChallenge(db, settlement, this.#at())), 'AF409');
  }

  /** The answer of the database, or its SQLSTATE; behind a savepoint when a refusal is expected. */
  async #tried<T>(refusal: boolean, action: (db: Db) => Promise<T>): Promise<T | string | undefined> {
    if (!this.#client || !this.#db) return undefined;
    if (!refusal) return action(this.#db);
    await this.#client.query('SAVEPOINT attempt');
    const outcome = await outcomeOf(action(this.#db));
    await this.#client.query('ROLLBACK TO attempt');
    return outcome;
  }

  #at(): Date {
    return new Date(this.#nowMs);
  }
}

describe('karma ledger: holding and releasing', () => {
  it('gains nothing and loses only rounding, however often', async () => {
    const cycle = fc.record({ permille: fc.integer({ min: 1, max: 1000 }), held: fc.nat(60), free: fc.nat(30) });
    await fc.assert(
      fc.asyncProperty(fc.array(cycle, { minLength: 1, maxLength: 30 }), async (cycles) => {
        const model = new LedgerModel(TABLE);
        let day = FIRST_DAY;
        for (const agentId of ['holder', 'idle']) {
          model.open(agentId, 40_000_000n, day + 7, onDay(day));
          model.adjust(agentId, 60_000_000n, onDay(day));
        }
        const available = (agentId: string) => {
          const account = roll(model.accounts.get(agentId)!, day, TABLE);
          return account.grace + account.main;
        };
        for (const { permille, held, free } of cycles) {
          day += free;
          const amount = (available('holder') * BigInt(permille)) / 1000n;
          if (amount === 0n) continue;
          const index = model.hold('holder', amount, 'bounty_escrow', onDay(day)) as number;
          day += held;
          model.release(index, 'bounty_refund', onDay(day));
        }
        const gain = available('holder') - available('idle');
        // One unit may be gained once: grant and main of the idle agent decay apart and are rounded down each.
        assert.ok(gain <= 1n && gain >= -BigInt(5 * cycles.length), `${gain} after ${cycles.length} cycles`);
      }),
      { numRuns: 2_000 },
    );
  });
});
