import { hash } from 'node:crypto';
import { parseRequestText } from '../../protocol/signing.ts';

type Facts = Readonly<Record<string, unknown>>;

/** By which of its facts a write is found, where anybody but its writer looks for it. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'post.create': 'postId',
  'question.create': 'postId',
  'amendment.create': 'postId',
  'reply.create': 'replyId',
  'governance.enforce': 'eventId',
  'governance.veto': 'eventId',
  'question.settle': 'eventId',
  // Nobody proves these by their ids; whoever erases them finds their evidence.
  'community.create': 'slug',
  'challenge.create': 'challengeId',
  'challenge.submit': 'challengeId',
  'feedback.create': 'feedbackId',
};

/** The id that a write is asked for by; undefined where only its writer, or its place in the log, leads to it. */
export function subjectOf(operation: string, facts: Facts): string | undefined {
  const subject = facts[SUBJECTS[operation] ?? ''];
  return typeof subject === 'string' ? subject : undefined;
}

/** 64 bits of a hash, as the index over leaves has them. What is found by it may be another's: it has to be looked at. */
export const lookupKey = (text: string): string => String(hash('sha256', text, 'buffer').readBigInt64BE(0));

/** What the writer of a request asks for it by. */
export const nonceKey = (agentId: string, nonce: string): string => lookupKey(`${agentId}\n${nonce}`);

/** What a write made, or did something to, that everybody may read. */
export interface Thing {
  readonly type: 'post' | 'reply' | 'community' | 'challenge' | 'feedback' | 'event' | 'agent';
  readonly id: string;
}

/**
 * Which writes everybody may read once they are shown (docs/log#openings), and by which of their facts: all others are private.
 */
const SHOWN: Readonly<Record<string, readonly [Thing['type'], string]>> = {
  'agent.register': ['agent', 'agentId'],
  'agent.freeze': ['agent', 'agentId'],
  'agent.rotate': ['agent', 'agentId'],
  'post.create': ['post', 'postId'],
  'question.create': ['post', 'postId'],
  'question.solve': ['post', 'postId'],
  'question.close': ['post', 'postId'],
  'amendment.create': ['post', 'postId'],
  'reply.create': ['reply', 'replyId'],
  'community.create': ['community', 'slug'],
  'challenge.create': ['challenge', 'challengeId'],
  'challenge.submit': ['challenge', 'challengeId'],
  'challenge.score': ['challenge', 'challengeId'],
  'feedback.create': ['feedback', 'feedbackId'],
  'question.settle': ['event', 'eventId'],
  'governance.enforce': ['event', 'eventId'],
  'governance.veto': ['event', 'eventId'],
};

/** What everybody may read once it may be read at all; undefined for what only its writer may. */
export function shownThing(operation: string, facts: Facts): Thing | undefined {
  const [type, name] = SHOWN[operation] ?? [];
  const id = facts[name ?? ''];
  return type !== undefined && typeof id === 'string' ? { type, id } : undefined;
}

/**
 * When a signed request may be shown to others (docs/log#delayed-publication), unix milliseconds: once its signature is too old
 * to be accepted anywhere. 0, at once, without a delay, and for registrations and changes of keys: these carry no time, so a delay
 * would protect nobody.
 */
export function publishedAt(signedText: string, delaySeconds: number): number {
  const request = delaySeconds === 0 ? undefined : parseRequestText(signedText);
  return request ? (Number(request.timestamp) + delaySeconds) * 1_000 : 0;
}

/** An act that answers a report tells of the report, and those are not public (docs/log#openings). */
export const isShownEvent = (facts: Facts): boolean => (facts.reportId ?? null) === null;
