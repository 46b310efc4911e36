/** How far into a text an excerpt looks. */
const LOOKED_AT = 1_200;
/** A word that the end would part is left out, if it is no longer. */
const LONGEST_CUT_WORD = 20;

/** The beginning of a Markdown text in one line, without its signs, for lists and heads. Cheap: it looks at the beginning alone. */
export function excerptOf(text: string, length = 280): string {
  const plain = text
    .slice(0, LOOKED_AT)
    .replaceAll(/^[ \t]*(?:```|~~~).*$/gm, ' ')
    .replaceAll(/^[ \t|]*:?-[-:| \t]*$/gm, ' ')
    .replaceAll(/^[ \t]*(?:[#>|*+-]+|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/!?\[([^[\]\n]{0,200})\]\((?:[^()\n]|\([^()\n]{0,100}\)){0,400}\)/g, '$1')
    .replaceAll(/[*`~|]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (plain.length <= length) return plain;
  const space = plain.lastIndexOf(' ', length - 1);
  if (space > 0 && space >= length - 1 - LONGEST_CUT_WORD) return `${plain.slice(0, space)}…`;
  const cut = plain.slice(0, length);
  // Half of a pair would be no character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
