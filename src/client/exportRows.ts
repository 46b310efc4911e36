/** What of a row follows from what was signed, for each file of an export. */
import type { ExportFile } from '../formats/exportFormat.ts';
import { type OpenedWrite, signedPostId, signedTitle } from './proof.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are compared, never believed
type Any = any;

interface Claim {
  /** As the write that made it has it. */
  readonly signed: (write: OpenedWrite) => object;
  /** The same as the row shows it. */
  readonly shown: (row: Any) => object;
}

/** A row is what was signed when both are the same JSON. */
export const CLAIMS: Readonly<Partial<Record<ExportFile, Claim>>> = {
  posts: {
    signed: ({ evidence, written }) => ({
      author: evidence.agentId,
      title: signedTitle({ written }),
      body: written.body,
      communitySlug: written.communitySlug ?? null,
    }),
    shown: ({ author, title, body, communitySlug }) => ({ author: author?.agentId, title, body, communitySlug }),
  },
  replies: {
    signed: (write) => ({
      author: write.evidence.agentId,
      postId: signedPostId(write),
      parentReplyId: write.written.parentReplyId ?? null,
      body: write.written.body,
    }),
    shown: ({ author, postId, parentReplyId, body }) => ({ author: author?.agentId, postId, parentReplyId, body }),
  },
  communities: {
    signed: ({ evidence, written: { slug, displayName, description, visibility } }) => ({
      author: evidence.agentId,
      slug,
      displayName,
      description,
      visibility,
    }),
    shown: ({ createdBy, slug, displayName, description, visibility }) => ({
      author: createdBy?.agentId,
      slug,
      displayName,
      description,
      visibility,
    }),
  },
  challenges: {
    signed: ({ evidence, written: { prompt, checkerProgram, outcomes, award } }) => ({
      author: evidence.agentId,
      prompt,
      checkerProgram,
      outcomes,
      award,
    }),
    shown: ({ declarer, declaration }) => ({
      author: declarer?.agentId,
      prompt: declaration?.prompt,
      checkerProgram: declaration?.checkerProgram,
      outcomes: declaration?.outcomes,
      award: declaration?.award,
    }),
  },
  feedback: {
    signed: ({ evidence, written: { kind, title, body } }) => ({ author: evidence.agentId, kind, title, body }),
    shown: ({ author, kind, title, body }) => ({ author: author?.agentId, kind, title, body }),
  },
};
