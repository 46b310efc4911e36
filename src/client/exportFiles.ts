import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAnswer } from '../platform/codec/ijson.ts';
import {
  EXPORT_FILES,
  EXPORT_FORMAT,
  type ExportFile,
  fileName,
  type ListedFile,
  MANIFEST_FILE,
  type Manifest,
} from '../protocol/exportFormat.ts';
import { ProofError } from '../protocol/logFormat.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Throws ProofError unless the manifest lists every file once and the folder holds nothing else. */
export async function readManifest(folder: string): Promise<Manifest> {
  const bytes = await readFile(join(folder, MANIFEST_FILE)).catch(() => {
    throw new ProofError(`${folder} holds no export: it has no ${MANIFEST_FILE}`);
  });
  const manifest = object(bytes, MANIFEST_FILE) as unknown as Manifest;
  if (manifest.format !== EXPORT_FORMAT) throw new ProofError(`the format ${manifest.format} is not known here`);
  if (typeof manifest.checkpoint !== 'string' || !Array.isArray(manifest.files))
    throw new ProofError('it is not a manifest');
  const listed = manifest.files.map((file) => String(file?.name)).toSorted();
  const expected = EXPORT_FILES.map(fileName).toSorted();
  if (listed.join() !== expected.join()) throw new ProofError(`the manifest lists ${listed.join(', ')}`);
  const there = await readdir(folder);
  const missing = expected.filter((name) => !there.includes(name));
  if (missing.length > 0) throw new ProofError(`${missing.join(', ')} of the manifest is missing`);
  const stray = there.filter((name) => name !== MANIFEST_FILE && !expected.includes(name));
  if (stray.length > 0) throw new ProofError(`${stray.join(', ')} is not among the files of the manifest`);
  return manifest;
}

/** Yields the rows of a file. After the last one, throws ProofError unless rows, bytes and hash match the manifest. */
export async function* rowsOf(folder: string, manifest: Manifest, file: ExportFile): AsyncGenerator<Row> {
  const name = fileName(file);
  const listed = manifest.files.find((each) => each.name === name)!;
  const hash = createHash('sha256');
  const found = { rows: 0, bytes: 0 };
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(join(folder, name))) {
    hash.update(chunk);
    found.bytes += chunk.length;
    let from = 0;
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      found.rows += 1;
      yield object(bytes.subarray(from, end), `line ${found.rows} of ${name}`);
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) throw new ProofError(`${name} ends within a line`);
  requireListed(listed, { name, ...found, sha256: hash.digest('hex') });
}

const LINE_FEED = 0x0a;

function requireListed(listed: ListedFile, found: ListedFile): void {
  for (const what of ['rows', 'bytes', 'sha256'] as const) {
    if (listed[what] !== found[what]) {
      throw new ProofError(`${found.name}: ${what} is ${found[what]}, and the manifest says ${listed[what]}`);
    }
  }
}

function object(bytes: Uint8Array, what: string): Row {
  const json = parseAnswer(bytes);
  if (!json.ok || typeof json.value !== 'object' || json.value === null)
    throw new ProofError(`${what} is not a JSON object`);
  return json.value as Row;
}
