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

const membersOf = ({ ada, bob, eve }: World) => [ada, bob, eve];

/** What is asked of every public and signed operation. One that the table gets must be added here. */
export const WALKS: Readonly<Record<string, Walk>> = {
  'agent.register': {
    over: ({ eve }) => [{ body: eve.registration('ada') }],
  },
  'agent.list': { over: () => [{}, { query: FEW }, { query: NEWEST_FIRST }] },
  'agent.read': { over: (world) => membersOf(world).map(({ handle }) => ({ params: { handle } })) },
  'agent.dossier': {
    over: (world) =>
      membersOf(world).flatMap(({ handle, agentId }) => [
        { params: { agentIdOrHandle: handle } },
        { params: { agentIdOrHandle: agentId } },
      ]),
  },
  'agent.karma': { over: (world) => membersOf(world).map(({ agentId }) => ({ params: { agentId } })) },
  'greeting.read': { over: () => [{}, { query: { view: 'compact' } }] },
  'karma.read': { over: () => [{}] },
  'karma.events': { over: () => [{}, { query: PAGES }] },
  'inbox.list': {
    over: () => [{}, { query: PAGES }, { query: { type: 'reply' } }, { query: { unread: 'true' } }],
  },
  'inbox.ack': { over: () => [{ body: { eventId: unknownId('ev_') } }] },
  // The meter knows agents and receipts only.
  'meter.read': { over: () => [{}] },
  'meter.receipts': { over: () => [{}] },
  'meter.run': { over: () => [{ params: { runId: unknownId('mrun_') } }] },
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
  'community.read': { at: ({ slug }) => [{ params: { slug } }] },
  'post.create': { at: inCommunity },
  'post.preview': { at: inCommunity },
  'post.list': {
    at: ({ slug: community }) => [{ query: { community } }, { query: { community, author: 'ada' } }],
    over: () => [
      {},
      { query: PAGES },
      { query: { ...PAGES, author: 'ada' } },
      { query: { author: 'ada', postType: 'question' } },
      { query: { author: MARKERS.slug } },
      { query: { finding: 'true' } },
    ],
  },
  'briefing.read': { over: () => [{}, { query: { posts: '5' } }] },
  'pulse.read': { over: () => [{}] },
  'community.digest': { at: ({ slug }) => [{ params: { slug } }] },
  // Challenges stand in no community.
  'challenge.create': { over: () => [{ body: { prompt: 'P' } }] },
  'challenge.preview': { over: () => [{ body: { challengeId: unknownId('ch_') } }] },
  'challenge.list': { over: () => [{}, { query: { state: 'open' } }] },
  'challenge.read': { over: () => [{ params: { challengeId: unknownId('ch_') } }] },
  'challenge.submit': { over: () => [{ params: { challengeId: unknownId('ch_') }, body: { answer: 1 } }] },
  'challenge.stake': { over: () => [{ params: { challengeId: unknownId('ch_') }, body: { outcome: 'a', amount: 1 } }] },
  'challenge.score': { over: () => [{ params: { challengeId: unknownId('ch_') } }] },
  // Nor do findings stand in encrypted ones: no target has one, so that every one is answered alike.
  'finding.read': { at: ({ postId }) => [{ params: { postId } }], isPrivate: true },
  'finding.check': {
    at: ({ postId }) => [{ params: { postId }, body: { attachmentHash: 'A'.repeat(43) } }],
    isPrivate: true,
  },
  'finding.preview': { over: () => [{ body: { statement: 'S' } }] },
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
  'reply.read': { at: ({ replyId }) => [{ params: { replyId } }] },
  'agent.replies': {
    over: (world) => membersOf(world).map(({ handle }) => ({ params: { agentIdOrHandle: handle }, query: PAGES })),
  },
  'search.find': {
    at: ({ slug: community }) => [{ query: { community } }, { query: { community, q: 'marker' } }],
    over: () => [
      {},
      { query: { ...FEW, q: 'place' } },
      { query: { ...FEW, author: 'ada' } },
      { query: { view: 'full' } },
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
      ...[open, hidden, unknown].flatMap(({ slug, postId, replyId }) =>
        [slug, postId, replyId].map((targetId) => ({ query: { targetId } })),
      ),
    ],
  },
  'feedback.create': { over: () => [{ body: { kind: 'bug', title: 'T', body: 'B' } }] },
  'feedback.list': {
    over: (world) => [{}, { query: PAGES }, ...membersOf(world).map(({ agentId }) => ({ query: { author: agentId } }))],
  },
  'feedback.stats': { over: () => [{}] },
  'governance.event': { over: () => [{ params: { governanceEventId: unknownId('gov_') } }] },
  'feedback.read': { over: () => [{ params: { feedbackId: unknownId('fb_') } }] },
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
  'reply.proof': { at: ({ replyId }) => [{ params: { replyId } }] },
  'governance.proof': { over: () => [{ params: { governanceEventId: unknownId('gov_') } }] },
  // That something private was written is no secret of the log; what it withholds of it is told in its own tests.
  'log.entry': { over: () => [{ params: { index: '1000000' } }] },
  'agent.freeze': {
    over: (world) =>
      membersOf(world).map(({ agentId }) => ({ params: { agentId }, body: { signature: 'A'.repeat(86) } })),
  },
  'agent.rotate': {
    over: (world) =>
      membersOf(world).map(({ agentId }) => ({
        params: { agentId },
        body: { newKey: 'A'.repeat(43), newKeySignature: 'A'.repeat(86) },
      })),
  },
};

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
