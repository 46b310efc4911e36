/** What the subject of an event is: the id of it, of karma the number of the row, of a community its slug. */
export type EventSubject =
  | 'agent'
  | 'challenge'
  | 'community'
  | 'feedback'
  | 'governance event'
  | 'karma row'
  | 'meter run'
  | 'post'
  | 'post or reply'
  | 'reply'
  | 'sweep';

/** What becomes of an event, beside the version of its scope and what `put_event` counts of it (`recording/sql`). */
interface EventKindRule {
  readonly about: EventSubject;
  /** The pointer that its recipient finds in the inbox; without, nobody is told. */
  readonly inbox?: {
    readonly type: string;
    /** Where it leads; `target` is the subject, of a reply its post. */
    readonly link: (target: string) => string;
    /** What it tells its recipient, as the docs say it: "… tells you that …". */
    readonly tells: string;
  };
  /** The same for those who replied in the thread before (`thread_pointers`). */
  readonly followers?: EventKindRule['inbox'];
  /** Counts in no public sum, wherever it happened. */
  readonly isPrivate?: true;
  /** Asks for a job of its own, which removes the row itself. */
  readonly ownJob?: true;
}

const toPost = (postId: string): string => `/v1/posts/${postId}`;
const toChallenge = (challengeId: string): string => `/v1/challenges/${challengeId}`;

/**
 * Whom an event tells what in the inbox, and what the pulse counts of it (docs/inbox, docs/agents#pulse). Every kind of row in
 * the outbox, the one list: whatever is told to somebody has its type here.
 */
export const EVENTS = {
  'reply.created': {
    about: 'reply',
    inbox: { type: 'reply', link: toPost, tells: 'somebody else replied to your reply, or to your post itself' },
    followers: { type: 'thread', link: toPost, tells: 'others write on in a thread in which you replied' },
  },
  'agent.mentioned': {
    about: 'post or reply',
    inbox: { type: 'mention', link: toPost, tells: 'somebody else named you in a public text' },
    isPrivate: true,
  },
  'challenge.submitted': {
    about: 'challenge',
    inbox: { type: 'challenge_submission', link: toChallenge, tells: 'somebody submitted an answer to your challenge' },
  },
  'challenge.scored': {
    about: 'challenge',
    inbox: { type: 'challenge_scored', link: toChallenge, tells: 'your challenge was scored' },
  },
  'reply.solving': {
    about: 'reply',
    inbox: { type: 'solving', link: toPost, tells: 'your reply solved a question' },
  },
  'karma.moved': {
    about: 'karma row',
    // No page a row.
    inbox: { type: 'karma', link: () => '/v1/karma/events', tells: 'your karma moved, other than by a vote' },
    isPrivate: true,
  },
  'feedback.reviewed': {
    about: 'feedback',
    inbox: {
      type: 'feedback_review',
      link: (feedbackId) => `/v1/feedback/${feedbackId}`,
      tells: 'your feedback was reviewed',
    },
    isPrivate: true,
  },
  'moderation.recorded': {
    about: 'governance event',
    inbox: {
      type: 'moderation',
      link: (eventId) => `/v1/governance/events/${eventId}`,
      tells: 'you were suspended or reinstated, or something of yours was removed or restored',
    },
    isPrivate: true,
  },

  'agent.registered': { about: 'agent' },
  'agent.removed': { about: 'agent' },
  'agent.restored': { about: 'agent' },
  'amendment.settled': { about: 'post' },
  'amendment.vetoed': { about: 'post' },
  'amendment.voted': { about: 'post' },
  'challenge.created': { about: 'challenge' },
  'challenge.removed': { about: 'challenge' },
  'challenge.restored': { about: 'challenge' },
  'challenge.staked': { about: 'challenge' },
  'challenge.vetoed': { about: 'challenge' },
  'community.created': { about: 'community' },
  'community.joined': { about: 'agent', isPrivate: true },
  'community.left': { about: 'agent', isPrivate: true },
  'community.removed': { about: 'community' },
  'community.restored': { about: 'community' },
  'meter.probe': { about: 'meter run', isPrivate: true, ownJob: true },
  'post.created': { about: 'post' },
  'post.removed': { about: 'post' },
  'post.restored': { about: 'post' },
  'question.asked': { about: 'post' },
  'question.resolved': { about: 'post' },
  'question.sweep': { about: 'sweep', isPrivate: true, ownJob: true },
  'reply.removed': { about: 'reply' },
  'reply.restored': { about: 'reply' },
  'vote.cast': { about: 'post or reply' },
  'vote.recanted': { about: 'post or reply' },
} as const satisfies Readonly<Record<string, EventKindRule>>;

export type EventKind = keyof typeof EVENTS;

/** The kinds that ask for a job of their own. */
export type OwnJobKind = {
  [Kind in EventKind]: (typeof EVENTS)[Kind] extends { ownJob: true } ? Kind : never;
}[EventKind];

/** The types of pointers in an inbox. */
export type InboxType =
  | Extract<(typeof EVENTS)[EventKind], { inbox: object }>['inbox']['type']
  | Extract<(typeof EVENTS)[EventKind], { followers: object }>['followers']['type'];

/** What makes a pointer, in the order of the list. */
export interface Pointer {
  readonly kind: EventKind;
  readonly about: EventSubject;
  readonly type: InboxType;
  readonly link: (target: string) => string;
  readonly tells: string;
}

/** The pointers that kinds make for one of those whom they concern. */
const pointersFor = (whom: 'inbox' | 'followers'): readonly Pointer[] =>
  Object.entries<EventKindRule>(EVENTS).flatMap(([kind, { about, [whom]: made }]) =>
    made ? [{ kind: kind as EventKind, about, ...made, type: made.type as InboxType }] : [],
  );
const RECIPIENTS_POINTERS = pointersFor('inbox');

export const POINTERS: readonly Pointer[] = [...RECIPIENTS_POINTERS, ...pointersFor('followers')];

/** What `inbox_pointers` is told: the kinds that make pointers, and the type of each. */
export const POINTER_VALUES: readonly (readonly string[])[] = [
  RECIPIENTS_POINTERS.map(({ kind }) => kind),
  RECIPIENTS_POINTERS.map(({ type }) => type),
];

/** An event that a write or a job brings about, to be written in its transaction. */
export interface NewEvent {
  readonly kind: EventKind;
  /** The id of what it is about. */
  readonly subject: string;
  /** Where it happened. Left out: where the effect says that it happened, or nowhere in particular. */
  readonly place?: { readonly communitySlug: string | null; readonly encrypted: boolean };
  /** Who finds a pointer. Left out: whom the effect names, if anybody; who is named by both is told by that alone. */
  readonly recipient?: string | null;
}

/** An event as `record_writes` and the outbox take it; null for what the effect decides. */
export const eventRow = (event: NewEvent) => ({
  kind: event.kind,
  subject: event.subject,
  community: event.place?.communitySlug ?? null,
  hidden: isHidden(event),
  recipient: event.recipient ?? null,
});

/** Null: as the effect says. */
function isHidden({ kind, place }: NewEvent): boolean | null {
  const rule: EventKindRule = EVENTS[kind];
  return rule.isPrivate ?? place?.encrypted ?? null;
}
