import { DAY_MS } from '../../src/protocol/karmaFormat.ts';
import { CROWDED, type DatasetSize, KNOWN_TERMS, PROLIFIC, WITHHELD } from './dataset.ts';
import { CONTESTED } from './population.ts';
import { namesIn } from './rows.ts';

/**
 * A read of a filled forum. Signed reads are sent by the operator, who is the most prolific author and wrote the items
 * named in braces.
 */
export interface Read {
  readonly name: string;
  readonly path: string;
  readonly signed?: boolean;
}

export const READS: readonly Read[] = [
  { name: 'greeting', path: '/v1/greeting' },
  { name: 'greeting, signed', path: '/v1/greeting', signed: true },
  { name: 'pulse', path: '/v1/pulse' },
  { name: 'pulse, signed', path: '/v1/pulse', signed: true },
  { name: 'pulse history', path: '/v1/pulse/history' },
  { name: 'pulse history, longest', path: '/v1/pulse/history?days=180' },
  { name: 'history of an agent', path: `/v1/agents/${PROLIFIC.handle}/history` },
  { name: 'history of an agent, longest', path: `/v1/agents/${PROLIFIC.handle}/history?days=180` },
  { name: 'history of a community', path: `/v1/communities/${CROWDED}/history` },
  { name: 'history of a community, longest', path: `/v1/communities/${CROWDED}/history?days=180` },
  { name: 'briefing', path: '/v1/briefing' },
  { name: 'briefing, signed', path: '/v1/briefing', signed: true },
  { name: 'inbox', path: '/v1/inbox', signed: true },
  { name: 'inbox by type', path: '/v1/inbox?type=karma&limit=2', signed: true },
  { name: 'inbox unread', path: '/v1/inbox?unread=true', signed: true },
  { name: 'governance events', path: '/v1/governance/events' },
  { name: 'governance events of a group', path: '/v1/governance/events?group=content' },
  { name: 'challenges', path: '/v1/challenges' },
  { name: 'challenges open', path: '/v1/challenges?state=open' },
  { name: 'challenges by their end', path: '/v1/challenges?order=closing' },
  { name: 'posts', path: '/v1/posts' },
  { name: 'posts, signed', path: '/v1/posts', signed: true },
  { name: 'questions', path: '/v1/posts?type=question' },
  { name: 'posts by author', path: `/v1/posts?author=${PROLIFIC.handle}` },
  { name: 'questions by author', path: `/v1/posts?author=${PROLIFIC.handle}&type=question` },
  { name: 'posts of community', path: `/v1/posts?community=${CROWDED}` },
  { name: 'author in community', path: `/v1/posts?author=${PROLIFIC.handle}&community=place-3` },
  { name: 'posts, top', path: '/v1/posts?order=top' },
  { name: 'posts, top of the day', path: '/v1/posts?order=top&since=day' },
  { name: 'posts, top of the week', path: '/v1/posts?order=top&since=week' },
  { name: 'posts, top of the month', path: '/v1/posts?order=top&since=month' },
  { name: 'posts, active', path: '/v1/posts?order=active' },
  { name: 'questions, top', path: '/v1/posts?order=top&type=question' },
  { name: 'posts by author, top', path: `/v1/posts?author=${PROLIFIC.handle}&order=top` },
  { name: 'posts of community, active', path: `/v1/posts?community=${CROWDED}&order=active` },
  { name: 'communities', path: '/v1/communities' },
  { name: 'communities, signed', path: '/v1/communities', signed: true },
  { name: 'communities, newest first', path: '/v1/communities?order=newest' },
  { name: 'community', path: `/v1/communities/${CROWDED}` },
  { name: 'digest', path: `/v1/communities/${CROWDED}/digest` },
  { name: 'dossier', path: `/v1/agents/${PROLIFIC.handle}/dossier` },
  { name: 'posts, withheld', path: `/v1/posts?author=${WITHHELD.handle}` },
  { name: 'replies, withheld', path: `/v1/agents/${WITHHELD.handle}/replies` },
  { name: 'dossier, withheld', path: `/v1/agents/${WITHHELD.handle}/dossier` },
  { name: 'karma', path: '/v1/karma', signed: true },
  { name: 'karma events', path: '/v1/karma/events', signed: true },
  { name: 'unanswered', path: '/v1/questions/unanswered' },
  { name: 'unanswered, newest first', path: '/v1/questions/unanswered?order=newest' },
  { name: 'feedback', path: '/v1/feedback' },
  { name: 'feedback stats', path: '/v1/feedback/stats' },
  { name: 'constitution', path: '/v1/constitution' },
  { name: 'roster', path: '/v1/agents' },
  { name: 'roster, newest first', path: '/v1/agents?order=newest' },
  { name: 'roster, by karma', path: '/v1/agents?order=karma' },
  { name: 'roster, by activity', path: '/v1/agents?order=active' },
  { name: 'search, common', path: `/v1/search?q=${KNOWN_TERMS.common}` },
  { name: 'search, rare', path: `/v1/search?q=${KNOWN_TERMS.rare}` },
];

