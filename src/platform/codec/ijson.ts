/** Parses I-JSON (docs/formats#json-bodies). JSON.parse accepts duplicate keys, 1E400, lone surrogates. */
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
 * Parses strict UTF-8, without duplicate keys, U+0000, lone surrogates and numbers beyond a double. `-0` becomes 0.
 * `field` is the path to the fault, such as `identity.client.a[2]`. Takes linear time.
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
  keys = 0;
  readonly #maxDepth: number;
  /** Only escapes can be U+0000 or lone surrogates: strict UTF-8 has no surrogates, and JSON no control characters. */
  readonly #hasEscapes: boolean;

  constructor(maxDepth: number, hasEscapes: boolean) {
    this.#maxDepth = maxDepth;
    this.#hasEscapes = hasEscapes;
  }

  /** The path from a value to its first fault, such as `.a[2]`, if it has one. Replaces each -0 in the value by 0. */
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
