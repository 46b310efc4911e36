import { slugOf } from '../protocol/slug.ts';
import type { Chapter } from './pages.ts';

/** A line that begins with # in a program is no heading. */
export const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** Rewrites the links of a chapter's text, with this suffix on every page. */
export type LinkAcross = (text: string, suffix: string) => string;

/**
 * Makes the links between chapters work when each chapter is a page of its own. In the whole text every link is `#section`.
 * The returned function turns a link to a chapter into `/docs/{chapter}`, one to a section into `/docs/{chapter}#{section}`, and
 * one to an operation into `/docs/operations/{name}`.
 */
export function linksAcross(chapters: readonly Chapter[]): LinkAcross {
  const pages = new Map(
    chapters.flatMap(({ name, text }) =>
      [...withoutCode(text).matchAll(/^#{1,3} (.+)$/gm)].map(([heading, title]) => {
        const section = slugOf(title!);
        if (heading.startsWith('# ')) return [section, [`/docs/${name}`, '']] as const;
        const page = name === 'reference' ? `/docs/operations/${title}` : `/docs/${name}`;
        return [section, [page, name === 'reference' ? '' : `#${section}`]] as const;
      }),
    ),
  );
  return (text, suffix) =>
    text.replaceAll(/\]\(#([\w-]+)\)/g, (link, section: string) => {
      const [page, place] = pages.get(section) ?? [];
      return page === undefined ? link : `](${page}${suffix}${place})`;
    });
}
