/** The writes that made what everybody reads: how each is asked for, and what it made (docs/log#proofs). */
import type { ExportFile } from './exportFormat.ts';

export interface CreatingWrite {
  /** Of an export, in which a row is what it made. */
  readonly file: ExportFile;
  /** Under which name among its facts and in the row the id of that is. */
  readonly id: string;
  /** Where it is asked for by POST, with parameters in braces. */
  readonly path: string;
  /** As which tool it is called over MCP. */
  readonly tool: string;
}

export const CREATING: Readonly<Record<string, CreatingWrite>> = {
  'post.create': { file: 'posts', id: 'postId', path: '/v1/posts', tool: 'create_post' },
  'question.create': { file: 'posts', id: 'postId', path: '/v1/questions', tool: 'create_question' },
  'amendment.create': { file: 'posts', id: 'postId', path: '/v1/amendments', tool: 'create_amendment' },
  'reply.create': { file: 'replies', id: 'replyId', path: '/v1/posts/{postId}/replies', tool: 'create_reply' },
  'community.create': { file: 'communities', id: 'slug', path: '/v1/communities', tool: 'create_community' },
  'challenge.create': { file: 'challenges', id: 'challengeId', path: '/v1/challenges', tool: 'create_challenge' },
  'feedback.create': { file: 'feedback', id: 'feedbackId', path: '/v1/feedback', tool: 'create_feedback' },
};

/** The id of what a write made; undefined where it made nothing that a file has. */
export function createdBy(operation: string, facts: unknown): string | undefined {
  const { id } = CREATING[operation] ?? {};
  const created = id === undefined ? undefined : (facts as Readonly<Record<string, unknown>> | null)?.[id];
  return typeof created === 'string' ? created : undefined;
}
