import { hash } from 'node:crypto';
import { parseRequestText } from '../../protocol/signing.ts';
import { type ShownWrite, type SubjectType, subjectId } from '../../protocol/subjects.ts';

type Facts = Readonly<Record<string, unknown>>;

/** What a write shows in the log: its declaration says so (`LogRule` of `operation/operation.ts`). */
type Rule = 'no-leaf' | 'private' | ShownWrite;

/** The id that a write is asked for by; undefined where only its writer, or its place in the log, leads to it. */
export const subjectOf = (rule: Rule, facts: Facts): string | undefined =>
  typeof rule === 'string' || rule.subject === null ? undefined : subjectId(rule.shown, facts);

/** 64 bits of a hash, as the index over leaves has them. What is found by it may be another's: it has to be looked at. */
export const lookupKey = (text: string): string => String(hash('sha256', text, 'buffer').readBigInt64BE(0));

/** What the writer of a request asks for it by. */
export const nonceKey = (agentId: string, nonce: string): string => lookupKey(`${agentId}\n${nonce}`);

/** A thing that everybody may read a write by, as long as they may read the thing itself. */
export interface Thing {
  readonly type: SubjectType;
  readonly id: string;
}

/** The thing by which everybody may read a write; undefined for a write that only its writer may read (docs/log#openings). */
export function shownThing(rule: Rule, facts: Facts): Thing | undefined {
  if (typeof rule === 'string') return undefined;
  const id = subjectId(rule.shown, facts);
  return id === undefined ? undefined : { type: rule.shown, id };
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
