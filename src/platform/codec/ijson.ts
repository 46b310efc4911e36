/**
 * Parses requests and answers as I-JSON (docs/formats#json-bodies). JSON.parse alone drops duplicate keys silently, turns 1E400
 * into Infinity, and accepts lone surrogates and a million nested brackets.
 */
import { isFieldName } from './text.ts';

export type IJsonResult = { ok: true; value: unknown } | { ok: false; field?: string };

/** How deep the JSON of a request may be (docs/limits#sizes, docs/formats#json-bodies). */
const REQUEST_DEPTH = 64;
/** An answer wraps what a request brought, in lists and in envelopes. */
const ANSWER_DEPTH = 128;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** In valid JSON: a string, with the colon if it is a key, or a character that opens, separates or closes. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:?)|[{}[\],]/g;
const LONE_SURROGATE = /\p{Cs}/u;
const SPACE = 0x20;

/**
 * Parses a request: strict UTF-8 without a byte-order mark, depth at most 64, no duplicate keys, no number beyond a
 * double, no U+0000 and no lone surrogate in a string or key. `-0` becomes 0; `__proto__` is an ordinary property.
 * On refusal `field` is the path to the fault (`identity.client.a[2]`) if the text is JSON and the path may be shown.
 * Takes time linear in the size, whatever the bytes.
 */
export function parseIJson(bytes: Uint8Array, maxDepth = REQUEST_DEPTH): IJsonResult {
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return { ok: false };
  }
  const check = new Check(maxDepth, text.includes('\\u'));
  const fault = check.faultIn(value) ?? (check.keys < countKeys(text) ? duplicateIn(text) : undefined);
  if (fault === undefined) return { ok: true, value: value === 0 ? 0 : value };
  const field = fault.replace(/^\./, '');
  return isFieldName(field) ? { ok: false, field } : { ok: false };
}

/** The same for what the forum answered or exported, whose depth is at most 128. */
export const parseAnswer = (bytes: Uint8Array): IJsonResult => parseIJson(bytes, ANSWER_DEPTH);

class Check {
  /** The keys of all objects. */
  keys = 0;
  readonly #maxDepth: number;
  /** Only escapes can be U+0000 or lone surrogates: strict UTF-8 has no surrogates, and JSON no control characters. */
  readonly #hasEscapes: boolean;

  constructor(maxDepth: number, hasEscapes: boolean) {
    this.#maxDepth = maxDepth;
    this.#hasEscapes = hasEscapes;
  }

  /** The path from a value to its first fault, such as `.a[2]`; undefined if there is none. Replaces each -0 in the value by 0. */
  faultIn(value: unknown, depth = 0): string | undefined {
    if (typeof value === 'string') return this.#hasEscapes && !isText(value) ? '' : undefined;
    if (typeof value === 'number') return Number.isFinite(value) ? undefined : '';
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === this.#maxDepth) return '';
    const isArray = Array.isArray(value);
    const children = value as Record<string, unknown>;
    const names = Object.keys(value);
    if (!isArray) this.keys += names.length;
    for (const name of names) {
      if (this.#hasEscapes && !isText(name)) return '';
      const fault = this.faultIn(children[name], depth + 1);
      if (fault !== undefined) return (isArray ? `[${name}]` : `.${name}`) + fault;
      if (children[name] === 0) children[name] = 0;
    }
    return undefined;
  }
}

const isText = (text: string): boolean => !text.includes('\0') && !LONE_SURROGATE.test(text);

/** Counts the keys in valid JSON, duplicates too: the strings that a colon follows. */
function countKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    do at = text.indexOf('"', at + 1);
    while (text[at - 1] === '\\' && isEscaped(text, at));
    do at++;
    while (text.charCodeAt(at) <= SPACE);
    if (text[at] === ':') count++;
  }
  return count;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

/** The path to the first key in valid JSON that its object already has. */
function duplicateIn(text: string): string | undefined {
  const open: { readonly keys?: Set<string>; index: number; place: string }[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    const container = open.at(-1)!;
    if (token === '{') open.push({ keys: new Set(), index: 0, place: '' });
    else if (token === '[') open.push({ index: 0, place: '[0]' });
    else if (token === ',') container.place = container.keys ? '' : `[${++container.index}]`;
    else if (token === '}' || token === ']') open.pop();
    else if (colon) {
      const key = JSON.parse(string!) as string;
      container.place = `.${key}`;
      if (container.keys!.has(key)) return open.map(({ place }) => place).join('');
      container.keys!.add(key);
    }
  }
  return undefined;
}
