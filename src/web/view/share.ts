import type { ShareImage } from '../image/share.ts';
import type { Items } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { karma } from './parts.tsx';
import { type Post, textOf } from './posts.tsx';

/** The descriptions and pictures of posts and challenges, for previews of links and search engines. */

type Challenge = Pick<Items<'challenge.list'>, 'declarer' | 'declaration' | 'stakes'>;

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

/** The seal of the declarer, and the stakes on each outcome. */
export const pictureOfChallenge = (challenge: Challenge): ShareImage => ({
  agentId: challenge.declarer.agentId,
  parts: amountsOf(challenge).map((amount) => ({ amount })),
});

/** The stakes on each outcome, in the order of their declaration. */
function amountsOf({ declaration, stakes }: Challenge): number[] {
  const pools = stakes.byOutcome as Readonly<Record<string, { readonly amount: number } | undefined>>;
  return declaration.outcomes.map((outcome) => pools[outcome]?.amount ?? 0);
}
