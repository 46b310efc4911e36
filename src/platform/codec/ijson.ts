/**
 * Requests and answers as I-JSON (docs/formats#json-bodies). JSON.parse alone would drop duplicate keys silently, turn 1E400
 * into Infinity, let lone surrogates through, and take a million nested brackets that then break whoever recurses.
 */
import { isFieldName } from './text.ts';

export type IJsonResult = { ok: true; value: unknown } | { ok: false; field?: string };

/** How deep the JSON of a request may be (docs/limits#sizes, docs/formats#json-bodies). */
const REQUEST_DEPTH = 64;
/** An answer wraps what a request brought, in lists and in envelopes. */
const ANSWER_DEPTH = 128;
/** Above this many keys in one object a Set finds duplicates faster than comparing. */
const FEW_KEYS = 8;
/** A number of fewer characters and without an exponent is below 1E308. */
const MAX_PLAIN_NUMBER_LENGTH = 308;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a request: strict UTF-8 without a byte-order mark, depth at most 64, no duplicate keys, no number beyond a
 * double, no U+0000 and no lone surrogate in a string or key. `-0` becomes 0; `__proto__` is an ordinary property.
 * On refusal `field` is the path to the fault (`identity.client.a[2]`) where there is one that may be shown.
 * Takes time linear in the size, whatever the bytes.
 */
export function parseIJson(bytes: Uint8Array): IJsonResult {
  return parse(bytes, REQUEST_DEPTH);
}

/** The same of what the forum answered or exported, whose depth is at most 128. */
export function parseAnswer(bytes: Uint8Array): IJsonResult {
  return parse(bytes, ANSWER_DEPTH);
}

function parse(bytes: Uint8Array, maxDepth: number): IJsonResult {
  const text = decodeUtf8(bytes);
  if (text === null) return { ok: false };
  try {
    const scan = new Scan(text, maxDepth);
    if (!scan.run()) return refusal(scan.path());
    const value: unknown = JSON.parse(text);
    return { ok: true, value: scan.sawNegativeZero ? withoutNegativeZero(value) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false };
    throw error;
  }
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function refusal(path: string): IJsonResult {
  return isFieldName(path) ? { ok: false, field: path } : { ok: false };
}

/** In place; the scan has bounded the depth. A reviver would cost ten times as much. */
function withoutNegativeZero(value: unknown): unknown {
  if (value === 0) return 0;
  if (typeof value !== 'object' || value === null) return value;
  const children = value as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    const child = children[key];
    if (child === 0) children[key] = 0;
    else if (typeof child === 'object') withoutNegativeZero(child);
  }
  return value;
}

/** An open object or array. */
interface Container {
  /** The keys so far; null in an array. */
  keys: string[] | null;
  /** The same, once there are more than a few. */
  keySet: Set<string> | null;
  /** Index of the current element of an array. */
  index: number;
}

/**
 * One pass over text that need not be valid JSON: syntax is left to JSON.parse, so this only has to be right about
 * valid text and to stop, in linear time, on any other.
 */
