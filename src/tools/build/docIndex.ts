import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slugOf } from '../../protocol/slug.ts';

const CHAPTERS = 'src/discovery/docs';
const PLACES = ['src', 'workers'];
/** A citation of a chapter or a section, such as `docs/errors#order-of-refusals`, but not a path or an address. */
export const CITATION = /(?<![\w./-])docs\/([a-z]+(?:-[a-z]+)*)(?:#([a-z0-9-]+))?/g;
const COMMENT = /\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*(?:\/\/|--).*\n)+/gm;
const DECLARED =
  /^[ \t]*\n?[ \t]*(?:export )?(?:default )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)|^\s*CREATE (?:FUNCTION|VIEW|TYPE) release\.(\w+)/;
/** Files of constants and rules. A citation in their module comment applies to all of their exports. */
const OF_RULES = /\/(?:rules|limits)\.ts$|^src\/protocol\//;
const EXPORTED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
const SENTENCE_MAX = 180;

interface Citing {
  readonly path: string;
  /** Undefined for a module comment. */
  readonly name: string | undefined;
  /** The exports of a file of rules, for its module comment. */
  readonly holds: readonly string[];
  readonly says: string;
  readonly cited: string;
}

/**
 * The text of `src/INDEX.md`: the chapters and sections of the documentation, each with the comments in the code that
 * cite it.
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

/** The first sentence of a comment on one line, without citations. */
function firstSentence(comment: string): string {
  const words = comment
    .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/|--)|\*\/\s*$/gm, ' ')
    .replaceAll(/\s*\((?:[^()]*\bdocs\/[^()]*)\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.:;](?=\s|$)/.exec(words)?.[0].slice(0, -1) ?? words;
  return sentence.length <= SENTENCE_MAX ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', SENTENCE_MAX))} …`;
}
