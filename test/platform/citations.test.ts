import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { slugOf } from '../../src/formats/slug.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHAPTERS = 'src/discovery/docs';
const PLACES = ['src', 'workers', 'migrations', 'test'];

/** `docs/errors` or `docs/errors#order-of-refusals`: a chapter, or a section of it. No path, no address. */
const CITATION = /(?<![\w./-])docs\/([a-z]+)(?:#([a-z0-9-]+))?/g;
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
    paths.push(...entries.filter((entry) => /\.(?:ts|sql|md|sh)$/.test(entry)).map((entry) => join(place, entry)));
  }
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })));
}

/** The headings of every chapter as links lead to them, by its name. */
async function chapters(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const names = (await readdir(join(ROOT, CHAPTERS))).map((name) => name.replace(/\.md$/, ''));
  const read = names.map(async (name) => {
    const text = await readFile(join(ROOT, CHAPTERS, `${name}.md`), 'utf8');
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
    return [name, new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, title]) => slugOf(title!)))] as const;
  });
  return new Map(await Promise.all(read));
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The SQL of a migration that was released never changes, its comments included. */
const isReleasedSql = ({ path, text }: Text, at: number): boolean =>
  path.startsWith('migrations/') && /^\s*--/.test(text.slice(text.lastIndexOf('\n', at) + 1));

describe('citations', () => {
  it('name a chapter of the documentation, and a section that it has', async () => {
    const sections = await chapters();
    const found = (await texts()).flatMap(({ path, text }) =>
      [...text.matchAll(CITATION)].map(({ 0: cited, 1: chapter, 2: section, index }) => ({
        where: `${path}:${lineOf(text, index)}: ${cited}`,
        leads: section === undefined ? sections.has(chapter!) : (sections.get(chapter!)?.has(section) ?? false),
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
});
