/** The fenced blocks of a markdown text that are marked with `info`. */
export function blocks(text: string, info: string): string[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, marked, block]) =>
    marked === info ? [block!] : [],
  );
}
