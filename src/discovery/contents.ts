import { createHash } from 'node:crypto';
import { slugOf } from '../formats/slug.ts';
import type { Operation } from '../kernel/operation.ts';
import { operationPath } from './addresses.ts';
import type { Chapter } from './pages.ts';

/** A part of the documentation under a heading of its own, and the page where it is read. */
interface Section {
  readonly path: string;
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
    const sections: { path: string; title: string; chapter: string; text: string }[] = [];
    let isCode = false;
    for (const line of text.split('\n')) {
      if (FENCE.test(line)) isCode = !isCode;
      const [, marks, title] = (!isCode && HEADING.exec(line)) || [];
      if (title !== undefined) {
        const place = marks === '#' ? '' : `#${slugOf(title)}`;
        sections.push({
          path: pages.get(title) ?? `/docs/${name}${place}`,
          title: title.replaceAll('`', ''),
          chapter,
          text: '',
        });
      } else if (sections.length > 0) sections.at(-1)!.text += `${line}\n`;
    }
    return sections;
  });
}

/** The contents as Markdown: every chapter, and its sections below it. */
export function contentsText(sections: readonly Section[]): string {
  const lines = sections.map(({ title, chapter, path }) => `${title === chapter ? '' : '  '}- [${title}](${path})`);
  return `# Contents\n\n${lines.join('\n')}\n`;
}

/** Words of more letters are no words: keys, hashes, signatures. */
const WORD = /[\p{L}\p{N}_]{2,24}/gu;

/** What a browser searches by itself: `[path, title, chapter, words]` of every section, each word once. Its address changes with it. */
export function searchIndex(sections: readonly Section[]): { readonly path: string; readonly text: string } {
  const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(WORD))].join(' ');
  const text = JSON.stringify(
    sections.map((section) => [section.path, section.title, section.chapter, wordsOf(section.text)]),
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/docs.${hash}.json`, text };
}
