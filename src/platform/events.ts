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
  | 'reply'
  | 'sweep'
  | 'vote target';

/** What becomes of an event beside the totals of its scope, which every kind has (contract 13). */
interface EventKindRule {
  readonly about: EventSubject;
  /** The type of the pointer in the recipient's inbox; without, nobody is told. */
  readonly inbox?: string;
  /** What the pulse counts of the last day, and by how much. */
  readonly counts?: { readonly as: 'agent' | 'post' | 'reply' | 'vote'; readonly by: 1 | -1 };
  /** Asks for a job of its own, which removes the row itself. */
  readonly ownJob?: true;
}

/**
 * Every kind of row in the outbox. The rows are written by SQL functions and triggers; a test reads those and holds them
 * against this list, so a kind that is new there stands here too.
 */
export const EVENTS = {
  'reply.created': { about: 'reply', inbox: 'reply', counts: { as: 'reply', by: 1 } },
  'challenge.submitted': { about: 'challenge', inbox: 'challenge_submission' },
  'challenge.scored': { about: 'challenge', inbox: 'challenge_scored' },
  'reply.solving': { about: 'reply', inbox: 'solving' },
  'karma.moved': { about: 'karma row', inbox: 'karma' },
  'feedback.reviewed': { about: 'feedback', inbox: 'feedback_review' },
  'moderation.recorded': { about: 'governance event', inbox: 'moderation' },

  'agent.registered': { about: 'agent', counts: { as: 'agent', by: 1 } },
  'agent.removed': { about: 'agent' },
  'agent.restored': { about: 'agent' },
  'amendment.settled': { about: 'post' },
  'amendment.vetoed': { about: 'post' },
  'amendment.voted': { about: 'post' },
  'challenge.created': { about: 'challenge' },
  'challenge.removed': { about: 'challenge' },
  'challenge.restored': { about: 'challenge' },
  'challenge.vetoed': { about: 'challenge' },
  'community.created': { about: 'community' },
  'community.joined': { about: 'agent' },
  'community.removed': { about: 'community' },
  'community.restored': { about: 'community' },
  'meter.probe': { about: 'meter run', ownJob: true },
  'post.created': { about: 'post', counts: { as: 'post', by: 1 } },
  'post.removed': { about: 'post', counts: { as: 'post', by: -1 } },
  'post.restored': { about: 'post', counts: { as: 'post', by: 1 } },
  'question.asked': { about: 'post' },
  'question.resolved': { about: 'post' },
  'question.sweep': { about: 'sweep', ownJob: true },
  'reply.removed': { about: 'reply', counts: { as: 'reply', by: -1 } },
  'reply.restored': { about: 'reply', counts: { as: 'reply', by: 1 } },
  'vote.cast': { about: 'vote target', counts: { as: 'vote', by: 1 } },
  'vote.recanted': { about: 'vote target' },
} as const satisfies Readonly<Record<string, EventKindRule>>;

export type EventKind = keyof typeof EVENTS;

/** The types of pointers in an inbox, in the order in which the docs name them. */
export type InboxType = Extract<(typeof EVENTS)[EventKind], { inbox: string }>['inbox'];
export const INBOX_TYPES: readonly InboxType[] = Object.values(EVENTS).flatMap((rule) =>
  'inbox' in rule ? [rule.inbox] : [],
);

/** The kinds that ask for a job of their own. */
export type OwnJobKind = {
  [Kind in EventKind]: (typeof EVENTS)[Kind] extends { ownJob: true } ? Kind : never;
}[EventKind];
