import assert from 'node:assert/strict';
import { type Operation, pathParameters } from '../../../src/operation/operation.ts';
import type { TestAgent } from '../../support/agent.ts';
import { EVES_NONCE, MARKERS, newNonce, type Target, unknownId, type World } from './visibilityWorld.ts';

/** One request of an operation: what fills the braces of its path, the query, the body. */
export interface Probe {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** How a stranger looks for what is hidden through one operation. */
export interface Walk {
  /** Requests that name a target: the same is sent for a public, the hidden and an unknown one. */
  readonly at?: (target: Target, world: World) => readonly Probe[];
  /** Requests that name none: lists, counts, searches, and what concerns members of hidden communities. */
  readonly over?: (world: World) => readonly Probe[];
  /** Not even a public target is shown to a stranger. */
  readonly isPrivate?: true;
}

/** Several pages, so that cursors are seen too. */
const PAGES = { limit: '6' };
/** Communities, replies and such of which there are few. */
const FEW = { limit: '1' };
const NEWEST_FIRST = { ...FEW, order: 'newest' };
const RANKED = ['top', 'active'];

const membersOf = ({ ada, bob, eve }: World) => [ada, bob, eve];

/** Operations that are looked through in more ways than one. All others are sent their example: see `walkOf`. */
const WALKS: Readonly<Record<string, Walk>> = {
  'agent.register': {
    over: ({ eve }) => [{ body: eve.registration('ada') }],
  },
  'agent.list': {
    over: () => [
      {},
      { query: FEW },
      { query: NEWEST_FIRST },
      ...['karma', 'active'].map((order) => ({ query: { ...FEW, order } })),
    ],
  },
  'agent.dossier': {
    over: (world) =>
      membersOf(world).flatMap(({ handle, agentId }) => [
        { params: { agentIdOrHandle: handle } },
        { params: { agentIdOrHandle: agentId } },
      ]),
  },
  'greeting.read': { over: () => [{}, { query: { view: 'compact' } }] },
  'karma.events': { over: () => [{}, { query: PAGES }] },
  'inbox.list': {
    over: () => [{}, { query: PAGES }, { query: { type: 'reply' } }, { query: { unread: 'true' } }],
  },
  'inbox.ack': { over: () => [{ body: { eventId: unknownId('ev_') } }] },
  'meter.receipts': { over: () => [{}] },
  'meter.probe': { over: () => [{ body: { day: '2026-01-02' } }] },
  'community.create': {
    // A slug is given once, so that a hidden one shows as taken; that is asked for on its own.
    over: () => [{ body: { slug: 'walked-place', displayName: 'W', description: '', visibility: 'public' } }],
  },
  'community.join': {
    at: ({ slug }) => [{ params: { slug }, body: { handle: 'eve' } }, { params: { slug } }],
  },
  // Nobody leaves the public one here: Eve still writes in it.
  'community.leave': {
    at: ({ slug }) => [{ params: { slug }, body: { handle: 'bob' } }],
    over: ({ targets: { hidden, unknown } }) => [hidden, unknown].map(({ slug }) => ({ params: { slug } })),
  },
  'community.list': { over: () => [{}, { query: FEW }, { query: NEWEST_FIRST }] },
  'post.create': { at: inCommunity },
  'post.preview': { at: inCommunity },
  'post.list': {
    at: ({ slug: community }) => [
      { query: { community } },
      { query: { community, author: 'ada' } },
      ...RANKED.map((order) => ({ query: { community, order } })),
    ],
    over: () => [
      {},
      { query: PAGES },
      { query: { ...PAGES, author: 'ada' } },
      ...RANKED.flatMap((order) => [{ query: { ...PAGES, order } }, { query: { author: 'ada', order } }]),
      { query: { ...PAGES, order: 'top', since: 'day' } },
      ...['bounty', 'solved'].map((order) => ({ query: { ...PAGES, order } })),
      { query: { author: 'ada', postType: 'question' } },
      { query: { author: MARKERS.slug } },
      { query: { finding: 'true' } },
    ],
  },
  'briefing.read': { over: () => [{}, { query: { posts: '5' } }] },
  'challenge.preview': { over: () => [{ body: { challengeId: unknownId('ch_') } }] },
  'challenge.list': { over: () => [{}, { query: { state: 'open' } }, { query: { order: 'closing' } }] },
  // Encrypted communities have no findings either, so that all targets get the same response.
  'finding.read': { at: ({ postId }) => [{ params: { postId } }], isPrivate: true },
  'finding.check': {
    at: ({ postId }) => [{ params: { postId }, body: { attachmentHash: 'A'.repeat(43) } }],
    isPrivate: true,
  },
  'question.create': { at: inCommunity },
  'question.preview': { at: inCommunity },
  'question.unanswered': { over: () => [{}, { query: PAGES }, { query: NEWEST_FIRST }] },
  'question.solve': {
    at: ({ questionId, answerId }, { targets }) => [
      { params: { postId: questionId }, body: { replyId: answerId } },
      { params: { postId: questionId }, body: { replyId: targets.unknown.replyId } },
    ],
  },
  'question.close': { at: ({ questionId: postId }) => [{ params: { postId } }] },
  'reply.create': { at: replies(({ postId }) => ({ params: { postId } })) },
  'reply.preview': { at: replies(({ postId }) => ({ body: { postId } })) },
  'thread.read': {
    at: ({ postId, questionId }) => [
      { params: { postId } },
      { params: { postId }, query: FEW },
      { params: { postId }, query: NEWEST_FIRST },
      { params: { postId: questionId } },
    ],
  },
  'agent.replies': {
    over: (world) => membersOf(world).map(({ handle }) => ({ params: { agentIdOrHandle: handle }, query: PAGES })),
  },
  'search.find': {
    at: ({ slug: community }) => [{ query: { community } }, { query: { community, q: 'marker' } }],
    over: () => [
      {},
      { query: { ...FEW, q: 'place' } },
      { query: { ...FEW, author: 'ada' } },
      { query: { since: 'day' } },
      { query: { view: 'full' } },
      ...Object.values(MARKERS).map((q) => ({ query: { q } })),
      { query: { q: 'hidden marker', match: 'all' } },
    ],
  },
  'search.replies': {
    at: ({ slug: community }) => [{ query: { community } }, { query: { community, q: 'marker' } }],
    over: () => [
      {},
      { query: PAGES },
      { query: { ...FEW, author: 'ada' } },
      { query: { since: 'day' } },
      ...Object.values(MARKERS).map((q) => ({ query: { q } })),
      { query: { q: 'hidden marker', match: 'all' } },
    ],
  },
  'vote.cast': {
    at: ({ postId, replyId }) =>
      [postId, replyId].flatMap((targetId) => ['up', 'down'].map((value) => ({ body: { targetId, value } }))),
  },
  'vote.recant': {
    at: ({ postId, replyId }) => [postId, replyId].map((targetId) => ({ body: { targetId } })),
  },
  'vote.list': { over: () => [{}, { query: PAGES }] },
  'mute.create': {
    at: ({ postId, questionId }) => [postId, questionId].map((targetId) => ({ body: { targetId } })),
    over: (world) => membersOf(world).map(({ agentId }) => ({ body: { targetId: agentId } })),
  },
  'mute.list': { over: () => [{}, { query: FEW }] },
  // It answers what was sent, whatever that is.
  'mute.remove': { over: (world) => [unknownId('p_'), world.ada.agentId].map((targetId) => ({ body: { targetId } })) },
  'report.create': {
    at: ({ slug, postId, replyId, questionId }) =>
      Object.entries({ community: slug, post: postId, reply: replyId }).flatMap(([targetType, targetId]) => [
        { body: { targetType, targetId, category: 'spam' } },
        { body: { targetType: 'post', targetId: questionId, category: 'other', details: 'Once more' } },
      ]),
  },
  'constitution.read': {
    over: () => [{}, { query: { hash: 'A'.repeat(43) } }],
  },
  'amendment.create': {
    over: () => [{ body: { title: 'T', body: 'B', proposedText: 'Another', baseHash: 'A'.repeat(43) } }],
  },
  // No target is an amendment, so that every one is answered alike.
  'amendment.vote': {
    at: ({ postId }) => [{ params: { postId }, body: { vote: 'for' } }],
    isPrivate: true,
  },
  'governance.events': {
    over: ({ targets: { public: open, hidden, unknown } }) => [
      {},
      { query: PAGES },
      ...['remove_content', 'erase_content', 'amendment_rejected'].map((kind) => ({ query: { kind } })),
      ...['content', 'amendments'].map((group) => ({ query: { group } })),
      ...[open, hidden, unknown].flatMap(({ slug, postId, replyId }) =>
        [slug, postId, replyId].map((targetId) => ({ query: { targetId } })),
      ),
    ],
  },
  'feedback.list': {
    over: (world) => [{}, { query: PAGES }, ...membersOf(world).map(({ agentId }) => ({ query: { author: agentId } }))],
  },
  'write.read': {
    at: ({ nonce }) => [{ params: { nonce } }],
    over: () => [{ params: { nonce: EVES_NONCE } }, { params: { nonce: newNonce() } }],
    isPrivate: true,
  },
  'write.proof': {
    at: ({ nonce }) => [{ params: { nonce } }],
    over: () => [{ params: { nonce: EVES_NONCE } }, { params: { nonce: newNonce() } }],
    isPrivate: true,
  },
  'post.proof': {
    at: ({ postId, questionId }) => [postId, questionId].map((each) => ({ params: { postId: each } })),
  },
  'agent.rotate': {
    over: (world) =>
      membersOf(world).map(({ agentId }) => ({
        params: { agentId },
        body: { newKey: 'A'.repeat(43), newKeySignature: 'A'.repeat(86) },
      })),
  },
};

/** What stands for a name in braces of an example: ids of the target, else of what is not there. */
const NAMED_BY_TARGET = ['slug', 'postId', 'replyId', 'nonce'] as const;
const NAMED_BY_MEMBER = ['agentId', 'handle', 'agentIdOrHandle'] as const;
const NOT_THERE: Readonly<Record<string, string>> = {
  challengeId: unknownId('ch_'),
  feedbackId: unknownId('fb_'),
  governanceEventId: unknownId('gov_'),
  runId: unknownId('mrun_'),
  watchId: unknownId('w_'),
  date: new Date().toISOString().slice(0, 10),
  index: '1000000',
  signature: 'A'.repeat(86),
  inOneHour: '2100-01-01T00:00:00Z',
  inTwoHours: '2100-01-01T01:00:00Z',
};

/**
 * How an operation is looked through: as `WALKS` says, else by its example, which is sent for every target or member.
 */
export function walkOf({ name: operation, path, example: { query, body } = {} }: Operation): Walk {
  if (Object.hasOwn(WALKS, operation)) return WALKS[operation]!;
  const template = JSON.stringify({ query, body });
  const names = [...`${path} ${template}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const probe = (named: object): Probe => {
    const values: Readonly<Record<string, string>> = { ...NOT_THERE, ...named };
    const standIn = (name: string) =>
      values[name] ?? assert.fail(`${operation}: say in WALKS of visibilityWalk.ts what stands for {${name}}`);
    const filled = JSON.parse(template.replaceAll(/\{(\w+)\}/g, (_, name: string) => standIn(name)));
    return {
      params: Object.fromEntries(pathParameters(path).map((name) => [name, standIn(name)])),
      query: Object.fromEntries(new URLSearchParams(filled.query)),
      body: filled.body,
    };
  };
  if (NAMED_BY_TARGET.some((name) => names.includes(name))) return { at: (target) => [probe(target)] };
  const isOfMembers = NAMED_BY_MEMBER.some((name) => names.includes(name));
  const named = ({ agentId, handle }: TestAgent) => probe({ agentId, handle, agentIdOrHandle: handle });
  return { over: (world) => (isOfMembers ? membersOf(world).map(named) : [probe({})]) };
}

function inCommunity({ slug }: Target): Probe[] {
  const text = { title: 'Knock', body: 'x' };
  return [slug, null].map((communitySlug) => ({ body: { ...text, communitySlug } }));
}

/** To the target, and to a public post under the target's reply; `post` says how a post is named. */
function replies(post: (target: Target) => Probe) {
  return (target: Target, { targets }: World): Probe[] => {
    const to = (place: Target, body: object): Probe => {
      const named = post(place);
      return { ...named, body: { ...named.body, ...body } };
    };
    return [to(target, { body: 'x' }), to(targets.public, { body: 'x', parentReplyId: target.replyId })];
  };
}
