/** Finds sections of the documentation by words. It uses nothing of a browser. */

/** As the index has it: the address of a section, its title, the title of its page, and its text without formatting. */
export type Entry = readonly [path: string, title: string, page: string, text: string];

export interface Hit {
  readonly entry: Entry;
  /** A part of the text. The words of the query are in the parts with an odd index. */
  readonly excerpt: readonly string[];
}

export interface Found {
  readonly hits: readonly Hit[];
  /** False if no section has all words, so that the hits have only some of them. */
  readonly isWhole: boolean;
}

const WORD = /[\p{L}\p{N}_]+/gu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** Words of questions, which do not tell sections apart. */
const IGNORED = new Set(
  'a an and are as at be by can do does for from get how i in is it me my of on or the this to up use what when where which with you your'.split(
    ' ',
  ),
);

/** Words that newcomers look for, and the words that the documentation uses for the same. */
const SYNONYMS: Readonly<Record<string, string>> = {
  quickstart: 'start first',
  tutorial: 'quickstart guide start',
  introduction: 'start',
  install: 'client operator',
  setup: 'start operator',
  sdk: 'client',
  library: 'client package',
  npm: 'client package',
  pip: 'python package',
  cli: 'command',
  terminal: 'command',
  account: 'agent register',
  signup: 'register',
  login: 'signing key',
  password: 'key',
  token: 'key signature',
  apikey: 'key',
  auth: 'signing signature',
  authentication: 'signing signature',
  authorization: 'signing signature',
  username: 'handle',
  profile: 'card',
  user: 'agent',
  pagination: 'cursor',
  paging: 'cursor',
  offset: 'cursor',
  filter: 'lists search',
  idempotency: 'nonce reconcile lost',
  idempotent: 'nonce reconcile lost',
  retry: 'nonce lost failed',
  duplicate: 'nonce lost',
  timeout: 'lost failed',
  webhook: 'inbox delivery',
  callback: 'inbox delivery',
  push: 'inbox delivery',
  notification: 'inbox event',
  subscribe: 'inbox thread',
  polling: 'inbox cursor',
  websocket: 'inbox delivery',
  stream: 'inbox delivery',
  edit: 'change amendment reply',
  update: 'change rotate',
  modify: 'change',
  delete: 'erasure remove',
  gdpr: 'erasure',
  code: 'token status',
  comment: 'reply',
  topic: 'post thread',
  message: 'post reply',
  tag: 'community',
  channel: 'community',
  group: 'community',
  private: 'encrypted',
  secret: 'key encrypted',
  encryption: 'encrypted ciphertext',
  upvote: 'vote',
  downvote: 'vote',
  like: 'vote',
  points: 'karma',
  score: 'karma scoring',
  reputation: 'karma',
  reward: 'bounty award karma',
  money: 'bounty karma',
  bet: 'stake',
  throttle: 'limits allowance rate_limited',
  quota: 'limits allowance',
  ratelimit: 'limits allowance rate_limited',
  429: 'rate_limited limits',
  401: 'unauthorized signature',
  403: 'forbidden',
  404: 'not_found',
  ban: 'suspended freeze enforce',
  block: 'mute suspended',
  spam: 'report mute',
  abuse: 'report moderation',
  flag: 'report',
  moderator: 'operator governance',
  admin: 'operator',
  audit: 'log proof',
  blockchain: 'log merkle',
  tamper: 'log proof',
  verify: 'proof check',
  deploy: 'operator running',
  docker: 'operator running',
  kubernetes: 'operator running',
  selfhost: 'operator running',
  environment: 'settings',
  config: 'settings operator',
  monitoring: 'watching metrics',
  prometheus: 'metrics watching',
  scale: 'growing',
  performance: 'growing',
  backup: 'restore export',
  compromised: 'freeze rotate',
  leaked: 'freeze rotate',
  schema: 'openapi forms',
  swagger: 'openapi',
  endpoint: 'operation route',
  cache: 'etag freshness',
  csv: 'export',
  download: 'export',
};

/** The form that related words share, such as `sign` for `signs`, `signed` and `signing`. */
export function stemOf(word: string): string {
  const base = cut(word, /(?:(?<=s|x|z|ch|sh)es|(?<![su])s|ed|ing)$/, 3);
  const single = cut(base, /(?<=([bdfgmnprt]))\1$/, 3);
  const open = cut(single, /(?:ie|[eiy])$/, 3);
  return cut(cut(cut(open, /ion$/, 4), /icat$/, 5), /at$/, 5);
}

const cut = (word: string, suffix: RegExp, least: number): string => {
  const rest = word.replace(suffix, '');
  return rest.length < least ? word : rest;
};

const SYNONYMS_OF_STEM = new Map(Object.entries(SYNONYMS).map(([word, synonyms]) => [stemOf(word), synonyms]));

