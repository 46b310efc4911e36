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