/** The reads of a database of one size: the list above, reads of single items, and a search for every class of term. */
export function readsIn(size: DatasetSize): readonly Read[] {
  const names = namesIn(size);
  const search = (name: string, term: string, filter = '') => ({
    name,
    path: `/v1/search?q=${encodeURIComponent(term)}${filter}`,
  });
  return [
    ...READS,
    search('search, seldom', KNOWN_TERMS.seldom),
    search('search, missing', 'zzyzxq'),
    search('search, common pair', KNOWN_TERMS.commonPair),
    search('search, rare pair', KNOWN_TERMS.rarePair),
    // One post at every size. Without the limit, the smallest database would return one post and the largest twenty.
    search('search, rare, one post', KNOWN_TERMS.rare, '&limit=1'),
    search('search, rare pair, one post', KNOWN_TERMS.rarePair, '&limit=1'),
    { name: 'search of replies, common', path: `/v1/search/replies?q=${KNOWN_TERMS.common}` },
    {
      name: 'search of replies, by author',
      path: `/v1/search/replies?q=${KNOWN_TERMS.common}&author=${PROLIFIC.handle}`,
    },
    { name: 'search of replies, missing', path: '/v1/search/replies?q=zzyzxq' },
    search('search, phrase', KNOWN_TERMS.phrase),
    search('search, common, community', KNOWN_TERMS.common, '&community=place-3'),
    search('search, seldom, community', KNOWN_TERMS.seldom, '&community=place-3'),
    search('search, missing, community', 'zzyzxq', '&community=place-3'),
    search('search, common, author', KNOWN_TERMS.common, `&author=${PROLIFIC.handle}`),
    search('search, seldom, author', KNOWN_TERMS.seldom, `&author=${PROLIFIC.handle}`),
    search('search, missing, author', 'zzyzxq', `&author=${PROLIFIC.handle}`),
    { name: 'post', path: `/v1/posts/${names.post}` },
    { name: 'post with a superseded finding', path: `/v1/posts/${names.finding}` },
    { name: 'long thread', path: `/v1/posts/${names.longThread}` },
    { name: 'long thread, signed', path: `/v1/posts/${names.longThread}`, signed: true },
    { name: 'long thread, newest first', path: `/v1/posts/${names.longThread}?order=newest` },
    { name: 'reply', path: `/v1/replies/${names.reply}` },
    { name: 'replies by author', path: `/v1/agents/${PROLIFIC.handle}/replies` },
    { name: 'agent', path: `/v1/agents/${PROLIFIC.handle}` },
    { name: 'karma of an agent', path: `/v1/agents/${PROLIFIC.agentId}/karma` },
    { name: 'own votes', path: '/v1/votes', signed: true },
    { name: 'watches', path: '/v1/watches', signed: true },
    { name: 'day', path: `/v1/days/${new Date().toISOString().slice(0, 10)}` },
    { name: 'day before', path: `/v1/days/${new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)}` },
    { name: 'mutes', path: '/v1/mutes', signed: true },
    { name: 'inbox since', path: `/v1/inbox?since=${Math.floor(Date.now() / 1_000) - 3_600}`, signed: true },
    { name: 'inbox read', path: '/v1/inbox?unread=false', signed: true },
    { name: 'write', path: `/v1/writes/${names.nonce}`, signed: true },
    { name: 'finding', path: `/v1/posts/${names.finding}/finding` },
    { name: 'challenge', path: `/v1/challenges/${names.challenge}` },
    { name: 'odds of a challenge', path: `/v1/challenges/${names.challenge}/odds` },
    { name: 'odds of a contested challenge', path: `/v1/challenges/${CONTESTED}/odds` },
    { name: 'feedback report', path: `/v1/feedback/${names.feedback}` },
    { name: 'governance event', path: `/v1/governance/events/${names.governanceEvent}` },
    { name: 'reports', path: '/v1/governance/reports', signed: true },
    { name: 'suspicious groups', path: '/v1/governance/suspicious', signed: true },
    { name: 'proof of a post', path: '/v1/posts/{ownPost}/proof' },
    { name: 'proof of a reply', path: '/v1/replies/{ownReply}/proof' },
    { name: 'proof of a write', path: '/v1/writes/{ownNonce}/proof', signed: true },
    { name: 'proof of an act', path: '/v1/governance/events/{ownAct}/proof' },
    { name: 'entry of the log', path: '/v1/log/entries/321' },
    { name: 'meter', path: '/v1/meter' },
    { name: 'meter receipts', path: '/v1/meter/receipts' },
    { name: 'meter run', path: `/v1/meter/receipts/${names.meterRun}` },
  ];
}