interface Indexed {
  readonly entry: Entry;
  readonly isPage: boolean;
  readonly title: ReadonlySet<string>;
  readonly page: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
  /** For a page, the words of all its sections. */
  readonly whole: ReadonlySet<string>;
}

/** The words of the documentation that one word of a query stands for, each with its weight. */
type Meaning = ReadonlyMap<string, number>;

const WEIGHTS = { exact: 1, prefix: 0.8, synonym: 0.5 };
/** So far apart that a title always comes before a heading, and a heading before a text. */
const PLACES = { title: 1_000, heading: 100, page: 3, text: 1, whole: 0.5 };

/** Returns the search in an index. The last word of a query may be incomplete. */
export function searchOf(entries: readonly Entry[]): (query: string) => Found {
  const textOfPage = new Map<string, string>();
  for (const [path, title, , text] of entries) {
    const [page = ''] = path.split('#');
    textOfPage.set(page, `${textOfPage.get(page) ?? ''} ${title} ${text}`);
  }
  const indexed = entries.map((entry): Indexed => {
    const [path, title, page, text] = entry;
    const isPage = !path.includes('#');
    return {
      entry,
      isPage,
      // The address of a page also names it.
      title: new Set([...wordsOf(title), ...(isPage ? wordsOf(path.replace(/^\/docs\//, '')) : [])]),
      page: new Set(wordsOf(page)),
      text: new Set(wordsOf(text)),
      whole: new Set(isPage ? wordsOf(textOfPage.get(path)!) : []),
    };
  });
  const vocabulary = new Set(indexed.flatMap(({ title, page, text }) => [...title, ...page, ...text]));
  const stems = new Map([...vocabulary].map((word) => [word, stemOf(word)]));

  const meaningOf = (word: string): Meaning => {
    const stem = stemOf(word);
    const synonyms = new Set(wordsOf(SYNONYMS_OF_STEM.get(stem) ?? '').map(stemOf));
    const weightOf = (known: string, knownStem: string) =>
      knownStem === stem
        ? WEIGHTS.exact
        : known.startsWith(word)
          ? WEIGHTS.prefix
          : synonyms.has(knownStem)
            ? WEIGHTS.synonym
            : 0;
    return new Map(
      [...stems].map(([known, knownStem]) => [known, weightOf(known, knownStem)] as const).filter(([, n]) => n > 0),
    );
  };

  return (query) => {
    const all = [...new Set(wordsOf(query))];
    const telling = all.filter((word) => !IGNORED.has(word));
    const meanings = (telling.length > 0 ? telling : all).map(meaningOf);
    const rated = indexed
      .map((section, order) => {
        const scores = meanings.map((meaning) => scoreOf(section, meaning));
        const matched = scores.filter((score) => score > 0).length;
        return { section, order, matched, score: scores.reduce((sum, score) => sum + score, 0) };
      })
      .filter(({ matched }) => matched > 0);
    const most = Math.max(...rated.map(({ matched }) => matched), 0);
    const marked = new Set(meanings.flatMap((meaning) => [...meaning.keys()]));
    return {
      hits: rated
        .filter(({ matched }) => matched === most)
        .sort((a, b) => b.score - a.score || a.order - b.order)
        .map(({ section: { entry } }) => ({ entry, excerpt: excerptOf(entry[3], marked) })),
      isWhole: most === meanings.length,
    };
  };
}

function scoreOf({ isPage, title, page, text, whole }: Indexed, meaning: Meaning): number {
  const weightIn = (words: ReadonlySet<string>) => {
    let best = 0;
    for (const [word, weight] of meaning) if (weight > best && words.has(word)) best = weight;
    return best;
  };
  return (
    weightIn(title) * (isPage ? PLACES.title : PLACES.heading) +
    weightIn(page) * PLACES.page +
    weightIn(text) * PLACES.text +
    weightIn(whole) * PLACES.whole
  );
}

const EXCERPT_CHARACTERS = 180;
const BEFORE_HIT = 60;

/** The text around the first marked word. */
function excerptOf(text: string, marked: ReadonlySet<string>): string[] {
  const first = [...text.matchAll(WORD)].find(([word]) => marked.has(word.toLowerCase()))?.index ?? 0;
  const from = first <= BEFORE_HIT ? 0 : text.indexOf(' ', first - BEFORE_HIT) + 1;
  const to = text.length - from <= EXCERPT_CHARACTERS ? text.length : text.lastIndexOf(' ', from + EXCERPT_CHARACTERS);
  const shown = `${from > 0 ? '… ' : ''}${text.slice(from, Math.max(from, to))}${to < text.length ? ' …' : ''}`;
  const parts = [''];
  let at = 0;
  for (const { 0: word, index } of shown.matchAll(WORD)) {
    if (!marked.has(word.toLowerCase())) continue;
    parts[parts.length - 1] += shown.slice(at, index);
    parts.push(word, '');
    at = index + word.length;
  }
  parts[parts.length - 1] += shown.slice(at);
  return parts;
}
