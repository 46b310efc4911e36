import { createHash } from 'node:crypto';
import type { Operation } from '../operation/operation.ts';
import { isTab, slugOf } from '../protocol/slug.ts';
import { operationPath } from './addresses.ts';
import type { Chapter } from './pages.ts';

interface Section {
  readonly page: string;
  /** The fragment on that page with its `#`, or empty for the whole page. */
  readonly place: string;
  readonly title: string;
  readonly chapter: string;
  readonly text: string;
}

const HEADING = /^(#{1,3}) (.+)$/;
const FENCE = /^```/;

/** All sections in order. Those about an operation lead to the page of the operation. */
export function sectionsOf(chapters: readonly Chapter[], operations: readonly Operation[]): Section[] {
  const pages = new Map(operations.map((op) => [op.name, operationPath(op)]));
  return chapters.flatMap(({ name, title: chapter, text }) => {
    const sections: (Section & { text: string })[] = [];
    let isCode = false;
    for (const line of text.split('\n')) {
      if (FENCE.test(line)) isCode = !isCode;
      const [, marks, title] = (!isCode && HEADING.exec(line)) || [];
      if (title !== undefined && !isTab(marks!.length, title)) {
        const own = pages.get(title);
        const place = sections.length === 0 || own ? '' : `#${slugOf(title)}`;
        sections.push({
          page: own ?? `/docs/${name}`,
          place,
          title: title.replaceAll('`', ''),
          chapter: own ? 'Operation' : chapter,
          text: '',
        });
      } else if (sections.length > 0) sections.at(-1)!.text += `${line}\n`;
    }
    return sections;
  });
}

/** The table of contents as Markdown. `suffix` is appended to the paths of pages. */
export function contentsText(sections: readonly Section[], suffix: string): string {
  const lines = sections.map(
    ({ title, chapter, page, place }) => `${title === chapter ? '' : '  '}- [${title}](${page}${suffix}${place})`,
  );
  return `# Contents\n\n${lines.join('\n')}\n`;
}

/** The search index has at most this number of characters of each section, and of each code block in it. */
const SECTION_CHARACTERS = 2_000;
const CODE_CHARACTERS = 240;
/** Longer words are keys, hashes and signatures. */
const LONGEST_WORD = 40;

/**
 * The index for the search in browsers: `[path, title, chapter, text]` of each section, with the text unformatted.
 * The path of the index contains a hash of it.
 */
export function searchIndex(sections: readonly Section[]): { readonly path: string; readonly text: string } {
  const text = JSON.stringify(
    sections.map(({ page, place, title, chapter, text: own }) => [page + place, title, chapter, unformatted(own)]),
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/docs.${hash}.json`, text };
}

const unformatted = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*\n([\s\S]*?)^```$/gm, (_, code: string) => code.slice(0, CODE_CHARACTERS))
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[ \t]*(?:#+ |[-*] |\d+\. |> )|[`|]|\*\*|-{3,}/gm, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && word.length <= LONGEST_WORD)
    .join(' ')
    .slice(0, SECTION_CHARACTERS);

/** Removes fenced code, in which a line with # is not a heading. */
export const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/**
 * Turns links between sections into links between pages: chapters, sections of chapters, and operations. The returned
 * function appends `suffix` to the path of each linked page.
 */
export function linksAcross(chapters: readonly Chapter[]): (text: string, suffix: string) => string {
  const pages = new Map(
    chapters.flatMap(({ name, text }) =>
      [...withoutCode(text).matchAll(/^(#{1,3}) (.+)$/gm)].flatMap(([, marks, title], index) => {
        if (isTab(marks!.length, title!)) return [];
        const section = slugOf(title!);
        if (index === 0) return [[section, [`/docs/${name}`, '']] as const];
        const page = name === 'reference' ? `/docs/operations/${title}` : `/docs/${name}`;
        return [[section, [page, name === 'reference' ? '' : `#${section}`]] as const];
      }),
    ),
  );
  const paths = new Set(['/docs/contents', ...[...pages.values()].map(([page]) => page)]);
  return (text, suffix) =>
    text
      .replaceAll(/\]\((\/docs\/[\w./-]+?)(?:\.md)?(#[\w-]+)?\)/g, (link, page: string, place = '') =>
        paths.has(page) ? `](${page}${suffix}${place})` : link,
      )
      .replaceAll(/\]\(#([\w-]+)\)/g, (link, section: string) => {
        const [page, place] = pages.get(section) ?? [];
        return page === undefined ? link : `](${page}${suffix}${place})`;
      });
}

/** Chapters and operations that explain each other: by the name of an operation, and by the name of a chapter. */
export interface Explanations {
  readonly chaptersOf: ReadonlyMap<string, readonly Chapter[]>;
  readonly operationsOf: ReadonlyMap<string, readonly Operation[]>;
}

/** Guides and quickstarts use operations, but do not explain them. References and the changelog list them. */
const EXPLAINS = /^(?!(?:reference|command-line|changelog|glossary)$|quickstart-|guide-|client-)/;

/**
 * A chapter explains an operation that it links to. It also explains the operations of a family, such as `vote.cast`
 * and `vote.list`, if it links to that family most.
 */
export function explanations(chapters: readonly Chapter[], operations: readonly Operation[]): Explanations {
  const explaining = chapters.filter(({ name }) => EXPLAINS.test(name));
  const links = new Map(explaining.map((chapter) => [chapter, operations.map((op) => linksTo(op, chapter))]));
  const chaptersOf = new Map<string, Chapter[]>();
  for (const [index, { name }] of operations.entries()) {
    const family = operations.flatMap((other, at) => (familyOf(other.name) === familyOf(name) ? [at] : []));
    const inFamily = (chapter: Chapter) => family.reduce((sum, at) => sum + links.get(chapter)![at]!, 0);
    const main = explaining.toSorted((a, b) => inFamily(b) - inFamily(a))[0]!;
    const linking = explaining.filter((chapter) => links.get(chapter)![index]! > 0);
    chaptersOf.set(name, [...new Set([...(inFamily(main) > 0 ? [main] : []), ...linking])]);
  }
  const operationsOf = new Map(
    explaining.map((chapter) => [
      chapter.name,
      operations.filter(({ name }) => chaptersOf.get(name)!.includes(chapter)),
    ]),
  );
  return { chaptersOf, operationsOf };
}

const familyOf = (operation: string): string => operation.split('.')[0]!;

/** Counts the links to the page or section of an operation, and its route in code. */
function linksTo({ name, method, path }: Operation, { text }: Chapter): number {
  const marks = [`](#${slugOf(name)})`, `](/docs/operations/${name})`, `\`${method} ${path}\``, `\`${method} ${path}?`];
  return marks.reduce((sum, mark) => sum + text.split(mark).length - 1, 0);
}
