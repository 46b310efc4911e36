import { slugOf } from '../protocol/slug.ts';
import type { Chapter } from './pages.ts';

/** A line that begins with # in a program is no heading. */
export const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** A chapter's text with links to where the others stand by themselves. */
export type LinkAcross = (text: string, suffix: string) => string;

/**
 * The chapters link to each other by `#section`, as they stand one after the other in the whole text. The function that is
 * answered gives a chapter by itself: what stands elsewhere is linked as `/docs/{chapter}` with a suffix, and the section.
 */
export function linksAcross(chapters: readonly Chapter[]): LinkAcross {
  const places = new Map(
    chapters.flatMap(({ name, text }) =>
      [...withoutCode(text).matchAll(/^#{1,3} (.+)$/gm)].map(
        ([heading, title]) => [slugOf(title!), { name, isChapter: heading.startsWith('# ') }] as const,
      ),
    ),
  );
  return (text, suffix) =>
    text.replaceAll(/\]\(#([\w-]+)\)/g, (link, section: string) => {
      const { name, isChapter } = places.get(section) ?? {};
      if (name === undefined) return link;
      return `](/docs/${name}${suffix}${isChapter ? '' : `#${section}`})`;
    });
}