class Scan {
  sawNegativeZero: boolean = false;
  private readonly text: string;
  private readonly maxDepth: number;
  private readonly open: Container[] = [];
  private position = 0;
  /** Where the next backslash is: strings before it are skipped at the speed of indexOf. */
  private nextBackslash: number;
  private readonly hasUnicodeEscapes: boolean;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.nextBackslash = indexOrEnd(text, '\\', 0);
    this.hasUnicodeEscapes = text.includes('\\u', this.nextBackslash);
  }

  /** False as soon as something is refused; `path()` then tells where. */
  run(): boolean {
    while (this.position < this.text.length) {
      if (!this.step()) return false;
    }
    return true;
  }

  /** The path to where the scan stands. */
  path(): string {
    let path = '';
    for (const [depth, { keys, index }] of this.open.entries()) {
      if (keys === null) path += `[${index}]`;
      else if (keys.length > 0) path += depth === 0 ? keys.at(-1)! : `.${keys.at(-1)!}`;
    }
    return path;
  }

  private step(): boolean {
    const unit = this.text.charCodeAt(this.position);
    if (unit === 0x22) return this.string();
    if (unit === 0x7b || unit === 0x5b) return this.enter(unit === 0x7b);
    if (unit === 0x7d || unit === 0x5d) return this.leave();
    if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) return this.number();
    if (unit === 0x2c) this.next();
    this.position++;
    // A backslash outside a string is no JSON, and would be taken for one inside the next string.
    return unit !== 0x5c;
  }

  private enter(isObject: boolean): boolean {
    if (this.open.length === this.maxDepth) return false;
    this.open.push({ keys: isObject ? [] : null, keySet: null, index: 0 });
    this.position++;
    return true;
  }

  private leave(): boolean {
    this.position++;
    return this.open.pop() !== undefined;
  }

  private next(): void {
    const container = this.open.at(-1);
    if (container !== undefined) container.index++;
  }

  private number(): boolean {
    const { text } = this;
    const start = this.position;
    let end = start + 1;
    let hasExponent = false;
    for (; end < text.length; end++) {
      const unit = text.charCodeAt(end);
      if (unit === 0x65 || unit === 0x45) hasExponent = true;
      else if (!((unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x2d || unit === 0x2b)) break;
    }
    this.position = end;
    const maybeNegativeZero = text.charCodeAt(start) === 0x2d && (hasExponent || text.charCodeAt(start + 1) === 0x30);
    if (!hasExponent && !maybeNegativeZero && end - start <= MAX_PLAIN_NUMBER_LENGTH) return true;
    const value = Number(text.slice(start, end));
    if (Object.is(value, -0)) this.sawNegativeZero = true;
    return Number.isFinite(value);
  }

  /** A string that a colon follows is a key: no other string in valid JSON is. */
  private string(): boolean {
    const { text } = this;
    const start = this.position + 1;
    let end = text.indexOf('"', start);
    let accepted = true;
    const isEscaped = this.nextBackslash < end;
    if (isEscaped) {
      end = closingQuote(text, this.nextBackslash);
      accepted = !this.hasUnicodeEscapes || escapesAreCharacters(text, this.nextBackslash, end);
      this.nextBackslash = indexOrEnd(text, '\\', end);
    }
    if (end === -1) return false;
    this.position = end + 1;
    while (isSpace(text.charCodeAt(this.position))) this.position++;
    if (text.charCodeAt(this.position) !== 0x3a) return accepted;
    if (accepted) return this.key(isEscaped ? unescapeText(text.slice(start, end)) : text.slice(start, end));
    // The path of a key that must not be shown is that of the object that holds it.
    this.open.pop();
    return false;
  }

  private key(key: string): boolean {
    const container = this.open.at(-1);
    if (container === undefined || container.keys === null) return false;
    const isNew = container.keySet === null ? !container.keys.includes(key) : !container.keySet.has(key);
    container.keys.push(key);
    if (container.keySet !== null) container.keySet.add(key);
    else if (container.keys.length > FEW_KEYS) container.keySet = new Set(container.keys);
    return isNew;
  }
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const index = text.indexOf(wanted, from);
  return index === -1 ? text.length : index;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** The quote that ends a string, from a place inside it that is not escaped; -1 when there is none. */
function closingQuote(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) return i;
    if (unit === 0x5c) i++;
  }
  return -1;
}

/**
 * False when an escape between `from` and `end` is U+0000 or half of a surrogate pair. Unescaped ones need no look:
 * strict UTF-8 has no surrogates, and JSON.parse refuses raw control characters.
 */
function escapesAreCharacters(text: string, from: number, end: number): boolean {
  for (let i = from; i < end; i++) {
    if (text.charCodeAt(i) !== 0x5c) continue;
    i++;
    if (text.charCodeAt(i) !== 0x75) continue;
    const unit = readEscapedUnit(text, i);
    i += 4;
    if (unit === 0) return false;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const low = text.startsWith('\\u', i + 1) ? readEscapedUnit(text, i + 2) : 0;
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return false;
    i += 6;
  }
  return true;
}

/** The code unit of `uXXXX` at `at`; NaN for what is not hexadecimal, which JSON.parse will refuse. */
function readEscapedUnit(text: string, at: number): number {
  return Number(`0x${text.slice(at + 1, at + 5)}`);
}

/** Two spellings of one key are duplicates. Throws for a broken escape, as JSON.parse will for the whole. */
function unescapeText(inner: string): string {
  return JSON.parse(`"${inner}"`) as string;
}
