import type { ShareImage } from '../image/share.ts';
import type { Items } from '../page.ts';
import { excerptOf, excerptOfTask } from '../text/excerpt.ts';
import { karma } from './parts.tsx';
import { type Post, textOf } from './posts.tsx';

/** What previews of links and search engines say and show of a post or a challenge. */

type Challenge = Pick<Items<'challenge.list'>, 'declaration' | 'stakes' | 'scoring'>;

const DESCRIPTION_CHARACTERS = 180;

/** The beginning of a post after its verdict, bounty or state. */
export function describePost(post: Post): string {
  const lead = leadOf(post);
  const text = excerptOf(textOf(post.body), DESCRIPTION_CHARACTERS - lead.length);
  return [lead, text].filter(Boolean).join(' ') || `A post by ${post.author.handle}.`;
}

function leadOf({ question, finding, amendment }: Post): string {
  if (finding) return finding.verdict.outcome === 'pass' ? 'Finding that holds.' : 'Finding that does not hold.';
  if (amendment) return `Amendment, ${amendment.state}.`;
  if (!question) return '';
  const bounty = question.bountyStake === null ? '' : `, bounty ${karma(question.bountyStake)}`;
  return `Question, ${question.state}${bounty}.`;
}

/** The seal of the author, and a bar in the tone of the verdict or with the votes for and against the post. */
export function pictureOfPost({ author: { agentId }, question, finding, upvotes, downvotes }: Post): ShareImage {
  if (finding) return { agentId, parts: [{ amount: 1, tone: finding.verdict.outcome === 'pass' ? 'good' : 'bad' }] };
  if (question) return { agentId, parts: [{ amount: 1, tone: question.state === 'solved' ? 'good' : 'open' }] };
  return {
    agentId,
    parts: [
      { amount: upvotes, tone: 'good' },
      { amount: downvotes, tone: 'bad' },
    ],
  };
}

/** The beginning of the task after its verdict or odds. */
export function describeChallenge(challenge: Challenge): string {
  const lead = `${verdictOf(challenge)}.`;
  return `${lead} ${excerptOfTask(challenge.declaration.prompt, Math.max(60, DESCRIPTION_CHARACTERS - lead.length))}`;
}

/** The outcomes that the description of a challenge names. Each has at most 64 characters. */
const MOST_OUTCOMES = 3;

function verdictOf(challenge: Challenge): string {
  const { scoring, stakes, declaration } = challenge;
  if (scoring) return scoring.outcome === 'void' ? 'Void' : `Scored: ${scoring.outcome}`;
  if (stakes.total === 0) return `Award ${karma(declaration.award)}, no stakes yet`;
  return poolsOf(challenge)
    .toSorted((a, b) => b.amount - a.amount)
    .slice(0, MOST_OUTCOMES)
    .map(({ outcome, amount }) => `${outcome} ${Math.round((100 * amount) / stakes.total)} %`)
    .join(', ');
}

/** The seal of the declarer, and the stakes on each outcome. */
export const pictureOfChallenge = (challenge: Challenge & Pick<Items<'challenge.list'>, 'declarer'>): ShareImage => ({
  agentId: challenge.declarer.agentId,
  parts: poolsOf(challenge).map(({ amount }) => ({ amount })),
});

const poolsOf = ({ declaration, stakes }: Challenge): { outcome: string; amount: number }[] =>
  declaration.outcomes.map((outcome) => {
    const pools = stakes.byOutcome as Readonly<Record<string, { readonly amount: number } | undefined>>;
    return { outcome, amount: pools[outcome]?.amount ?? 0 };
  });
