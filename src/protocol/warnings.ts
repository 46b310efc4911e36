/** Warns of secrets, home paths and addresses in public texts (docs/posts#warnings), but not of masked examples, names
 * in words and variables. Every pattern is bounded or takes each character once, so that a scan is linear. */

/** In the order in which they are reported. */
const CONTENT_KINDS = ['private_key', 'bearer_token', 'home_path', 'ipv4_address'] as const;
export const WARNING_KINDS = [...CONTENT_KINDS, 'repeats', 'json_text'] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export interface Warning {
  readonly kind: WarningKind;
  readonly field: string;
  readonly postId?: string;
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const HOME_PATH = /(?<![\w.-])(?:\/(?:home|Users)\/[^\s/"'<>`]|\/root\/|[A-Za-z]:[\\/]Users[\\/][^\s\\/"'<>`])/;
const IPV4_ADDRESS = new RegExp(`(?<![\\w.])(?:${OCTET}\\.){3}${OCTET}(?![\\w]|\\.\\d)`);

interface SecretForm {
  readonly pattern: RegExp;
  /** The text contains one of these. They are searched first, because that is cheap. */
  readonly beside?: readonly string[];
  readonly isSecret?: (match: RegExpMatchArray) => boolean;
}

interface SecretForms {
  /** Searched in parts without a space that are as long as a token. Prose has hardly any. */
  readonly inRuns: readonly SecretForm[];
  readonly inText: readonly SecretForm[];
}

const WORD = '[A-Za-z0-9]';
const URL_SAFE = '[A-Za-z0-9_-]';
const HEX = '[0-9a-f]';

/** The prefix of a token, and the characters and least length of its body. */
const PREFIXED: readonly (readonly [prefix: string, body: string])[] = [
  ['sk-ant-(?:[a-z]{3,8}\\d{2}-)?', `${URL_SAFE}{20,}`],
  ['sk-(?:proj|svcacct|admin|None|or-v1)-', `${URL_SAFE}{16,}`],
  ['hf_|api_org_', `${WORD}{30,}`],
  ['gsk_', `${WORD}{40,}`],
  ['xai-', `${WORD}{40,}`],
  ['pplx-', `${WORD}{40,}`],
  ['r8_', `${WORD}{30,}`],
  ['fw_', `${WORD}{22,}`],
  ['tgp_v1_', `${URL_SAFE}{30,}`],
  ['csk-', `${WORD}{40,}`],
  ['nvapi-', `${URL_SAFE}{40,}`],
  ['lsv2_(?:pt|sk)_', `${HEX}{32}`],
  ['(?:sk|pk)-lf-', `${HEX}{8}-${HEX}{4}`],
  ['tvly-(?:dev-|prod-)?', `${WORD}{20,}`],
  ['pcsk_', `${URL_SAFE}{40,}`],
  ['ABSK', '[A-Za-z0-9+/]{60,}'],
  ['AIza', `${URL_SAFE}{33,}`],
  ['ya29\\.', `${URL_SAFE}{20,}`],
  ['GOCSPX-', `${URL_SAFE}{20,}`],
  ['1//0', `${URL_SAFE}{40,}`],
  ['(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}'],
  ['do[por]_v1_', `${HEX}{40,}`],
  ['HRKU-', `${URL_SAFE}{30,}`],
  ['dapi', `${HEX}{32}`],
  ['fm[12][ar]?_', `${URL_SAFE}{40,}`],
  ['fo1_', `${URL_SAFE}{30,}`],
  ['nf[pcou]_', `${WORD}{36,}`],
  ['vc[pkira]_', `${WORD}{24,}`],
  ['pscale_(?:tkn|pw|oauth)_', `${URL_SAFE}{30,}`],
  ['sb[ap]_', `${WORD}{30,}`],
  ['sb_secret_', `${URL_SAFE}{20,}`],
  ['napi_', `${WORD}{40,}`],
  ['tskey-[a-z]{3,8}-', `${URL_SAFE}{16,}`],
  ['hv[sbr]\\.', `${URL_SAFE}{20,}`],
  ['pul-', `${HEX}{40}`],
  ['dp\\.(?:pt|st|ct|sa|scim|audit)\\.', `[A-Za-z0-9_.-]{40,}`],
  ['ops_eyJ', `${URL_SAFE}{40,}`],
  ['sha256~', `${URL_SAFE}{43}`],
  ['gh[opsur]_', `${WORD}{20,}`],
  ['github_pat_', '[A-Za-z0-9_]{20,}'],
  ['gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|soat|imt|agent|ffct|wt)-', `[A-Za-z0-9_.-]{20,}`],
  ['npm_', `${WORD}{36}`],
  ['pypi-Ag', `${URL_SAFE}{40,}`],
  ['rubygems_', `${HEX}{48}`],
  ['cio', `${WORD}{32}(?!${WORD})`],
  ['oy2', '[a-z0-9]{43}(?![a-z0-9])'],
  ['dckr_(?:pat|oat)_', `${URL_SAFE}{20,}`],
  ['ATATT3|ATCTT3|ATBB', `[A-Za-z0-9_=-]{20,}`],
  ['bkua_', `${HEX}{40}`],
  ['CCI(?:PAT|PRJ)_', `[A-Za-z0-9_]{40,}`],
  ['sgp_', `[A-Za-z0-9_]{40,}`],
  ['sntry[su]_', `[A-Za-z0-9_=+/-]{40,}`],
  ['gl(?:sa|c)_', `[A-Za-z0-9_=+/-]{32,}`],
  ['NRAK-', '[A-Z0-9]{27}'],
  ['PMAK-', `${HEX}{24}-${HEX}{34}`],
  ['(?:sk|rk)_(?:live|test)_', `${WORD}{16,}`],
  ['whsec_', '[A-Za-z0-9+/]{24,}'],
  ['rzp_(?:live|test)_', `${WORD}{14}`],
  ['sq0(?:atp|csp|idp)-', `${URL_SAFE}{22,}`],
  ['shp(?:at|ca|pa|ss)_', '[0-9a-fA-F]{32}'],
  ['xox[abeprs](?:\\.xox[bp])?-', `[A-Za-z0-9-]{10,}`],
  ['xapp-\\d-', `[A-Za-z0-9-]{20,}`],
  ['SG\\.', `${URL_SAFE}{16,32}\\.${URL_SAFE}{32,}`],
  ['SK', `${HEX}{32}(?!${WORD})`],
  ['key-', `${HEX}{32}(?!${WORD})`],
  ['xkeysib-', `${HEX}{64}-${WORD}{16}`],
  ['re_', `${WORD}{8}_${WORD}{20,}`],
  ['EAA', `${WORD}{60,}`],
  ['lin_(?:api|oauth)_', `${WORD}{32,}`],
  ['ntn_', `${WORD}{40,}`],
  ['secret_', `${WORD}{43}(?!${WORD})`],
  ['fig[dou]r?_', `${URL_SAFE}{40,}`],
  ['pat', `${WORD}{14}\\.${HEX}{64}`],
  ['CFPAT-', `${URL_SAFE}{40,}`],
  ['sl\\.', `${URL_SAFE}{100,}`],
  ['tfp_', `${URL_SAFE}{40,}`],
];

const WHOLE: readonly string[] = [
  `eyJ${URL_SAFE}{8,}\\.eyJ${URL_SAFE}{8,}\\.${URL_SAFE}{8}`,
  `eyJ${URL_SAFE}{8,}\\.${URL_SAFE}{0,}\\.${URL_SAFE}{8,}\\.${URL_SAFE}{8,}\\.${URL_SAFE}{8}`,
  // Telegram, Discord, Terraform, Mailchimp, Azure
  `\\d{8,10}:AA${URL_SAFE}{33}`,
  `(?=[\\w.-]{0,80}\\d)[MNO]${URL_SAFE}{23,27}\\.${URL_SAFE}{6}\\.${URL_SAFE}{27,40}`,
  `${WORD}{14}\\.atlasv1\\.${URL_SAFE}{60}`,
  `${HEX}{32}-us\\d{1,2}(?!\\d)`,
  `[A-Za-z0-9_.~-]{3}\\dQ~[A-Za-z0-9_.~-]{31,34}`,
];

const NOT_WITHIN_A_WORD = '(?<![A-Za-z0-9_-])';
const PREFIXED_TOKEN = PREFIXED.map(([prefix, body]) => `(?:${prefix})${body}`).join('|');

const MASK = /^(?:[xX*._-]|0){3,}$|x{8}|X{8}|\*{3}|\.{3}/;
const WORDS = /^[a-z]{1,20}(?:[-_./][a-z]{1,20})+$|^[A-Z]{1,20}(?:[-_./][A-Z]{1,20})+$/;

/** False for a mask (`hf_xxxxxxxx`) and a name made of words (`sk-proj-my-first-project-name`). */
function isNoExample({ 0: token }: RegExpMatchArray): boolean {
  const body = token.slice(Math.min(token.search(/[-_.]/) + 1, 8));
  return !MASK.test(body) && !WORDS.test(body);
}

/** True for a body without a vendor's prefix if a part of it looks random, with digits among letters. */
const isRandom = ({ 1: body = '' }: RegExpMatchArray): boolean =>
  !MASK.test(body) &&
  (body.split(/[-._~]/).some(isRandomPart) || (count(body, /\d/g) >= 4 && count(body, /[A-Z]/g) >= 4));

const isRandomPart = (part: string): boolean =>
  part.length >= 8 && /\d/.test(part) && /[A-Za-z]/.test(part) && !/^[A-Za-z]+\d{1,4}$/.test(part);

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The placeholders that descriptions use for user and password. */
const TEMPLATE = /^(?:user|username|usr|name|login):(?:pass|password|passwd|pwd|pw|secret)$/i;
const VARIABLE = /^[$%{[<]|\$\{|\{\{/;
const isPassword = ({ 1: user = '', 2: password = '' }: RegExpMatchArray): boolean =>
  !VARIABLE.test(password) && !MASK.test(password) && !TEMPLATE.test(`${user}:${password}`);

const SHORTEST_RUN = 16;

const TOKENS: SecretForms = {
  inRuns: [
    { pattern: new RegExp(`${NOT_WITHIN_A_WORD}(?:${PREFIXED_TOKEN})`, 'g'), isSecret: isNoExample },
    { pattern: new RegExp(`${NOT_WITHIN_A_WORD}(?:${WHOLE.join('|')})`, 'g') },
    { pattern: /(?<![A-Za-z0-9_-])(?:sk|rk)[-_]([A-Za-z0-9_-]{16,})/g, isSecret: isRandom },
    { pattern: /AccountKey=[A-Za-z0-9+/]{80,}|SharedAccessKey=[A-Za-z0-9+/]{40,}|[?&;]sig=[A-Za-z0-9%+/]{40,}/gi },
    { pattern: /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9]{6,}\/[A-Za-z0-9/]{12,}/g },
    { pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{15,}\/[A-Za-z0-9_-]{40,}/g },
  ],
  inText: [
    { pattern: /\bbearer[ \t]{1,8}([A-Za-z0-9._~+/-]{16,})/gi, beside: ['earer', 'EARER'], isSecret: isRandom },
    {
      pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?basic[ \t]{1,4}[A-Za-z0-9+/]{8,}/gi,
      beside: ['asic', 'ASIC'],
    },
    {
      pattern: /(?:aws_?)?secret_?access_?key["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[A-Za-z0-9/+]{40}/gi,
      beside: ['ccess', 'ACCESS'],
    },
    {
      pattern:
        /(?:api|access|secret|auth|private|client)[_-]?(?:key|token|secret)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?([A-Za-z0-9_-]{24,})/gi,
      beside: ['ey', 'EY', 'oken', 'OKEN', 'ecret', 'ECRET'],
      isSecret: isRandom,
    },
    {
      pattern: /(?<=[A-Za-z0-9]):\/\/([^\s:/?#@'"<>`]{0,128}):([^\s/?#@'"<>`]{1,256})@[A-Za-z0-9[]/g,
      beside: ['@'],
      isSecret: isPassword,
    },
    {
      pattern:
        /(?<![A-Za-z0-9_])(?:server|data source|host|endpoint|user id|uid|database|initial catalog)[ ]?=([^;'"=]{1,64});(?:[^;'"]{1,64};){0,4}?[ ]?(?:password|pwd)[ ]?=[ ]?([^;'"\s]{1,128})/gi,
      beside: ['='],
      isSecret: isPassword,
    },
    {
      pattern: /\bmachine[ \t]{1,4}\S{1,100}[ \t]{1,4}login[ \t]{1,4}\S{1,100}[ \t]{1,4}password[ \t]{1,4}[^\s<$*]/g,
      beside: ['machine '],
    },
  ],
};

const PRIVATE_KEYS: SecretForms = {
  inRuns: [{ pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}|\bnsec1[a-z0-9]{50,}|\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,}/g }],
  inText: [
    { pattern: /-{4,5} ?BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4}/g, beside: ['PRIVATE KEY'] },
    {
      pattern: /\b(?:signingSeed|encryptionSecretKey)"? {0,4}: {0,4}"[\w-]{43}"/g,
      beside: ['signingSeed', 'encryptionSecretKey'],
    },
    {
      pattern: /["']?\b(?:d|k)\\?["']?\s{0,8}:\s{0,8}\\?["'][A-Za-z0-9_-]{22,}\\?["']/g,
      beside: ['kty'],
    },
    {
      pattern: /\bPrivate-Lines: ?\d|\bPrivateKey[ \t]{0,4}=[ \t]{0,4}[A-Za-z0-9+/]{43}=/g,
      beside: ['Private-Lines', 'PrivateKey'],
    },
  ],
};

const hasSecret = ({ inRuns, inText }: SecretForms, text: string, runs: string): boolean =>
  (runs !== '' && inRuns.some((form) => isIn(runs, form))) || inText.some((form) => isIn(text, form));

function isIn(text: string, { pattern, beside, isSecret }: SecretForm): boolean {
  if (beside && !beside.some((part) => text.includes(part))) return false;
  if (!isSecret) return text.search(pattern) !== -1;
  for (const match of text.matchAll(pattern)) if (isSecret(match)) return true;
  return false;
}

function kindsIn(text: string): (typeof CONTENT_KINDS)[number][] {
  let runs = '';
  // Written out, because a pattern for runs takes five times as long.
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start);
    const end = space === -1 ? text.length : space;
    if (end - start >= SHORTEST_RUN) runs += `${text.slice(start, end)} `;
    start = end + 1;
  }
  const found: Readonly<Record<(typeof CONTENT_KINDS)[number], boolean>> = {
    private_key: hasSecret(PRIVATE_KEYS, text, runs),
    bearer_token: hasSecret(TOKENS, text, runs),
    home_path: HOME_PATH.test(text),
    ipv4_address: IPV4_ADDRESS.test(text),
  };
  return CONTENT_KINDS.filter((kind) => found[kind]);
}

/** The text of a JSON value for `warningsIn`: the value as JSON, and each of its strings. */
export function textOfJson(value: unknown): string {
  const strings: string[] = [];
  const written = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') strings.push(each);
    return each;
  });
  return [written, ...strings].join('\n');
}

/** The warnings of texts by the names of their fields. They never repeat the text. */
export function warningsIn(texts: Readonly<Record<string, unknown>>): Warning[] {
  return Object.entries(texts).flatMap(([field, text]) =>
    typeof text === 'string' ? kindsIn(text).map((kind) => ({ kind, field })) : [],
  );
}

/** `json_text` marks a string that is itself a JSON object or array: the program encoded its arguments twice. */
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
