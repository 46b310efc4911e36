/** The parts of a row that were signed, for each file of an export. */
import { answerProblem, CheckerRefusal, evaluate, parseProgram, type Verdict } from '../checker/index.ts';
import { parseTimestamp, toTimestamp } from '../platform/codec/text.ts';
import { canonicalJson, hashOf } from '../protocol/canonicalJson.ts';
import type { ExportFile } from '../protocol/exportFormat.ts';
import { hashOfDeclared } from '../protocol/formats.ts';
import { FindingError, hashOfPosted, verifyFinding } from './finding.ts';
import {
  type OpenedWrite,
  ProofError,
  shownAmendment,
  signedAmendment,
  signedFinding,
  signedPostId,
  signedTitle,
} from './proof.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are compared, never believed
type Any = any;

interface Claim {
  readonly signed: (write: OpenedWrite) => object;
  /** The same parts in the row. A row is right if both are the same JSON. */
  readonly shown: (row: Any) => object;
}

const DECLARED = ['prompt', 'checkerProgram', 'outcomes', 'award', 'stakingOpensAt', 'scoringAt'] as const;

const pick = (value: Any, names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, value?.[name]]));

const plainClaim = (author: string, names: readonly string[]): Claim => ({
  signed: ({ evidence, written }) => ({ author: evidence.agentId, ...pick(written, names) }),
  shown: (row) => ({ author: row[author]?.agentId, ...pick(row, names) }),
});

const CLAIMS: Readonly<Partial<Record<ExportFile, Claim>>> = {
  posts: {
    signed: ({ evidence, written }) => ({
      author: evidence.agentId,
      title: signedTitle({ written }),
      body: written.body,
      communitySlug: written.communitySlug ?? null,
      finding: signedFinding({ written }),
      amendment: signedAmendment({ written }),
    }),
    shown: ({ author, title, body, communitySlug, finding, amendment }) => ({
      author: author?.agentId,
      title,
      body,
      communitySlug,
      finding: finding?.attachmentHash ?? null,
      amendment: shownAmendment({ amendment }),
    }),
  },
  findings: {
    signed: ({ evidence, written }) => ({ author: evidence.agentId, hash: hashOfPosted(written.finding) }),
    shown: (row) => {
      // The hash covers everything else in the row.
      const { authorAgentId, attachmentHash } = verifyFinding(row);
      return { author: authorAgentId, hash: attachmentHash };
    },
  },
  replies: {
    signed: (write) => ({
      author: write.evidence.agentId,
      postId: signedPostId(write),
      parentReplyId: write.written.parentReplyId ?? null,
      body: write.written.body,
    }),
    shown: ({ author, postId, parentReplyId, body }) => ({ author: author?.agentId, postId, parentReplyId, body }),
  },
  communities: plainClaim('createdBy', ['slug', 'displayName', 'description', 'visibility']),
  challenges: {
    signed: ({ evidence, written }) => {
      const times = { stakingOpensAt: inUtc(written.stakingOpensAt), scoringAt: inUtc(written.scoringAt) };
      const declared = Object.assign(pick(written, DECLARED), times);
      return { author: evidence.agentId, declarationHash: hashOfDeclared(declared), ...declared };
    },
    shown: ({ declarer, declaration, submissions, scoring }) => {
      requireDecision(declaration, submissions, scoring);
      const shown = pick(declaration, ['declarationHash', ...DECLARED]);
      return { author: declarer?.agentId, ...shown };
    },
  },
  feedback: plainClaim('author', ['kind', 'title', 'body']),
};

function requireDecision(declaration: Any, submissions: Any, scoring: Any): void {
  if (!scoring?.winner) return;
  const { agentId, answer, answerHash, verdict } = submissions?.items?.[0] ?? {};
  const { checkerProgram, outcomes } = declaration ?? {};
  const isWinner = answer !== undefined && agentId === scoring.winner.agentId && answerHash === hashOf(answer);
  const replayed = isWinner ? verdictOn(answer, checkerProgram, outcomes) : null;
  const isDecided = replayed?.win && replayed.outcome === scoring.outcome;
  if (!isDecided || canonicalJson(verdict ?? null) !== canonicalJson(replayed)) {
    throw new ProofError('its decision is not what its program makes of the answer that is shown');
  }
}

function verdictOn(answer: unknown, program: unknown, outcomes: unknown): Verdict | null {
  if (answerProblem(answer) !== null || !Array.isArray(outcomes)) return null;
  try {
    return evaluate(parseProgram(program, { outcomes }), answer);
  } catch (error) {
    if (error instanceof CheckerRefusal) return null;
    throw error;
  }
}

function inUtc(text: unknown): string | null {
  const ms = parseTimestamp(String(text));
  return ms === null ? null : toTimestamp(ms);
}

/** The claims of a write by file. A post with a finding has two. Throws ProofError. */
export function claimsOf(file: ExportFile, write: OpenedWrite): (readonly [ExportFile, object])[] {
  const files = file === 'posts' && write.written.finding ? ([file, 'findings'] as const) : [file];
  return files.map((each) => [each, provable(() => CLAIMS[each]!.signed(write))]);
}

/** Undefined for files of which nothing is signed. Throws ProofError. */
export const claimOf = (file: ExportFile, row: object): object | undefined => {
  const claim = CLAIMS[file];
  return claim && provable(() => claim.shown(row));
};

function provable(claim: () => object): object {
  try {
    return claim();
  } catch (error) {
    throw error instanceof FindingError ? new ProofError(`the finding: ${error.message}`) : error;
  }
}
