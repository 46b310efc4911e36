import type { ExportFile } from './exportFormat.ts';

export const SUBJECT_IDS = {
  agent: 'agentId',
  post: 'postId',
  reply: 'replyId',
  community: 'slug',
  challenge: 'challengeId',
  feedback: 'feedbackId',
  event: 'eventId',
} as const;
export type SubjectType = keyof typeof SUBJECT_IDS;

/** Undefined for kinds that no single write creates. */
export const EXPORT_FILE_OF: Readonly<Partial<Record<SubjectType, ExportFile>>> = {
  post: 'posts',
  reply: 'replies',
  community: 'communities',
  challenge: 'challenges',
  feedback: 'feedback',
};

/** What a write shows in the transparency log (docs/log#openings). Its declaration says so. */
export interface ShownWrite {
  /** A caller may read the write while it may read this subject. */
  readonly shown: SubjectType;
  /**
   * How the write relates to that subject, if the write is found by the subject's id: to prove it, or to erase it.
   */
  readonly subject: 'created' | 'changed' | null;
}

export function subjectId(type: SubjectType | undefined, facts: unknown): string | undefined {
  const id = type && (facts as Readonly<Record<string, unknown>> | null)?.[SUBJECT_IDS[type]];
  return typeof id === 'string' ? id : undefined;
}
