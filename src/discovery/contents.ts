import { createHash } from 'node:crypto';
import type { Operation } from '../operation/operation.ts';
import { slugOf } from '../protocol/slug.ts';
import { operationPath } from './addresses.ts';
import type { Chapter } from './pages.ts';

/** A part of the documentation under a heading of its own, and the page where it is read. */
interface Section {
  readonly page: string;
  /** On it, with its `#`; empty where it is the page. */
  readonly place: string;
  readonly title: string;
  readonly chapter: string;
  readonly text: string;
}

const HEADING = /^(#{1,3}) (.+)$/;
const FENCE = /^```/;

/** Every section of every chapter in their order; what describes an operation is read on that operation's page. */
export function sectionsOf(chapters: readonly Chapter[], operations: readonly Operation[]): Section[] {
  const pages = new Map(operations.map((op) => [op.name, operationPath(op)]));
  return chapters.flatMap(({ name, title: chapter, text }) => {
    const sections: (Section & { text: string })[] = [];
    let isCode = false;
    for (const line of text.split('\n')) {
      if (FENCE.test(line)) isCode = !isCode;
      const [, marks, title] = (!isCode && HEADING.exec(line)) || [];
      if (title !== undefined) {
        const own = pages.get(title);
        const place = marks === '#' || own ? '' : `#${slugOf(title)}`;
        sections.push({ page: own ?? `/docs/${name}`, place, title: title.replaceAll('`', ''), chapter, text: '' });
      } else if (sections.length > 0) sections.at(-1)!.text += `${line}\n`;
    }
    return sections;
  });
}

/** The contents as Markdown: every chapter, and its sections below it; pages have their addresses with a suffix. */
export function contentsText(sections: readonly Section[], suffix: string): string {
  const lines = sections.map(
    ({ title, chapter, page, place }) => `${title === chapter ? '' : '  '}- [${title}](${page}${suffix}${place})`,
  );
  return `# Contents\n\n${lines.join('\n')}\n`;
}

/** Words of more letters are no words: keys, hashes, signatures. */
const WORD = /[\p{L}\p{N}_]{2,24}/gu;

/** What a browser searches by itself: `[path, title, chapter, words]` of every section, each word once. Its address changes with it. */
export function searchIndex(sections: readonly Section[]): { readonly path: string; readonly text: string } {
  const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(WORD))].join(' ');
  const text = JSON.stringify(
    sections.map(({ page, place, title, chapter, text: own }) => [page + place, title, chapter, wordsOf(own)]),
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/docs.${hash}.json`, text };
}
