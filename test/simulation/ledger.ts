// Honest and attacking agents on the karma ledger of a real database, with a moved clock. It calls the functions that
// votes, bounties and stakes call, without HTTP: signed requests would take hours.
import { foldProvenance } from '../../src/features/karma/provenance.ts';
import { voteParameters } from '../../src/features/karma/rules.ts';
import { post } from '../../src/features/karma/store.ts';
import { verify } from '../../src/ops/verify.ts';
import { Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import type { HoldType } from '../../src/protocol/karmaFormat.ts';
import { writeEvents } from '../../src/recording/outbox.ts';
import { hold, settleChallenge } from '../features/karma/ledger.ts';
import { ledgerDatabase, onDay } from '../features/karma/support.ts';
import { named, population, type SimulationOptions, WEEK } from './population.ts';
import { createRandom } from './random.ts';

const FIRST_DAY = 20_000;
const KARMA = 1_000_000n;
/** Provenance is stored every tenth day: it reads all events of an agent. */
const FOLD_DAYS = 10;
const CAPS = { perPair: 5, perAuthor: 20 };

export interface LedgerFigures {
  /** Share of all karma that attackers hold at the end. */
  readonly attackersShare: number;
  /** Identities times days until the one that a ring supports is in the top ten; null if it never was. */
  readonly topTenCost: number | null;
  /** Identities times days until a brigade first cancelled a whole day's gain of an author; null if it never did. */
  readonly cancelCost: number | null;
  /** Share of the up-votes of honest agents after their first week that moved nothing: the caps stop some anyway. */
  readonly honestUnmoved: number;
  readonly votes: number;
  readonly problems: readonly string[];
}

interface Vote {
  readonly voter: string;
  readonly author: string;
  readonly value: 1 | -1;
}

const REGISTER = sql(
  'simulation.register',
  `SELECT release.register_agent(a, a, a, '', a, a, a, '{}', $2, $3, $4, '', 0, NULL) FROM unnest($1::text[]) a`,
);
const VOTES = sql(
  'simulation.votes',
  `SELECT v.voter, v.author, v.value, coalesce(r.amount, 0)::float8 / 1000000 AS moved
     FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[]) WITH ORDINALITY v(voter, target, author, value, n)
     CROSS JOIN LATERAL release.karma_vote(
       v.voter, v.target, v.author, v.value, true, $5, $6, $7, $8, $9, $10::timestamptz + v.n * interval '1 ms') r`,
);
const BALANCES = sql(
  'simulation.balances',
  `SELECT f.agent_id AS agent, ((f.grace + f.main + f.escrowed_grace + f.escrowed_main)::float8 / 1000000) AS balance
     FROM karma_accounts a CROSS JOIN LATERAL release.karma_figures(a.agent_id, $1) f ORDER BY 2 DESC, 1`,
);

/** Attackers are a ring, launderers and a brigade. */
function roles(agents: number) {
  const { honest, attackers } = population(agents);
  const ring = named('ring', Math.max(2, Math.floor(attackers / 2)));
  const launderers = named('launder', Math.max(1, Math.floor(attackers / 4)));
  const brigade = named('brigade', Math.max(1, attackers - ring.length - launderers.length));
  return { honest: named('honest', honest), ring, launderers, brigade };
}

/** Runs the days of one ledger and returns its figures. */
export async function simulateLedger({ agents, days, seed, brakes }: SimulationOptions): Promise<LedgerFigures> {
  const random = createRandom(seed);
  const ledger = await ledgerDatabase();
  const { db } = ledger;
  const { honest, ring, launderers, brigade } = roles(agents);
  const attackers = [...ring, ...launderers, ...brigade];
  const everyone = [...honest, ...attackers];
  const [boss, victim] = [ring[0]!, honest[0]!];
  const caps = { ...CAPS, voterAgeSeconds: brakes ? WEEK * 86_400 : 0 };
  const supporters = new Set<string>();
  let target = 0;
  let votes = 0;
  let settledVotes = 0;
  let stoppedVotes = 0;
  let topTenCost: number | null = null;
  let cancelCost: number | null = null;

  async function castAll(cast: readonly Vote[], at: Date) {
    votes += cast.length;
    return db.query<{ voter: string; author: string; value: number; moved: number }>(VOTES, [
      cast.map(({ voter }) => voter),
      cast.map(() => `r_${++target}`),
      cast.map(({ author }) => author),
      cast.map(({ value }) => value),
      ...Object.values(voteParameters(caps, at.getTime())),
      at,
    ]);
  }
  /** Null if the agent has less available. */
  async function tryHold(agentId: string, karma: bigint, type: HoldType, reference: string, at: Date) {
    return hold(db, { agentId, amount: karma * KARMA, type, reference }, at).catch((error: { code?: string }) => {
      if (error.code === 'AF402') return null;
      throw error;
    });
  }
  async function payBounty(from: string, to: string, karma: bigint, at: Date) {
    const held = await tryHold(from, karma, 'bounty_escrow', `p_${++target}`, at);
    if (held !== null) await post(db, held, to, 'bounty_award', at);
  }
  async function playChallenge(at: Date) {
    const reference = `ch_${++target}`;
    const stakes = [];
    for (const won of [true, false]) {
      const holdSeq = await tryHold(random.pick(honest), 1n, 'stake_escrow', reference, at);
      if (holdSeq !== null) stakes.push({ holdSeq, won });
    }
    await settleChallenge(db, { reference, awardHold: null, winnerId: random.pick(honest), award: KARMA, stakes }, at);
  }
  const honestVotes = (): Vote[] =>
    honest.flatMap((voter) =>
      [0, 1]
        .map(() => ({ voter, author: random.pick(honest), value: random.next() < 0.95 ? (1 as const) : (-1 as const) }))
        .filter(({ author }) => author !== voter),
    );
  const attackVotes = (): Vote[] => [
    ...ring.slice(1).flatMap((voter) => [0, 1].map(() => ({ voter, author: boss, value: 1 as const }))),
    ...brigade.flatMap((voter) => [0, 1, 2, 3, 4].map(() => ({ voter, author: victim, value: -1 as const }))),
  ];

  try {
    const registeredAt = onDay(FIRST_DAY);
    await db.query(REGISTER, [everyone, registeredAt, 40n * KARMA, onDay(FIRST_DAY + WEEK)]);
    const events = everyone.map((agentId) => ({ kind: 'agent.registered' as const, subject: agentId }));
    await writeEvents(db, events, registeredAt);
    for (let day = 0; day < days; day++) {
      const at = (hour: number) => onDay(FIRST_DAY + day, hour * 3_600_000);
      const moved = [...(await castAll(honestVotes(), at(8))), ...(await castAll(attackVotes(), at(12)))];
      if (day >= WEEK) {
        const ups = moved.filter(({ voter, value }) => voter.startsWith('honest') && value === 1);
        settledVotes += ups.length;
        stoppedVotes += ups.filter((each) => each.moved === 0).length;
      }
      for (const { voter, author, moved: karma } of moved) if (author === boss && karma > 0) supporters.add(voter);
      if (day === 1) {
        for (const from of launderers) {
          await payBounty(from, boss, 40n, at(14));
          supporters.add(from);
        }
      }
      for (let count = 0; count < honest.length / 100; count++) {
        const [from, to] = [random.pick(honest), random.pick(brigade.concat(honest))];
        if (from !== to) await payBounty(from, to, 1n, at(15));
        await playChallenge(at(16));
      }
      const gained = moved.filter(({ author }) => author === victim);
      const against = gained.filter((each) => each.voter.startsWith('brigade') && each.moved < 0);
      const cancellers = new Set(against.map(({ voter }) => voter)).size;
      const net = gained.reduce((sum, each) => sum + each.moved, 0);
      if (cancelCost === null && cancellers > 0 && net <= 0) cancelCost = cancellers * (day + 1);
      const balances = await db.query<{ agent: string; balance: number }>(BALANCES, [at(20)]);
      if (topTenCost === null && balances.slice(0, 10).some(({ agent }) => agent === boss)) {
        topTenCost = (supporters.size + 1) * (day + 1);
      }
      if (day % FOLD_DAYS === 0) await foldProvenance(db, at(1).getTime());
    }
    const balances = await db.query<{ agent: string; balance: number }>(BALANCES, [onDay(FIRST_DAY + days)]);
    const sum = (of: typeof balances) => of.reduce((total, { balance }) => total + balance, 0);
    const attacking = new Set(attackers);
    return {
      attackersShare: sum(balances.filter(({ agent }) => attacking.has(agent))) / sum(balances),
      topTenCost,
      cancelCost,
      honestUnmoved: settledVotes === 0 ? 0 : stoppedVotes / settledVotes,
      votes,
      problems: await problemsAt(ledger.url),
    };
  } finally {
    await ledger.drop();
  }
}

async function problemsAt(url: string): Promise<string[]> {
  const db = new Postgres({ url, maxConnections: 1, applicationName: 'forum simulation verify' });
  try {
    return await verify(db);
  } finally {
    await db.close();
  }
}
