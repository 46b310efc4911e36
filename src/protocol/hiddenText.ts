/** Finds characters that a reader cannot see or that change the direction of text. Joiners and selectors are not hidden
 * in an emoji, nor joiners in a word of a script that needs them. */

/** Controls except tab, line feed and carriage return. JSON escapes them. */
const CONTROLS = '\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F';

/** Joiners, bidirectional marks and overrides, invisible operators, fillers, interlinear marks, selectors. */
const OTHERS = [
  '\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F',
  '\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFC',
  // Not characters, and not allowed in XML.
  '\\uFFFE\\uFFFF',
].join('');
/** Tags and supplementary selectors (U+E0000 to U+E0FFF), and controls of shorthand and music, as surrogate pairs. */
const PAIRS = ['[\\uDB40-\\uDB43][\\uDC00-\\uDFFF]', '\\uD82F[\\uDCA0-\\uDCA3]', '\\uD834[\\uDD73-\\uDD7A]'];
const FIRST_OF_PAIR = '\\uDB40-\\uDB43\\uD82F\\uD834';
const HIDDEN = new RegExp([`[${CONTROLS}${OTHERS}]`, ...PAIRS].join('|'), 'g');

/** Matches texts that may hold a hidden character, except controls below U+0020, which JSON escapes. */
export const MAY_HIDE = new RegExp(`[${OTHERS}${FIRST_OF_PAIR}]`);

/** Scripts whose words need joiners. In others, a joiner would make words differ that look alike. */
const SCRIPTS = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
];
const JOINED = `[[[\\p{L}\\p{M}]&&[${SCRIPTS.map((name) => `\\p{scx=${name}}`).join('')}]]--[${OTHERS}]]`;
const EMOJI = '\\p{Extended_Pictographic}';
const DOTTED = '[\\u2801-\\u28FF]';
/** Part of a visible sign. Only a single selector counts, because further ones would be invisible bits. */
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

export const replaceHidden = (text: string, write: (codePoint: number) => string): string =>
  text.replace(HIDDEN, (character: string, at: number) =>
    isNeeded(text, at) ? character : write(character.codePointAt(0)!),
  );

/** Runs for hidden characters only, so that other texts cost nothing. */
function isNeeded(text: string, at: number): boolean {
  NEEDED.lastIndex = at;
  return NEEDED.test(text);
}
