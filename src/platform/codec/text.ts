/** Rules for strings that several features share (docs/formats#text). */

/** Control characters (C0, DEL, C1), the line and paragraph separators, and the bidirectional controls. */
const NOT_ONE_LINE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** Of letters, digits, punctuation and symbols, but for fillers and the blank of Braille, which are such and show nothing. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_.[\]]{0,63}$/;

/** True when readers see `text` in one line and in the order it is stored: names, titles, capabilities. */
export function isOneLine(text: string): boolean {
  return !NOT_ONE_LINE.test(text);
}

/** True when there is something to see of `text`: not white space alone, nor what has no width. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** True when `name` may stand in the `field` of an error. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name);
}

/** Length in Unicode code points; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let pairs = 0;
  for (let i = 0; i + 1 < text.length; i++) {
    if (isHighSurrogate(text.charCodeAt(i)) && isLowSurrogate(text.charCodeAt(i + 1))) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
