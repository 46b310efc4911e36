import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slugOf } from '../../protocol/slug.ts';

const CHAPTERS = 'src/discovery/docs';
const PLACES = ['src', 'workers'];
/** `docs/errors` or `docs/errors#order-of-refusals`: a chapter, or a section of it. No path, no address. */
export const CITATION = /(?<![\w./-])docs\/([a-z]+)(?:#([a-z0-9-]+))?/g;
const COMMENT = /\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*(?:\/\/|--).*\n)+/gm;
/** What the comment is about: what is declared right behind it. */
const DECLARED =
  /^[ \t]*\n?[ \t]*(?:export )?(?:default )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)|^\s*CREATE (?:FUNCTION|VIEW|TYPE) release\.(\w+)/;
/** Files that hold constants and decisions: a comment on the whole of one speaks of all of these that it exports. */
const OF_RULES = /\/(?:rules|limits)\.ts$|^src\/protocol\//;
const EXPORTED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
const SENTENCE_MAX = 180;

interface Citing {
  readonly path: string;
  /** Undefined for a comment on the whole file. */
  readonly name: string | undefined;
  /** What a file of rules exports, where the comment is on the whole of it. */
  readonly holds: readonly string[];
  readonly says: string;
  /** A section, `reading#search`, or a whole chapter. */
  readonly cited: string;
}

/**
 * `src/INDEX.md`: each chapter and section of the documentation with the places in the code that keep to it, which say so in
 * their comments; of a file of rules with the names of all that it exports. Markdown.
 */
export async function docIndex(root: string): Promise<string> {
  const citing = new Map<string, Citing[]>();
  for (const one of await everyCitation(root)) citing.set(one.cited, [...(citing.get(one.cited) ?? []), one]);
  const lines = [
    '# Where the code keeps to the documentation',
    '',
    'Computed by `npm run generate` from the comments that cite a chapter or section of `discovery/docs`.',
  ];
  for (const [chapter, sections] of await chapters(root)) {
    const found = [chapter, ...sections.map((section) => `${chapter}#${section}`)].filter((cited) => citing.has(cited));
    if (found.length > 0) lines.push('', `## ${chapter}`);
    for (const cited of found) {
      lines.push('', ...(cited === chapter ? [] : [`### ${cited}`, '']));
      lines.push(...new Set(citing.get(cited)!.map(entry)));
    }
  }
  return `${lines.join('\n').replaceAll(/\n{3,}/g, '\n\n')}\n`;
}

function entry({ path, name, holds, says }: Citing): string {
  const exported = holds.length > 0 ? ` (${holds.map(code).join(', ')})` : '';
  return `- ${code(path)}${name ? ` ${code(name)}` : ''}: ${says}${exported}`;
}

const code = (text: string): string => `\`${text}\``;

/** The sections of every chapter, in their order, by its name. */
export async function chapters(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = (await readdir(join(root, CHAPTERS))).map((name) => name.replace(/\.md$/, '')).toSorted();
  const read = names.map(async (name) => {
    const text = await readFile(join(root, CHAPTERS, `${name}.md`), 'utf8');
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
    return [name, [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title]) => slugOf(title!))] as const;
  });
  return new Map(await Promise.all(read));
}

async function everyCitation(root: string): Promise<Citing[]> {
  const paths: string[] = [];
  for (const place of PLACES) {
    const entries = await readdir(join(root, place), { recursive: true });
    paths.push(...entries.filter((path) => /\.(?:tsx?|sql)$/.test(path)).map((path) => join(place, path)));
  }
  const own = paths
    .filter((path) => !/^src\/(?:tools\/build|client\/generated|discovery\/docs)\//.test(path))
    .toSorted();
  const read = own.map(async (path) => citationsIn(path, await readFile(join(root, path), 'utf8')));
  return (await Promise.all(read)).flat();
}

function citationsIn(path: string, text: string): Citing[] {
  const exported = OF_RULES.test(path) ? [...text.matchAll(EXPORTED)].map(([, name]) => name!) : [];
  return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const [, inTypeScript, inSql] = DECLARED.exec(text.slice(index + comment.length)) ?? [];
    const name = inTypeScript ?? inSql;
    const isOnFile = name === undefined && (index === 0 || text[index - 1] === '\n');
    const says = firstSentence(comment);
    return [...comment.matchAll(CITATION)].map(([, chapter, section]) => ({
      path: path.replace(/^src\//, ''),
      name,
      holds: isOnFile ? exported : [],
      says,
      cited: section === undefined ? chapter! : `${chapter}#${section}`,
    }));
  });
}

/** What a comment begins with, on one line, without what it cites. */
function firstSentence(comment: string): string {
  const words = comment
    .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/|--)|\*\/\s*$/gm, ' ')
    .replaceAll(/\s*\((?:[^()]*\bdocs\/[^()]*)\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.:;](?=\s|$)/.exec(words)?.[0].slice(0, -1) ?? words;
  return sentence.length <= SENTENCE_MAX ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', SENTENCE_MAX))} …`;
}
