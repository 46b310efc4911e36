import { invalid, notFound } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Page, type PageInput, readPage } from '../../operation/paging.ts';
import { BEYOND_ALL, type Db } from '../../platform/postgres/postgres.ts';
import { textOfJson, warningsIn, warningsInJson } from '../../protocol/warnings.ts';
import { checkDeclaration, requireAnswer } from './declaration.ts';
import { presentChallenge, presentOdds, vetoedChallenge } from './present.ts';
import { ODDS_POINTS, SHOWN_SUBMISSIONS, timingProblem } from './rules.ts';
import type {
  Challenge,
  ChallengeFilter,
  DeclarationInput,
  DeclarationReceipt,
  Declared,
  Odds,
  Preview,
  PreviewInput,
} from './schemas.ts';
import {
  type ChallengeRow,
  CREATE_CHALLENGE,
  challengeById,
  closingChallenges,
  newestChallenges,
  nextOpening,
  OPEN_WITHOUT_SUBMISSIONS,
  oddsOf,
  oddsVersion,
  standingSubmissions,
} from './store.ts';

export async function createChallenge(
  ctx: SignedContext,
  input: DeclarationInput,
): Promise<Effect<DeclarationReceipt>> {
  const declaration = checkDeclaration(input);
  const late = timingProblem(declaration, ctx.now, ctx.config.challengeHorizonDays);
  if (late) throw invalid(late);
  const { text, hash, awardMicro } = declaration;
  const { agentId, handle } = ctx.caller;
  const row: ChallengeRow = {
    challenge_id: ctx.newId('ch_'),
    declaration: text,
    declaration_hash: hash,
    declarer_id: agentId,
    declarer_handle: handle,
    created_at: new Date(ctx.now),
    staking_opens_at: new Date(declaration.stakingOpensAtMs),
    scoring_at: new Date(declaration.scoringAtMs),
    submission_count: 0,
    settled_as: null,
    outcome: null,
    winner_id: null,
    winner_handle: null,
    awarded_micro: '0',
    settled_at: null,
    settled_by: null,
    settled_by_handle: null,
    stakes: [],
  };
  const { challenge_id: challengeId, staking_opens_at, scoring_at, created_at } = row;
  return {
    change: CREATE_CHALLENGE({
      challenge_id: challengeId,
      declarer_id: agentId,
      declaration: text,
      declaration_hash: hash,
      award_micro: String(awardMicro),
      staking_opens_at,
      scoring_at,
      at: created_at,
    }),
    facts: { challengeId },
    events: [{ kind: 'challenge.created', subject: challengeId }],
    present: () => ({ ...presentChallenge(row, ctx.now), warnings: warningsOf(declaration.declared) }),
  };
}

const warningsOf = ({ prompt, checkerProgram }: Pick<Declared, 'prompt' | 'checkerProgram'>) =>
  warningsIn({ prompt, checkerProgram: textOfJson(checkerProgram) });

export async function readChallenge(ctx: Context, { challengeId }: { challengeId: string }): Promise<Challenge> {
  const challenge = await showChallenge(ctx.db, challengeId, ctx.now);
  if (!challenge) throw notFound();
  return challenge;
}

/** The stakes over time, without names. */
export async function readOdds(ctx: Context, { challengeId }: { challengeId: string }): Promise<Odds> {
  const challenge = await challengeById(ctx.db, challengeId);
  if (!challenge) throw notFound();
  const { outcomes } = JSON.parse(challenge.declaration) as Declared;
  return { points: presentOdds(outcomes, await oddsOf(ctx.db, challengeId, ODDS_POINTS)) };
}

/** Null for a challenge that is not visible: nothing is cached then. */
export const versionOfOdds = async (ctx: Context, { challengeId }: { challengeId: string }): Promise<string | null> =>
  (await oddsVersion(ctx.db, challengeId)) ?? null;

/** Returns a challenge, with its submissions only after it was scored (docs/challenges#submissions). */
export async function showChallenge(db: Db, challengeId: string, nowMs: number): Promise<Challenge | undefined> {
  const row = await challengeById(db, challengeId);
  if (!row || row.settled_by === null) return row && presentChallenge(row, nowMs);
  const submissions = await standingSubmissions(db, challengeId, row.winner_id, SHOWN_SUBMISSIONS);
  return presentChallenge(row, nowMs, submissions);
}

