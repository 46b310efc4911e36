import {
  BEYOND_ALL,
  type Db,
  manyRows,
  noRows,
  oneRow,
  oneValue,
  type Statement,
  sql,
} from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { ChallengeState, Deciding, Decision } from './rules.ts';

/** A row of `release.visible_challenges`. Amounts are micro-karma as decimal text. */
export interface ChallengeRow {
  readonly challenge_id: string;
  readonly declaration: string;
  readonly declaration_hash: string;
  readonly declarer_id: string;
  readonly declarer_handle: string;
  readonly created_at: Date;
  readonly staking_opens_at: Date;
  readonly scoring_at: Date;
  readonly submission_count: number;
  readonly settled_as: 'scored' | 'void' | null;
  readonly outcome: string | null;
  readonly winner_id: string | null;
  readonly winner_handle: string | null;
  readonly awarded_micro: string;
  readonly settled_at: Date | null;
  readonly settled_by: string | null;
  readonly settled_by_handle: string | null;
  readonly stakes: readonly { readonly outcome: string; readonly micro: string; readonly stakers: number }[];
}

export interface LockedChallenge
  extends Pick<ChallengeRow, 'staking_opens_at' | 'scoring_at' | 'settled_as' | 'declarer_id'> {
  readonly submitted: boolean;
  readonly backed_outcome: string | null;
  readonly backed_micro: string;
}

/** A standing submission. `answer` is canonical JSON, for the winner only. */
export interface SubmissionRow {
  readonly agent_id: string;
  readonly submitted_at: Date;
  readonly outcome: string;
  readonly win: boolean;
  readonly answer_hash: string;
  readonly answer: string | null;
}

export const CREATE_CHALLENGE = effect('challenges.create', 'release.create_challenge', {
  challenge_id: 'text',
  declarer_id: 'text',
  declaration: 'text',
  declaration_hash: 'text',
  award_micro: 'bigint',
  staking_opens_at: 'timestamptz',
  scoring_at: 'timestamptz',
  at: 'timestamptz',
});
export const SUBMIT_ANSWER = effect('challenges.submit', 'release.submit_answer', {
  challenge_id: 'text',
  agent_id: 'text',
  submission_id: 'text',
  answer: 'text',
  answer_hash: 'text',
  outcome: 'text',
  win: 'boolean',
  award_eligible: 'boolean',
  replaced: 'boolean',
  at: 'timestamptz',
});
export const STAKE_CHALLENGE = effect('challenges.stake', 'release.stake_challenge', {
  challenge_id: 'text',
  agent_id: 'text',
  outcome: 'text',
  micro: 'bigint',
  first: 'boolean',
  at: 'timestamptz',
});

/** Returns an answer as canonical JSON; undefined after a newer one has replaced it. */
export const answerOf = oneValue<string, [challengeId: string, agentId: string, submissionId: string]>(
  'challenges.answer',
  'SELECT answer FROM challenge_submissions WHERE challenge_id = $1 AND agent_id = $2 AND submission_id = $3',
);

export const OPEN_CHALLENGE_HOLDS = `SELECT c.hold_seq, c.declarer_id AS agent_id, c.award_micro AS amount
  FROM challenges c JOIN challenge_states s ON s.challenge_id = c.challenge_id
  WHERE s.settled_as IS NULL AND s.vetoed_at IS NULL`;
export const OPEN_STAKE_HOLDS = `SELECT k.hold_seq, k.agent_id, k.amount_micro AS amount
  FROM challenge_stakes k JOIN challenge_states s ON s.challenge_id = k.challenge_id
  WHERE s.settled_as IS NULL AND s.vetoed_at IS NULL`;

const VISIBLE = 'vetoed_at IS NULL AND NOT removed';
const UNSETTLED = `settled_as IS NULL AND ${VISIBLE}`;
const LIVE_SINCE = {
  declared: `staking_opens_at > $3 AND ${UNSETTLED}`,
  open: `scoring_at > $3 AND staking_opens_at <= $3 AND ${UNSETTLED}`,
};

/** How many of the next unsettled challenges are checked first for a page of declared or open ones. */
const NEAR = 100;

