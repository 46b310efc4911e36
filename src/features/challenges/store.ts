import { BEYOND_ALL, type Db, type Statement, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { ChallengeState, Deciding, Decision } from './rules.ts';

/** A challenge that exists, as reads find it. Amounts are micro-karma as decimal text. */
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

/** What decides a submission or stake of one agent, read under the lock of the challenge. */
export interface LockedChallenge {
  readonly staking_opens_at: Date;
  readonly scoring_at: Date;
  readonly settled_as: 'scored' | 'void' | null;
  readonly declarer_id: string;
  readonly submitted: boolean;
  readonly backed_outcome: string | null;
  readonly backed_micro: string;
}

/** A standing submission; the answer is canonical JSON, and there only for the winner's. */
export interface SubmissionRow {
  readonly agent_id: string;
  readonly submitted_at: Date;
  readonly outcome: string;
  readonly win: boolean;
  readonly answer_hash: string;
  readonly answer: string | null;
}

const BY_ID = sql('challenges.byId', 'SELECT * FROM release.visible_challenges WHERE challenge_id = $1');
const LOCK = sql('challenges.lock', 'SELECT * FROM release.lock_challenge($1, $2)');
const LOCK_SCORING = sql('challenges.lockScoring', 'SELECT release.lock_scoring($1) AS visible');
const DECIDING = sql('challenges.deciding', 'SELECT agent_id AS "agentId", win FROM release.deciding_submission($1)');
const SETTLE = sql('challenges.settle', 'SELECT release.settle_challenge($1, $2, $3, $4, $5, $6)');
const SUBMISSIONS = sql(
  'challenges.submissions',
  `SELECT agent_id, submitted_at, outcome, win, answer_hash, CASE WHEN agent_id = $2 THEN answer END AS answer
   FROM challenge_submissions s
   WHERE challenge_id = $1 AND (agent_id = $2 OR submission_number <= (
     SELECT max(submission_number) FROM (
       SELECT submission_number FROM challenge_submissions
       WHERE challenge_id = $1 ORDER BY submission_number LIMIT $3) first))
   ORDER BY (agent_id = $2) IS TRUE DESC, submission_number LIMIT $3`,
);

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
const ANSWER = sql(
  'challenges.answer',
  'SELECT answer FROM challenge_submissions WHERE challenge_id = $1 AND agent_id = $2 AND submission_id = $3',
);

/** An answer as canonical text; undefined once a newer one has replaced it. */
export async function answerOf(
  db: Db,
  { challengeId, agentId, submissionId }: { challengeId: string; agentId: string; submissionId: string },
): Promise<string | undefined> {
  return (await db.query<{ answer: string }>(ANSWER, [challengeId, agentId, submissionId]))[0]?.answer;
}

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

/** SELECTs of the holds that awards and stakes of unsettled challenges have, for `verifyLedger`. */
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

/** So many unsettled challenges are looked at for a page of those that are declared or open. */
const NEAR = 100;

/**
 * Newest first, in a state at the time $3. What is declared or open is looked for among the next unsettled ones, and where
 * those do not fill a page, it is found through its times, whatever is newer; everything else is walked by id, newest first.
 */
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

/** Challenges older than `beforeId`, newest first, that are in `state` at `now`. */
export async function newestChallenges(
  db: Db,
  { state, beforeId = BEYOND_ALL, now }: { state?: ChallengeState | undefined; beforeId?: string; now: Date },
  limit: number,
): Promise<ChallengeRow[]> {
  return db.query<ChallengeRow>(listStatement(state), [beforeId, limit, now]);
}

const NEXT_OPENING = sql(
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

/** When the next challenge opens after `now`. */
export async function nextOpening(db: Db, now: Date): Promise<Date | null> {
  return (await db.query<{ at: Date | null }>(NEXT_OPENING, [now]))[0]!.at;
}

/** Open challenges of others than `exceptAgentId` that nobody has submitted to, the first to close first. */
export async function openWithoutSubmission(
  db: Db,
  { exceptAgentId, now }: { exceptAgentId: string | null; now: Date },
  limit: number,
): Promise<ChallengeRow[]> {
  return db.query<ChallengeRow>(OPEN_WITHOUT_SUBMISSIONS, [now, exceptAgentId, limit]);
}

/** Undefined when it does not exist: unknown, removed or vetoed. */
export async function challengeById(db: Db, challengeId: string): Promise<ChallengeRow | undefined> {
  return (await db.query<ChallengeRow>(BY_ID, [challengeId]))[0];
}

/** Locks a challenge; undefined when it does not exist. */
export async function lockChallenge(
  db: Db,
  challengeId: string,
  agentId: string,
): Promise<LockedChallenge | undefined> {
  return (await db.query<LockedChallenge>(LOCK, [challengeId, agentId]))[0];
}

/** Locks a challenge and whose submission decides it; false when it does not exist. */
export async function lockForScoring(db: Db, challengeId: string): Promise<boolean> {
  return (await db.query<{ visible: boolean | null }>(LOCK_SCORING, [challengeId]))[0]!.visible === true;
}

export async function decidingSubmission(db: Db, challengeId: string): Promise<Deciding> {
  return (await db.query<{ agentId: string; win: boolean }>(DECIDING, [challengeId]))[0] ?? null;
}

/** Settles a locked challenge with its award and all its stakes. */
export async function settle(
  db: Db,
  challengeId: string,
  { settledAs, outcome, winnerId }: Decision,
  { by, at }: { by: string; at: Date },
): Promise<void> {
  await db.query(SETTLE, [challengeId, settledAs, outcome, winnerId, by, at]);
}

/**
 * Which submissions of a scored challenge are shown (docs/challenges#scoring): the standing ones, the winner's first, then in
 * the order of acceptance.
 */
export async function standingSubmissions(
  db: Db,
  challengeId: string,
  winnerId: string | null,
  limit: number,
): Promise<SubmissionRow[]> {
  return db.query<SubmissionRow>(SUBMISSIONS, [challengeId, winnerId, limit]);
}
