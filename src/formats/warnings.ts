/**
 * What a text that everybody reads may give away (docs/posts#warnings). Each pattern begins where a word begins and has bounded
 * parts or takes each character once, so that a scan is linear. Pure.
 */

export const WARNING_KINDS = ['private_key', 'bearer_token', 'home_path', 'ipv4_address'] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export interface Warning {
  readonly kind: WarningKind;
  readonly field: string;
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const PATTERNS: Readonly<Record<WarningKind, RegExp>> = {
  // PEM of any kind, and the halves of a key file of this service that nobody else may have.
  private_key:
    /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\b(?:signingSeed|encryptionSecretKey)"? {0,4}: {0,4}"[\w-]{43}"/,
  // As it stands in a header; a JSON Web Token; what well-known services give out.
  bearer_token: new RegExp(
    [
      '\\b(?:[Bb]earer|BEARER)[ \\t]{1,8}[A-Za-z0-9._~+/-]{16}',
      '(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8}',
      '(?<![A-Za-z0-9_-])(?:sk|rk)[-_](?:[a-z]{2,8}[-_]){0,2}[A-Za-z0-9]{16}',
      '(?<![A-Za-z0-9_-])(?:gh[opsur]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}|glpat-[A-Za-z0-9_-]{20})',
      '(?<![A-Za-z0-9_-])(?:xox[abprs]-[A-Za-z0-9-]{10}|(?:AKIA|ASIA)[A-Z0-9]{16})',
    ].join('|'),
  ),
  home_path: /(?<![\w.-])(?:\/(?:home|Users)\/[^\s/"'<>`]|\/root\/|[A-Za-z]:[\\/]Users[\\/][^\s\\/"'<>`])/,
  ipv4_address: new RegExp(`(?<![\\w.])(?:${OCTET}\\.){3}${OCTET}(?![\\w]|\\.\\d)`),
};

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
    typeof text === 'string'
      ? WARNING_KINDS.filter((kind) => PATTERNS[kind].test(text)).map((kind) => ({ kind, field }))
      : [],
  );
}
