import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { figures, poolBalance, post, release } from '../../../src/features/karma/store.ts';
import { verifyLedger } from '../../../src/features/karma/verify.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import { kindOf } from '../../../src/protocol/karmaFormat.ts';
import { adjust, hold, openAccount, settleChallenge } from './ledger.ts';
import { ledgerDatabase, onDay, outcomeOf, storedAccount, vectors, vote } from './support.ts';

interface Start {
  registeredDay: number;
  graceDay: number;
  grace: string;
  main: string;
  mainDay: number;
}

interface Step {
  day: number;
  op: string;
  agent?: string;
  micro?: string;
  hold?: number;
  to?: string;
  voter?: string;
  target?: string;
  value?: 'up' | 'down';
  award?: string;
  outcome?: string;
  expect?: Record<string, unknown>;
}

interface Vector {
  name: string;
  start: Record<string, Start>;
  steps: Step[];
  neverHeldAvailable?: string;
}

const CAPS = { perPair: 5, perAuthor: 20 };
const AGENTS = ['A', 'B', 'C', 'D', 'E'];

describe('karma ledger: vectors on the database', () => {
  let database: Awaited<ReturnType<typeof ledgerDatabase>>;
  before(async () => {
    database = await ledgerDatabase();
  });
  after(() => database.drop());

  for (const [index, vector] of vectors<{ vectors: Vector[] }>('ledger.json').vectors.entries()) {
    it(vector.name, async () => {
      const run = new Run(database.db, `${index}`);
      await run.start(vector.start);
      for (const step of vector.steps) await run.step(step);
      if (vector.neverHeldAvailable !== undefined) {
        const never = await run.rolled('never', vector.steps.at(-1)!.day);
        assert.equal(never.available, vector.neverHeldAvailable);
      }
      assert.deepEqual(await verifyLedger(database.db), []);
    });
  }

  it('decays in the database as in the vectors', async () => {
    const { cases } = vectors<{ cases: { micro: string; days: number; result: string }[] }>('karma-decay.json');
    const { decayCases } = vectors<{ decayCases: typeof cases }>('ledger.json');
    for (const { micro, days, result } of [...cases, ...decayCases]) {
      const { rows } = await database.pool.query('SELECT release.karma_decay($1, $2) AS left', [micro, days]);
      assert.equal(rows[0].left, result, `${micro} after ${days} days`);
    }
  });
});

/** One vector, its agents renamed so that all vectors share a database. */
class Run {
  readonly #db: Db;
  readonly #prefix: string;
  readonly #holds: bigint[] = [];
  readonly #votes = new Map<string, 1 | -1 | 0>();
  readonly #stakes: { holdSeq: bigint; outcome: string }[] = [];
  #declared = { award: 0n, expected: '' };
  #winner: string | null = null;

  constructor(db: Db, prefix: string) {
    this.#db = db;
    this.#prefix = prefix;
  }

