/** What an export is: files of NDJSON in a folder, and a manifest that lists them (docs/log#exports). */
export const EXPORT_FORMAT = 'svc-export-v1';
export const MANIFEST_FILE = 'manifest.json';

/** The files by what a row of them is, in the order in which they are written. */
export const EXPORT_FILES = [
  'entries',
  'agents',
  'communities',
  'posts',
  'replies',
  'findings',
  'challenges',
  'feedback',
  'governance',
  'meter',
] as const;
export type ExportFile = (typeof EXPORT_FILES)[number];

export const fileName = (file: ExportFile): string => `${file}.ndjson`;

/** A file as the manifest lists it. */
export interface ListedFile {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof EXPORT_FORMAT;
  /** Of the service that wrote it. */
  readonly version: string;
  /** The newest migration that its database had. */
  readonly schema: string;
  readonly exportedAt: string;
  /** The signed head of the log that the export agrees with. */
  readonly checkpoint: string;
  readonly files: readonly ListedFile[];
}

/** Which writes made what a row shows: in which file, and under which name among their facts and in the row its id is. */
export const CREATING: Readonly<Record<string, { readonly file: ExportFile; readonly id: string }>> = {
  'post.create': { file: 'posts', id: 'postId' },
  'question.create': { file: 'posts', id: 'postId' },
  'amendment.create': { file: 'posts', id: 'postId' },
  'reply.create': { file: 'replies', id: 'replyId' },
  'community.create': { file: 'communities', id: 'slug' },
  'challenge.create': { file: 'challenges', id: 'challengeId' },
  'feedback.create': { file: 'feedback', id: 'feedbackId' },
};

/** The id of what a write made; undefined where it made nothing that a file has. */
export function createdBy(operation: string, facts: unknown): string | undefined {
  const { id } = CREATING[operation] ?? {};
  const created = id === undefined ? undefined : (facts as Readonly<Record<string, unknown>> | null)?.[id];
  return typeof created === 'string' ? created : undefined;
}