export async function rebuildChallengeReceipt(ctx: SignedContext, facts: Facts) {
  const challengeId = String(facts.challengeId);
  return (await showChallenge(ctx.db, challengeId, ctx.now)) ?? vetoedChallenge(challengeId);
}

export async function rebuildDeclarationReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const receipt = await rebuildChallengeReceipt(ctx, facts);
  return { ...receipt, warnings: 'declaration' in receipt ? warningsOf(receipt.declaration) : [] };
}

export async function listChallenges(ctx: Context, input: ChallengeFilter): Promise<Page<Challenge>> {
  const { state, order, ...rest } = input;
  if (order !== 'closing') return newestFirst(ctx, state, rest);
  if (state !== undefined) throw invalid('order');
  const now = new Date(ctx.now);
  const { rows, ...next } = await readPage(
    ctx,
    rest,
    ['challenge.list', order],
    (position, limit) => {
      const after = position && { at: new Date(Number(position.at)), challengeId: String(position.challengeId) };
      return closingChallenges(ctx.db, after ?? { at: now, challengeId: BEYOND_ALL }, limit, now);
    },
    (row) => ({ at: row.scoring_at.getTime(), challengeId: row.challenge_id }),
  );
  return { items: rows.map((row) => presentChallenge(row, ctx.now)), ...next };
}

async function newestFirst(ctx: Context, state: ChallengeFilter['state'], input: PageInput): Promise<Page<Challenge>> {
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['challenge.list', state ?? null],
    (position, limit) => {
      const before = position ? { beforeId: String(position.challengeId) } : {};
      return newestChallenges(ctx.db, { state, now: new Date(ctx.now), ...before }, limit);
    },
    (row) => ({ challengeId: row.challenge_id }),
  );
  return { items: rows.map((row) => presentChallenge(row, ctx.now)), ...rest };
}

/** The first to close first (docs/agents#briefing). `changesAt` is when time alone changes this list, or null. */
export async function openWithoutSubmissions(
  db: Db,
  { exceptAgentId, nowMs }: { exceptAgentId: string | null; nowMs: number },
  limit: number,
) {
  const now = new Date(nowMs);
  const [rows, opening] = await Promise.all([
    db.query<ChallengeRow>(OPEN_WITHOUT_SUBMISSIONS, [now, exceptAgentId, limit]),
    nextOpening(db, now),
  ]);
  const moments = [...rows.map((row) => row.scoring_at), ...(opening ? [opening] : [])].map(Number);
  return {
    items: rows.map((row) => presentChallenge(row, nowMs)),
    changesAt: moments.length === 0 ? null : new Date(Math.min(...moments)).toISOString(),
  };
}

/** The times of a declaration with its hash may be past (docs/challenges). */
export async function previewChallenge(
  ctx: Context,
  { challenge, challengeId, answer }: PreviewInput,
): Promise<Preview> {
  if ((challenge === undefined) === (challengeId === undefined)) {
    throw invalid(challenge === undefined ? 'challenge' : 'challengeId');
  }
  const declared = challenge ? draft(ctx, challenge) : (await requirePublished(ctx.db, challengeId!)).declared;
  const warnings = warningsOf(declared);
  if (answer === undefined) return { valid: true, verdict: null, warnings };
  requireAnswer(answer);
  const { checkerProgram, outcomes } = declared;
  const verdict = await ctx.check({ program: checkerProgram, outcomes, answer });
  return { valid: true, verdict, warnings: [...warnings, ...warningsInJson({ answer })] };
}

function draft(ctx: Context, input: DeclarationInput): Declared {
  const declaration = checkDeclaration(input, 'challenge.');
  const isStamped = input.declarationHash !== undefined;
  const late = isStamped ? null : timingProblem(declaration, ctx.now, ctx.config.challengeHorizonDays);
  if (late) throw invalid(`challenge.${late}`);
  return declaration.declared;
}

/**
 * Returns a challenge with its declaration; throws `not_found` if it is unknown, removed or vetoed (docs/challenges).
 */
export async function requirePublished(
  db: Db,
  challengeId: string,
): Promise<{ row: ChallengeRow; declared: Declared }> {
  const row = await challengeById(db, challengeId);
  if (!row) throw notFound();
  return { row, declared: JSON.parse(row.declaration) as Declared };
}

export { challengesWonBy } from './store.ts';
