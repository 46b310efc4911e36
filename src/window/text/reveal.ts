import { isAscii } from 'node:buffer';

/**
 * Hidden characters, shown: what stands in a text and cannot be seen, or turns what stands beside it, is written out, so that
 * people see what a program would read. U+202E becomes ⟨U+202E⟩.
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

/** Two, because one of both takes three times as long. */
const HIDDEN_IN_JSON = new RegExp(`[${OTHERS}${FIRST_OF_PAIR}]`);
const ESCAPE_IN_JSON = /\\[ubf]/;
/** The one of them that is ASCII. */
const DELETE = 0x7f;

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

/** How a mark reads, for those who set it apart. */
export const MARK = /⟨(U\+[0-9A-F]{4,6})⟩/g;

/** Characters that hide text or turn it around are written out (docs/window#texts). */
export const reveal = (text: string): string =>
  text.replace(HIDDEN, (character: string, at: number) =>
    isNeeded(text, at) ? character : `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Asked of what is hidden alone, so that other texts pay nothing for it. */
function isNeeded(text: string, at: number): boolean {
  NEEDED.lastIndex = at;
  return NEEDED.test(text);
}

/** An answer of an operation as pages, feeds and heads show it: no string in it hides anything. `body` is what the JSON says, if known. */
export function revealed(json: string, body: unknown = JSON.parse(json), bytes?: Buffer): unknown {
  return mayHide(json, bytes) || ESCAPE_IN_JSON.test(json) ? revealAll(body) : body;
}

/** Bytes of ASCII, where they are there already, are looked through in a tenth of the time. */
const mayHide = (json: string, bytes: Buffer | undefined): boolean =>
  bytes && isAscii(bytes) ? bytes.includes(DELETE) : HIDDEN_IN_JSON.test(json);

/** A value with every string in it revealed. */
export function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return reveal(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (typeof value !== 'object' || value === null) return value;
  // Without a prototype, so that `__proto__` is a name like others.
  const shown = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) shown[reveal(name)] = revealAll(each);
  return shown;
}
