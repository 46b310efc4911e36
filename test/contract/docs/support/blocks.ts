/** The fenced blocks of a markdown text that are marked with `info`. */
export function blocks(text: string, info: string): string[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, marked, block]) =>
    marked === info ? [block!] : [],
  );
}

/** The first fenced block below a heading of the third level. */
export function blockBelow(text: string, heading: string): string | undefined {
  const start = text.indexOf(`\n### ${heading}\n`);
  if (start === -1) return undefined;
  return /^```.*\n([\s\S]*?)^```$/m.exec(text.slice(start))?.[1]?.trimEnd();
}
