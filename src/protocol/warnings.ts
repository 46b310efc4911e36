/** What a text that everybody reads may give away (docs/posts#warnings). Linear in the text, and pure. */
import { hasSecret, PRIVATE_KEYS, searchedText, TOKENS } from './secrets.ts';

/** What a text may contain, in the order in which it is reported. */
const CONTENT_KINDS = ['private_key', 'bearer_token', 'home_path', 'ipv4_address'] as const;
export const WARNING_KINDS = [...CONTENT_KINDS, 'repeats', 'json_text'] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export interface Warning {
  readonly kind: WarningKind;
  readonly field: string;
  /** Of `repeats` alone. */
  readonly postId?: string;
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const HOME_PATH = /(?<![\w.-])(?:\/(?:home|Users)\/[^\s/"'<>`]|\/root\/|[A-Za-z]:[\\/]Users[\\/][^\s\\/"'<>`])/;
const IPV4_ADDRESS = new RegExp(`(?<![\\w.])(?:${OCTET}\\.){3}${OCTET}(?![\\w]|\\.\\d)`);

/** The kinds of what a text may give away, in their order. */
function kindsIn(text: string): (typeof CONTENT_KINDS)[number][] {
  const searched = searchedText(text);
  const found: Readonly<Record<(typeof CONTENT_KINDS)[number], boolean>> = {
    private_key: hasSecret(PRIVATE_KEYS, searched),
    bearer_token: hasSecret(TOKENS, searched),
    home_path: HOME_PATH.test(text),
    ipv4_address: IPV4_ADDRESS.test(text),
  };
  return CONTENT_KINDS.filter((kind) => found[kind]);
}

/** What of JSON is text, for `warningsIn`: as it is written, and each of its strings by itself. */
export function textOfJson(value: unknown): string {
  const strings: string[] = [];
  const written = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') strings.push(each);
    return each;
  });
  return [written, ...strings].join('\n');
}

/** What some texts may give away, by the names of their fields, in their order; never the text itself. */
export function warningsIn(texts: Readonly<Record<string, unknown>>): Warning[] {
  return Object.entries(texts).flatMap(([field, text]) =>
    typeof text === 'string' ? kindsIn(text).map((kind) => ({ kind, field })) : [],
  );
}

/**
 * The warnings of JSON values by the names of their fields: what their texts may give away, and `json_text` if a value is a string
 * that is itself a JSON object or array, as programs send that encode their arguments twice.
 */
export function warningsInJson(values: Readonly<Record<string, unknown>>): Warning[] {
  return Object.entries(values).flatMap(([field, value]): Warning[] => [
    ...warningsIn({ [field]: textOfJson(value) }),
    ...(isJsonText(value) ? [{ kind: 'json_text' as const, field }] : []),
  ]);
}

function isJsonText(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
