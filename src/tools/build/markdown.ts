export const code = (text: string): string => `\`${text}\``;

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function asSentence(text: string): string {
  const first = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.:]$/.test(first) ? first : `${first}.`;
}

/** Turns citations of chapters, such as `docs/reading#cursors`, into links. */
export const linked = (text: string): string =>
  text.replaceAll(/(?<![\w./-])docs\/([a-z-]+)(?:#([a-z0-9-]+))?/g, (_, chapter: string, section?: string) =>
    section === undefined ? `[${chapter}](/docs/${chapter})` : `[${section.replaceAll('-', ' ')}](#${section})`,
  );
