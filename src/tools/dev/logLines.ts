import { styleText } from 'node:util';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
const COLORS: Readonly<Record<string, 'yellow' | 'red'>> = { WARN: 'yellow', ERROR: 'red', FATAL: 'red' };

/** Control characters, line separators, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/gu;
const PLAIN = /^[\w./:@+-]+$/;
/** Messages may contain spaces, but no `=`, which would look like a field. */
const PLAIN_MESSAGE = /^[\w ,.:;/'()-]+$/;

interface Entry {
  level: number;
  time: number;
  [field: string]: unknown;
}

/** Values are escaped so that they cannot end the line, color it or look like a field. */
export function formatLogLine(line: string, { colors }: { colors: boolean }): string {
  const entry = parseEntry(line);
  if (entry === undefined) return escapeUnsafe(line);
  const {
    level,
    time,
    name,
    pid: _pid,
    host: _host,
    service: _service,
    version: _version,
    msg,
    op,
    method,
    status,
    ms,
    err,
    ...others
  } = entry;
  const title = LEVELS[level] ?? String(level);
  const paint = (style: 'dim' | 'yellow' | 'red' | undefined, text: string) =>
    colors && style !== undefined ? styleText(style, text, { validateStream: false }) : text;
  const parts = [
    paint('dim', formatTime(time)),
    paint(COLORS[title], title.padEnd(5)),
    quote(name).join().padEnd(6),
    ...quote(msg, PLAIN_MESSAGE),
    ...[op, method, status].flatMap((value) => quote(value)),
    ...quote(ms).map((text) => `${text} ms`),
    ...Object.entries(others).flatMap(([field, value]) => quote(value).map((text) => `${quote(field)}=${text}`)),
  ];
  return [parts.join(' '), ...linesOfError(err).map((each) => paint('dim', `    | ${escapeUnsafe(each)}`))].join('\n');
}

/** The stack of an error, then its other fields, such as the code of a database error. */
function linesOfError(error: unknown): string[] {
  if (error === undefined || error === null) return [];
  if (typeof error !== 'object') return [String(error)];
  const { type: _, message, stack, ...others } = error as Record<string, unknown>;
  const facts = Object.keys(others).length > 0 ? [JSON.stringify(others)] : [];
  return [...String(stack ?? message).split('\n'), ...facts];
}

function parseEntry(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry | null;
    return typeof entry?.level === 'number' && typeof entry.time === 'number' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** A value as one word, or else as JSON. Empty for undefined and null. */
function quote(value: unknown, plain = PLAIN): string[] {
  if (value === undefined || value === null) return [];
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return [plain.test(text) ? text : escapeUnsafe(typeof value === 'string' ? JSON.stringify(text) : text)];
}

function escapeUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function formatTime(time: number): string {
  const at = new Date(time);
  const part = (value: number, length = 2) => String(value).padStart(length, '0');
  return `${part(at.getHours())}:${part(at.getMinutes())}:${part(at.getSeconds())}.${part(at.getMilliseconds(), 3)}`;
}