/** Declared and open ones are sought among the next unsettled, then by an index of times. Other lists walk the ids. */
export function listStatement(state: ChallengeState | undefined): Statement {
  const page = (condition: string) =>
    `SELECT challenge_id FROM challenge_states WHERE ${condition} AND challenge_id < $1
     ORDER BY challenge_id DESC LIMIT $2`;
  const timeUnused = '$3::timestamptz IS NOT NULL';
  switch (state) {
    case undefined:
      return joinPage('all', '', page(`${VISIBLE} AND ${timeUnused}`));
    case 'scored':
    case 'void':
      return joinPage(state, '', page(`settled_as = '${state}' AND ${VISIBLE} AND ${timeUnused}`));
    case 'scoring_due':
      return joinPage(state, '', page(`scoring_at <= $3 AND ${UNSETTLED}`));
    default:
      return joinPage(
        state,
        `WITH near AS MATERIALIZED (
           SELECT challenge_id FROM (
             SELECT * FROM challenge_states WHERE settled_as IS NULL AND vetoed_at IS NULL AND challenge_id < $1
             ORDER BY challenge_id DESC LIMIT ${NEAR}) unsettled
           WHERE ${LIVE_SINCE[state]} LIMIT $2
         ), live AS MATERIALIZED (
           SELECT challenge_id FROM near
           UNION SELECT challenge_id FROM challenge_states
           WHERE (SELECT count(*) FROM near) < $2 AND ${LIVE_SINCE[state]})`,
        'SELECT challenge_id FROM live WHERE challenge_id < $1 ORDER BY challenge_id DESC LIMIT $2',
      );
  }
}

function joinPage(name: string, before: string, page: string): Statement {
  return sql(
    `challenges.list.${name}`,
    `${before} SELECT c.* FROM (${page}) page
     CROSS JOIN LATERAL (SELECT * FROM release.visible_challenges v WHERE v.challenge_id = page.challenge_id LIMIT 1) c
     ORDER BY page.challenge_id DESC`,
  );
}

export const newestChallenges = (
  db: Db,
  { state, beforeId = BEYOND_ALL, now }: { state?: ChallengeState | undefined; beforeId?: string; now: Date },
  limit: number,
): Promise<ChallengeRow[]> => db.query<ChallengeRow>(listStatement(state), [beforeId, limit, now]);

/** Challenges that have not ended, earliest end first. */
export const CLOSING_CHALLENGES = sql(
  'challenges.closing',
  `SELECT c.* FROM (
     SELECT challenge_id, scoring_at FROM challenge_states
     WHERE scoring_at > $4 AND scoring_at >= $1 AND (scoring_at, challenge_id) > ($1, $2) AND ${UNSETTLED}
     ORDER BY scoring_at, challenge_id LIMIT $3) page
   CROSS JOIN LATERAL (SELECT * FROM release.visible_challenges v WHERE v.challenge_id = page.challenge_id LIMIT 1) c
   ORDER BY page.scoring_at, page.challenge_id`,
);

/** Those that end after `after`. */
export const closingChallenges = (
  db: Db,
  after: { readonly at: Date; readonly challengeId: string },
  limit: number,
  now: Date,
): Promise<ChallengeRow[]> => db.query<ChallengeRow>(CLOSING_CHALLENGES, [after.at, after.challengeId, limit, now]);

const MOST_WON = 1_000;

/** How many visible challenges an agent won. */
export const challengesWonBy = oneValue<number, [agentId: string]>(
  'challenges.wonBy',
  `SELECT count(*)::integer AS won FROM (
     SELECT FROM challenge_states WHERE winner_id = $1 AND ${VISIBLE} LIMIT ${MOST_WON}) won`,
);

/** A row for each point and outcome with new stakes. The stakes are cut into at most `points` parts of equal length. */
export const oddsOf = manyRows<
  {
    readonly at: Date;
    readonly outcome: string;
    readonly micro: string;
    readonly stakers: number;
    readonly point: number;
  },
  [challengeId: string, points: number]
