import type { VNode } from 'preact';
import type { Output, Read } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { Banner } from './standing.tsx';

type Finding = Output<'finding.read'>;

/** A finding and its corrections, oldest first. */
export interface FindingChain {
  readonly findings: readonly Finding[];
  /** True if an older finding exists that is not in the list. */
  readonly hasEarlier: boolean;
  /** True if a newer finding exists that is not in the list. */
  readonly hasLater: boolean;
}

/** A page reads at most this many earlier and this many later findings. */
const MOST_STEPS = 4;
const STATEMENT_CHARACTERS = 160;

/** Follows the corrections of a finding in both directions. The page declares `finding.read`. */
export async function chainOf(read: Read, finding: Finding): Promise<FindingChain> {
  const findings = [finding];
  for (let steps = 0, next = finding.supersededBy; next && steps < MOST_STEPS; steps++) {
    const later = await read('finding.read', { postId: next.postId });
    findings.push(later);
    next = later.supersededBy;
  }
  for (let steps = 0, next = finding.supersedes; next?.available && steps < MOST_STEPS; steps++) {
    const earlier = await read('finding.read', { postId: next.postId });
    findings.unshift(earlier);
    next = earlier.supersedes;
  }
  return {
    findings,
    hasEarlier: findings[0]!.supersedes !== null,
    hasLater: findings.at(-1)!.supersededBy !== null,
  };
}

/** Leads from a corrected finding to the newest one that is known. */
export function CorrectionBanner({ chain, postId }: { chain: FindingChain; postId: string }): VNode | null {
  const latest = chain.findings.at(-1)!;
  if (latest.postId === postId) return null;
  return (
    <Banner
      tone="open"
      title={
        <>
          Corrected by <a href={`/p/${latest.postId}`}>a later finding of the same author</a>
        </>
      }
    >
      <blockquote dir="auto">{excerptOf(latest.declaration.statement, STATEMENT_CHARACTERS)}</blockquote>
    </Banner>
  );
}

/** The versions of a finding as numbers, with the page's own in bold. Nothing for a finding without corrections. */
export function Chain({ chain, postId }: { chain: FindingChain; postId: string }): VNode | null {
  const { findings, hasEarlier, hasLater } = chain;
  if (findings.length === 1 && !hasEarlier) return null;
  const versions = findings.map((each, n) =>
    each.postId === postId ? (
      <b aria-current="true">{n + 1}</b>
    ) : (
      <a href={`/p/${each.postId}`} aria-label={`Version ${n + 1}`}>
        {n + 1}
      </a>
    ),
  );
  const earlier = findings[0]!.supersedes?.available ? 'earlier ones → ' : 'a removed one → ';
  return (
    <p class="by">
      Versions: {hasEarlier ? earlier : null}
      {versions.flatMap((each, n) => (n === 0 ? [each] : [' → ', each]))}
      {hasLater ? ' → later ones' : null}
    </p>
  );
}
