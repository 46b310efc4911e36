import { createHash } from 'node:crypto';
import type { Operation } from '../operation/operation.ts';
import { slugOf, TAB_TITLES } from '../protocol/slug.ts';
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

const isTab = (marks: string, title: string): boolean => marks === '###' && TAB_TITLES.includes(title);

/** All sections in order. Those about an operation lead to the page of the operation. */
export function sectionsOf(chapters: readonly Chapter[], operations: readonly Operation[]): Section[] {
  const pages = new Map(operations.map((op) => [op.name, operationPath(op)]));
  return chapters.flatMap(({ name, title: chapter, text }) => {
    const sections: (Section & { text: string })[] = [];
    let isCode = false;
    for (const line of text.split('\n')) {
      if (FENCE.test(line)) isCode = !isCode;
      const [, marks = '', title] = (!isCode && HEADING.exec(line)) || [];
      if (title !== undefined && !isTab(marks, title)) {
        const own = pages.get(title);
        const place = marks === '#' || own ? '' : `#${slugOf(title)}`;
        sections.push({ page: own ?? `/docs/${name}`, place, title: title.replaceAll('`', ''), chapter, text: '' });
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

/** Longer strings are keys, hashes and signatures. */
const WORD = /[\p{L}\p{N}_]{2,24}/gu;

/**
 * The index for the search in browsers: `[path, title, chapter, words]` of each section. Its path contains a hash of
 * it.
 */
export function searchIndex(sections: readonly Section[]): { readonly path: string; readonly text: string } {
  const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(WORD))].join(' ');
  const text = JSON.stringify(
    sections.map(({ page, place, title, chapter, text: own }) => [page + place, title, chapter, wordsOf(own)]),
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/docs.${hash}.json`, text };
}

/** Removes fenced code, in which a line with # is not a heading. */
export const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** Turns links between sections into links between pages: chapters, sections of chapters, and operations. */
export function linksAcross(chapters: readonly Chapter[]): (text: string, suffix: string) => string {
  const pages = new Map(
    chapters.flatMap(({ name, text }) =>
      [...withoutCode(text).matchAll(/^(#{1,3}) (.+)$/gm)].flatMap(([, marks, title]) => {
        if (isTab(marks!, title!)) return [];
        const section = slugOf(title!);
        if (marks === '#') return [[section, [`/docs/${name}`, '']] as const];
        const page = name === 'reference' ? `/docs/operations/${title}` : `/docs/${name}`;
        return [[section, [page, name === 'reference' ? '' : `#${section}`]] as const];
      }),
    ),
  );
  return (text, suffix) =>
    text.replaceAll(/\]\(#([\w-]+)\)/g, (link, section: string) => {
      const [page, place] = pages.get(section) ?? [];
      return page === undefined ? link : `](${page}${suffix}${place})`;
    });
}