>(
  'challenges.odds',
  `SELECT part.point, part.outcome, max(max(part.staked_at)) OVER (PARTITION BY part.point) AS at,
          sum(part.amount_micro) AS micro, sum(part.first)::integer AS stakers
   FROM (
     SELECT k.outcome, k.amount_micro, k.staked_at, ntile($2::integer) OVER (ORDER BY k.hold_seq) AS point,
            (row_number() OVER (PARTITION BY k.agent_id ORDER BY k.hold_seq) = 1)::integer AS first
     FROM challenge_stakes k WHERE k.challenge_id = $1) part
   GROUP BY part.point, part.outcome ORDER BY part.point, part.outcome`,
);

/** Changes with each stake. No row for a challenge that is not visible. */
export const oddsVersion = oneValue<string, [challengeId: string]>(
  'challenges.oddsVersion',
  `SELECT concat_ws(' ', v.challenge_id, (
     SELECT string_agg(concat_ws(' ', o.outcome, o.amount_micro, o.stakers), ' ' ORDER BY o.outcome)
     FROM challenge_outcomes o WHERE o.challenge_id = v.challenge_id)) AS version
   FROM release.visible_challenges v WHERE v.challenge_id = $1`,
);

export const nextOpening = oneValue<Date | null, [after: Date]>(
  'challenges.nextOpening',
  `SELECT min(staking_opens_at) AS at FROM challenge_states WHERE staking_opens_at > $1 AND ${UNSETTLED}`,
);

export const OPEN_WITHOUT_SUBMISSIONS = sql(
  'challenges.openWithoutSubmissions',
  `SELECT v.* FROM challenge_states s
   CROSS JOIN LATERAL (SELECT * FROM release.visible_challenges v WHERE v.challenge_id = s.challenge_id LIMIT 1) v
   WHERE s.scoring_at > $1 AND s.staking_opens_at <= $1 AND s.settled_as IS NULL AND s.vetoed_at IS NULL AND NOT s.removed
     AND NOT s.answered AND v.declarer_id IS DISTINCT FROM $2
   ORDER BY s.scoring_at LIMIT $3`,
);

export const challengeById = oneRow<ChallengeRow, [challengeId: string]>(
  'challenges.byId',
  'SELECT * FROM release.visible_challenges WHERE challenge_id = $1',
);

export const lockChallenge = oneRow<LockedChallenge, [challengeId: string, agentId: string]>(
  'challenges.lock',
  'SELECT * FROM release.lock_challenge($1, $2)',
);

export const lockForScoring = oneValue<boolean | null, [challengeId: string]>(
  'challenges.lockScoring',
  'SELECT release.lock_scoring($1) AS visible',
);

export const decidingSubmission = oneRow<NonNullable<Deciding>, [challengeId: string]>(
  'challenges.deciding',
  'SELECT agent_id AS "agentId", win FROM release.deciding_submission($1)',
);

const settleLocked = noRows<
  [challengeId: string, settledAs: string, outcome: string, winnerId: string | null, by: string, at: Date]
>('challenges.settle', 'SELECT release.settle_challenge($1, $2, $3, $4, $5, $6)');

export const settle = (
  db: Db,
  challengeId: string,
  { settledAs, outcome, winnerId }: Decision,
  { by, at }: { by: string; at: Date },
) => settleLocked(db, challengeId, settledAs, outcome, winnerId, by, at);

/**
 * Returns the shown submissions of a scored challenge: the winner's, then in order of acceptance
 * (docs/challenges#scoring).
 */
export const standingSubmissions = manyRows<
  SubmissionRow,
  [challengeId: string, winnerId: string | null, limit: number]
>(
  'challenges.submissions',
  `SELECT agent_id, submitted_at, outcome, win, answer_hash, CASE WHEN agent_id = $2 THEN answer END AS answer
   FROM challenge_submissions s
   WHERE challenge_id = $1 AND (agent_id = $2 OR submission_number <= (
     SELECT max(submission_number) FROM (
       SELECT submission_number FROM challenge_submissions
       WHERE challenge_id = $1 ORDER BY submission_number LIMIT $3) first))
   ORDER BY (agent_id = $2) IS TRUE DESC, submission_number LIMIT $3`,
);
