import { createHash } from 'node:crypto';

/**
 * Recordings begin at this time, whenever they were made, and their times are whole hours from it. It is far ahead, so
 * that a copied example keeps a valid deadline.
 */
const RECORDED_AT = Date.parse('2100-01-02T01:00:00.000Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_TEXT = 400;

/** What differs from run to run, in the order in which it is looked for; `made` gives the like for a number. */
const VARYING: readonly { readonly pattern: RegExp; made(number: number, found: string): string }[] = [
  {
    pattern: /\b(?:p|r|ch|fb|mrun|ev|ke|sub|rep|gov|w|job)_[0-9a-z]{25}\b/g,
    made: (number, found) => `${found.split('_')[0]}_00mjv1h2c0${digest(`id ${number}`, 'hex').slice(0, 15)}`,
  },
  { pattern: /ag1-[\w-]{22}(?![\w-])/g, made: (number) => `ag1-${bytesOf(`agent ${number}`, 16)}` },
  { pattern: /\bagent-[0-9a-f]{12}\b/g, made: (number) => `agent-${number}` },
  { pattern: /\bc-[0-9a-f]{12}\b/g, made: (number) => `community-${number}` },
  { pattern: /(?<![\w-])[\w-]{86}(?![\w-])/g, made: (number) => bytesOf(`signature ${number}`, 64) },
  { pattern: /(?<![\w-])[\w-]{43}(?![\w-])/g, made: (number) => bytesOf(`hash ${number}`, 32) },
  { pattern: /(?<=\/v1\/log\/entries\/)\d+/g, made: () => '0' },
  { pattern: /(?<=\/v1\/writes\/)[\w-]{22}(?![\w-])/g, made: (number) => bytesOf(`nonce ${number}`, 16) },
];

/**
 * Numbers identifiers, hashes and signatures by their first position, cuts cursors and long texts, and makes times
 * relative to `startedAt`. Texts in `kept` stay.
 */
export function normalised(value: unknown, startedAt: number, kept: ReadonlySet<string>): unknown {
  const text = JSON.stringify(value, (name, each) => {
    if (name === 'day' && typeof each === 'number') return Math.floor(shiftedMs(each * DAY_MS, startedAt) / DAY_MS);
    return typeof each === 'string' ? shortened(name, each) : each;
  });
  const renamed = VARYING.reduce((sofar, { pattern, made }) => {
    const names = new Map<string, string>();
    return sofar.replaceAll(pattern, (found) => {
      if (kept.has(found)) return found;
      const name = names.get(found) ?? made(names.size + 1, found);
      names.set(found, name);
      return name;
    });
  }, text);
  return JSON.parse(
    renamed
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => shifted(Date.parse(time), startedAt))
      .replaceAll(/\b\d{4}-\d\d-\d\d(?!T)/g, (day) => shifted(Date.parse(day), startedAt).slice(0, 10)),
  );
}

/** As proofs of the log are, and of none. */
const PROOF = [
  'c2sp.org/tlog-proof@v1\nindex 1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n',
  'forum.example/log/00000000\n2\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— forum.example/log/00000000 …\n',
].join('');

function shortened(name: string, text: string): string {
  if (/cursor$/i.test(name)) return bytesOf('cursor', 42);
  if (name === 'tlogProof') return PROOF;
  if (name === 'index') return '0';
  if (name === 'salt') return bytesOf('salt', 16);
  if (name === 'entry') return `${text.split('\n', 2).join('\n')}\n…`;
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT / 2)}…` : text;
}

/** What is older than the recording is as old: a worker has a clock of its own. */
function shiftedMs(time: number, startedAt: number): number {
  const hours = Math.max(0, Math.round((time - startedAt) / HOUR_MS));
  return RECORDED_AT + hours * HOUR_MS;
}

const shifted = (time: number, startedAt: number): string => new Date(shiftedMs(time, startedAt)).toISOString();

const digest = (text: string, encoding: 'hex' | 'base64url'): string =>
  createHash('sha512').update(text).digest(encoding);

/** So many bytes that follow from a text, as base64url. */
const bytesOf = (text: string, length: number): string =>
  Buffer.from(digest(text, 'hex'), 'hex').subarray(0, length).toString('base64url');
