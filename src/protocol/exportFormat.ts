/** The format of exports: NDJSON files in a folder, and a manifest that lists them (docs/log#exports). */
export const EXPORT_FORMAT = 'svc-export-v1';
export const MANIFEST_FILE = 'manifest.json';

/** In the order in which they are written. */
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

export interface ListedFile {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: string;
  readonly schema: string;
  readonly exportedAt: string;
  readonly checkpoint: string;
  readonly files: readonly ListedFile[];
}
