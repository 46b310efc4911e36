import type { EventRow, EventType } from './store.ts';

/** A pointer: never content (interface 2.10). */
export interface InboxEvent {
  eventId: string;
  type: EventType;
  timestamp: string;
  /** Null when what it points at was removed. */
  link: string | null;
  /** On reply events, also of a removed reply; the thread keeps its place. */
  replyId?: string;
}

/** Where the links of each type lead; karma has no page a row. */
const LINKS: Readonly<Record<EventType, (target: string) => string>> = {
  reply: (postId) => `/v1/posts/${postId}`,
  solving: (postId) => `/v1/posts/${postId}`,
  challenge_submission: (challengeId) => `/v1/challenges/${challengeId}`,
  challenge_scored: (challengeId) => `/v1/challenges/${challengeId}`,
  karma: () => '/v1/karma/events',
  feedback_review: (feedbackId) => `/v1/feedback/${feedbackId}`,
  moderation: (eventId) => `/v1/governance/events/${eventId}`,
};

export function presentEvent({ event_id, type, at, subject, target, post_visible }: EventRow): InboxEvent {
  return {
    eventId: event_id,
    type,
    timestamp: at.toISOString(),
    link: target && LINKS[type](target),
    ...(type === 'reply' && post_visible ? { replyId: subject } : {}),
  };
}
