import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CITATION, chapters, docIndex } from '../../src/tools/build/docIndex.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACES = ['src', 'workers', 'migrations', 'test'];

/** Paragraphs of documents that are not in this repository. A comment may break the line between word and number. */
const ELSEWHERE = /\b(?:contract|interface)s?(?:\s+points?)?[\s*/-]+\d/gi;

interface Text {
  readonly path: string;
  readonly text: string;
}

async function texts(): Promise<Text[]> {
  const paths = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  for (const place of PLACES) {
    const entries = await readdir(join(ROOT, place), { recursive: true });
    paths.push(...entries.filter((entry) => /\.(?:tsx?|sql|md|sh)$/.test(entry)).map((entry) => join(place, entry)));
  }
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })));
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The SQL of a migration that was released never changes, its comments included. */
const isReleasedSql = ({ path, text }: Text, at: number): boolean =>
  path.startsWith('migrations/') && /^\s*--/.test(text.slice(text.lastIndexOf('\n', at) + 1));

describe('citations', () => {
  it('name a chapter of the documentation, and a section that it has', async () => {
    const sections = await chapters(ROOT);
    const found = (await texts()).flatMap(({ path, text }) =>
      [...text.matchAll(CITATION)].map(({ 0: cited, 1: chapter, 2: section, index }) => ({
        where: `${path}:${lineOf(text, index)}: ${cited}`,
        leads: section === undefined ? sections.has(chapter!) : (sections.get(chapter!)?.includes(section) ?? false),
      })),
    );
    assert.ok(found.length > 100, 'so few that the pattern must be wrong');
    assert.deepEqual(
      found.filter(({ leads }) => !leads).map(({ where }) => where),
      [],
    );
  });

  it('name nothing that is not in this repository', async () => {
    const found = (await texts()).flatMap((file) =>
      [...file.text.matchAll(ELSEWHERE)]
        .filter(({ index }) => !isReleasedSql(file, index))
        .map(({ 0: cited, index }) => `${file.path}:${lineOf(file.text, index)}: ${cited}`),
    );
    assert.deepEqual(found, []);
  });

  it('are in the index from the documentation to the code', async () => {
    assert.equal(await readFile(join(ROOT, 'src/INDEX.md'), 'utf8'), await docIndex(ROOT), 'npm run generate');
  });
});