  async start(start: Record<string, Start>): Promise<void> {
    const plain = { registeredDay: 0, graceDay: 7, grace: '40000000', main: '0', mainDay: 0 };
    const all = start.all
      ? Object.fromEntries(AGENTS.map((name) => [name, { ...plain, main: name === 'A' ? '10000000' : '0' }]))
      : start;
    for (const [name, account] of Object.entries({ ...all, never: all.A! })) {
      await openAccount(
        this.#db,
        { agentId: this.#id(name), grant: BigInt(account.grace), eligibleUntil: onDay(account.graceDay) },
        onDay(account.registeredDay),
      );
      const granted = { agentId: this.#id(name), amount: BigInt(account.main), reference: 'start' };
      await adjust(this.#db, granted, onDay(account.mainDay));
    }
  }

  async step(step: Step): Promise<void> {
    const before = await this.#lastSeq();
    const at = onDay(step.day);
    const result = await this.#act(step, at);
    for (const [key, expected] of Object.entries(step.expect ?? {})) {
      if (key === 'error') assert.equal(result.outcome, 'AF409');
      else if (key === 'rows') assert.deepEqual(await this.#rowsSince(before), expected);
      else if (key === 'pool') assert.equal(String(await poolBalance(this.#db)), expected);
      else if (key === 'dust') assert.equal(String((await poolBalance(this.#db)) - this.#declared.award), expected);
      else if (key === 'stored') assert.deepEqual(await this.#stored(step.agent!), expected);
      else if (key.startsWith('stored')) assert.deepEqual(await this.#stored(key.slice(-1)), expected);
      else if (AGENTS.includes(key)) assert.deepEqual(await this.rolled(key, step.day), expected);
      else assert.equal((await this.#facts(step, result))[key], expected, key);
    }
  }

  async rolled(name: string, day: number): Promise<Record<string, string>> {
    const now = (await figures(this.#db, this.#id(name), onDay(day)))!;
    return { grace: `${now.grace}`, main: `${now.main}`, available: `${now.grace + now.main}` };
  }

  async #act(step: Step, at: Date): Promise<Record<string, unknown>> {
    const agentId = this.#id(step.agent ?? 'A');
    switch (step.op) {
      case 'hold':
      case 'declare':
      case 'stake': {
        const type = ({ hold: 'bounty_escrow', declare: 'challenge_escrow', stake: 'stake_escrow' } as const)[step.op];
        const amount = BigInt(step.micro ?? step.award!);
        const holdSeq = await hold(this.#db, { agentId, amount, type, reference: this.#id('c') }, at);
        this.#holds.push(holdSeq);
        if (step.op === 'declare') this.#declared = { award: amount, expected: 'y' };
        if (step.op === 'stake') this.#stakes.push({ holdSeq, outcome: step.outcome! });
        return { holdSeq };
      }
      case 'release': {
        const holdSeq = this.#holds[step.hold! - 1]!;
        if (step.expect?.error) {
          return { outcome: await outcomeOf(release(this.#db, holdSeq, 'bounty_refund', at)) };
        }
        const { amount } = await release(this.#db, holdSeq, 'bounty_refund', at);
        return { holdSeq, returned: amount };
      }
      case 'post':
        return post(this.#db, this.#holds[step.hold! - 1]!, this.#id(step.to!), 'bounty_award', at).then((moved) => ({
          ...moved,
        }));
      case 'vote':
      case 'recant': {
        const value = step.op === 'recant' ? 0 : step.value === 'up' ? 1 : -1;
        const [voterId, targetId] = [this.#id(step.voter!), this.#id(step.target!)];
        assert.notEqual(this.#votes.get(`${voterId} ${targetId}`) ?? 0, value, 'a vote that does not change');
        this.#votes.set(`${voterId} ${targetId}`, value);
        const change = { voterId, targetId, authorId: agentId, value, movesKarma: true } as const;
        return { karmaEvent: await vote(this.#db, change, CAPS, at) };
      }
      case 'submit':
        this.#winner = agentId;
        return {};
      case 'score':
        await settleChallenge(this.#db, this.#settlement(), at);
        return {};
      default:
        assert.equal(step.op, 'read');
        return {};
    }
  }

  #settlement() {
    return {
      reference: this.#id('c'),
      awardHold: this.#holds[0]!,
      winnerId: this.#winner,
      award: this.#declared.award,
      stakes: this.#stakes.map((stake) => ({
        holdSeq: stake.holdSeq,
        won: stake.outcome === this.#declared.expected,
      })),
    };
  }

  /** What an expectation may name besides rows and accounts. */
  async #facts(step: Step, result: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (!('holdSeq' in result)) return result;
    const [stored] = await this.#db.query<Record<string, string | number | null>>(
      {
        name: 'test.hold',
        text: `SELECT from_grace, amount - from_grace AS from_main, day, amount, resolved_seq FROM karma_holds WHERE hold_seq = $1`,
      },
      [result.holdSeq],
    );
    const returned = BigInt((result.returned as bigint | undefined) ?? 0n);
    return {
      ...(await this.rolled(step.agent ?? 'A', step.day)),
      fromGrace: stored!.from_grace,
      fromMain: stored!.from_main,
      holdDay: stored!.day,
      open: stored!.resolved_seq === null,
      returned: String(returned),
      decayedWhileHeld: String(BigInt(stored!.amount!) - returned),
    };
  }

  async #stored(name: string): Promise<Record<string, unknown>> {
    const { grace, main, mainDay } = await storedAccount(this.#db, this.#id(name));
    return { grace: String(grace), main: String(main), mainDay };
  }

  async #lastSeq(): Promise<string> {
    const [row] = await this.#db.query<{ seq: string }>({
      name: 'test.lastSeq',
      text: 'SELECT coalesce(max(seq), 0) AS seq FROM karma_rows',
    });
    return row!.seq;
  }

  /** The rows written since, as the vectors spell them. */
  async #rowsSince(seq: string): Promise<Record<string, unknown>[]> {
    const rows = await this.#db.query<{ type: string; from: string; to: string; micro: string; hold: string | null }>(
      {
        name: 'test.rowsSince',
        text: `SELECT type, from_account AS "from", to_account AS "to", amount AS micro, hold_seq AS hold
                 FROM karma_rows WHERE seq > $1 ORDER BY seq`,
      },
      [seq],
    );
    const scoring = this.#stakes.length > 0;
    const name = (account: string) => account.replace(`${this.#prefix}-`, '');
    return rows.map(({ type, from, to, micro, hold: holdSeq }) => {
      const ends = { from: name(from), to: name(to) };
      if (!scoring) return { type, ...ends, micro };
      const kind = kindOf(type);
      if (holdSeq === null) return { kind, type, ...ends, micro };
      return { kind, type, hold: this.#holds.indexOf(BigInt(holdSeq)) + 1, to: ends.to, micro };
    });
  }

  #id(name: string): string {
    return `${this.#prefix}-${name}`;
  }
}
