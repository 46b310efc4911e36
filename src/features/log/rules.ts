import { hash } from 'node:crypto';
import { parseRequestText } from '../../protocol/signing.ts';
import { type ShownWrite, type SubjectType, subjectId } from '../../protocol/subjects.ts';

type Facts = Readonly<Record<string, unknown>>;

type Rule = 'no-leaf' | 'private' | ShownWrite;

/** The id by which a write is looked up; undefined if only its writer or its place in the log leads to it. */
export const subjectOf = (rule: Rule, facts: Facts): string | undefined =>
  typeof rule === 'string' || rule.subject === null ? undefined : subjectId(rule.shown, facts);

/** 64 bits of a hash, which the index over leaves stores. Several ids may share them, so check each row. */
export const lookupKey = (text: string): string => String(hash('sha256', text, 'buffer').readBigInt64BE(0));

export const nonceKey = (agentId: string, nonce: string): string => lookupKey(`${agentId}\n${nonce}`);

/** A reader of this subject may read the write. */
export interface ShownSubject {
  readonly type: SubjectType;
  readonly id: string;
}

/** Undefined for a write that only its writer may read (docs/log#openings). */
export function shownSubject(rule: Rule, facts: Facts): ShownSubject | undefined {
  if (typeof rule === 'string') return undefined;
  const id = subjectId(rule.shown, facts);
  return id === undefined ? undefined : { type: rule.shown, id };
}

/** Unix ms after which the signature is not accepted (docs/log#delayed-publication). 0: public at once, like keys. */
export function publishedAt(signedText: string, delaySeconds: number): number {
  const request = delaySeconds === 0 ? undefined : parseRequestText(signedText);
  return request ? (Number(request.timestamp) + delaySeconds) * 1_000 : 0;
}

/** An act that answers a report reveals the report, which is not public (docs/log#openings). */
export const isShownEvent = (facts: Facts): boolean => (facts.reportId ?? null) === null;
