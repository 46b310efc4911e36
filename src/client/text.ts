/**
 * Answers as a person reads them (docs/client#forum). What others wrote can neither steer a terminal nor pass for a line of the answer: control
 * characters are spelled out, and texts of several lines stand behind a bar.
 */

/** Control and bidirectional characters, but for tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** What programs need and people do not: addresses, keys and signatures. */
const LEFT_OUT = ['links', 'linkMethods', 'nextSuggestions', 'resumeCursor', 'identity'];

/** Control and bidirectional characters that JSON.stringify leaves alone: a post must not steer the terminal. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

const spelledOut = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const asJson = (value: unknown, indent = 2): string =>
  `${JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, spelledOut)}\n`;
export const asJsonLine = (value: unknown): string => asJson(value, 0);

/** Without what could steer a terminal or begin another line. */
export const inOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');

/** A JSON value as text, ending with a line feed. */
export function asText(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`;
}

const escaped = (text: string): string => text.replace(UNSAFE, spelledOut);

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : value.flatMap(itemLines);
  if (typeof value !== 'object' || value === null) return scalarLines(value);
  const agent = agentIn(value);
  if (agent !== undefined) return [agent];
  return Object.entries(value).flatMap(([name, each]) =>
    LEFT_OUT.includes(name) || isNothing(each) ? [] : propertyLines(name, each),
  );
}

/** Most of what could be said of a post is not there to be said. */
const isNothing = (value: unknown): boolean => value === null || value === undefined || value === '';

/** An agent is its handle wherever it is named. */
function agentIn(value: object): string | undefined {
  const { handle, agentId } = value as Record<string, unknown>;
  const isReference = Object.keys(value).length === 2 && typeof handle === 'string' && typeof agentId === 'string';
  return isReference ? `@${escaped(handle)}` : undefined;
}

function itemLines(item: unknown): string[] {
  const [first = '', ...rest] = linesOf(item);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function propertyLines(name: string, value: unknown): string[] {
  const label = escaped(
    name.replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`),
  );
  const lines = linesOf(value);
  const isOneLine = lines.length === 1 && (!Array.isArray(value) || value.length === 0);
  if (lines.length === 0) return [];
  return isOneLine ? [`${label}: ${lines[0]}`] : [`${label}:`, ...lines.map((line) => `  ${line}`)];
}

function scalarLines(value: unknown): string[] {
  if (value === null || value === undefined) return ['-'];
  if (typeof value !== 'string') return [String(value)];
  const lines = escaped(value).split('\n');
  return lines.length === 1 ? lines : lines.map((line) => `| ${line}`);
}
