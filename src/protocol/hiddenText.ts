/**
 * The one list of hidden characters: characters of a text that a reader cannot see, or that turn the text around them. The site and
 * its Markdown twins mark them (`web/text/reveal.ts`), the command line escapes them (`client/text.ts`).
 *
 * Joiners and selectors are not hidden where they are part of what is seen: U+200D and U+FE0F within an emoji, joiners within a word of
 * a script that needs them. The same characters anywhere else are.
 */

/** Controls but tab, line feed and carriage return. In JSON they stand as escapes. */
const CONTROLS = '\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F';

/** The others: joiners, bidirectional marks and overrides, invisible operators, fillers and a blank, interlinear marks, selectors. */
const OTHERS = [
  '\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F',
  '\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFC',
  // No characters, and none of XML.
  '\\uFFFE\\uFFFF',
].join('');
/** Tags and the supplementary selectors, U+E0000 to U+E0FFF, and controls of shorthand and of music, as the pairs that they are. */
const PAIRS = ['[\\uDB40-\\uDB43][\\uDC00-\\uDFFF]', '\\uD82F[\\uDCA0-\\uDCA3]', '\\uD834[\\uDD73-\\uDD7A]'];
const FIRST_OF_PAIR = '\\uDB40-\\uDB43\\uD82F\\uD834';
const HIDDEN = new RegExp([`[${CONTROLS}${OTHERS}]`, ...PAIRS].join('|'), 'g');

/** Finds texts that may hold a hidden character, but for controls below U+0020, which are escapes in JSON. */
export const MAY_HIDE = new RegExp(`[${OTHERS}${FIRST_OF_PAIR}]`);

/** Scripts whose words need joiners. Elsewhere nothing shows that one is there, and words that look alike would differ. */
const SCRIPTS = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
];
/** A letter or a mark of theirs that can be seen. */
const JOINED = `[[[\\p{L}\\p{M}]&&[${SCRIPTS.map((name) => `\\p{scx=${name}}`).join('')}]]--[${OTHERS}]]`;
const EMOJI = '\\p{Extended_Pictographic}';
/** Cells of Braille that have a dot. */
const DOTTED = '[\\u2801-\\u28FF]';
/**
 * A joiner within a word of such a script, or one that makes an emoji of two, a blank between cells of Braille, or the one
 * selector behind a sign that it makes an emoji, or text, of: part of what is seen. Several selectors in a row are bits that
 * nobody sees.
 */
const NEEDED = new RegExp(
  [
    `[\\u200C\\u200D](?<=${JOINED}.)(?=${JOINED})`,
    `\\u200D(?<=${EMOJI}[\\p{Emoji_Modifier}\\uFE0F]?.)(?=${EMOJI})`,
    `\\u2800(?<=${DOTTED}.)(?=${DOTTED})`,
    '[\\uFE0E\\uFE0F](?<=[\\p{Emoji}--[#*0-9]].)',
    '\\uFE0F(?<=[#*0-9].)(?=\\u20E3)',
  ].join('|'),
  'vy',
);

/** A text with each hidden character replaced by what `write` makes of its code point. */
export const replaceHidden = (text: string, write: (codePoint: number) => string): string =>
  text.replace(HIDDEN, (character: string, at: number) =>
    isNeeded(text, at) ? character : write(character.codePointAt(0)!),
  );

/** Asked of what is hidden alone, so that other texts pay nothing for it. */
function isNeeded(text: string, at: number): boolean {
  NEEDED.lastIndex = at;
  return NEEDED.test(text);
}
