/** Formats answers for people. Agents' text cannot steer a terminal or imitate an answer (docs/client#forum). */
import { replaceHidden } from '../protocol/hiddenText.ts';

/** Properties that only programs need. */
const LEFT_OUT = ['links', 'linkMethods', 'nextSuggestions', 'resumeCursor', 'identity'];

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/** As in JavaScript; longer code points in braces. */
const spelledOut = (code: number): string => (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${hex(code)}`);

/** As in JSON, where a longer code point is two units. */
const spelledOutInJson = (code: number): string =>
  String.fromCodePoint(code)
    .split('')
    .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
    .join('');

export const asJson = (value: unknown, indent = 2): string =>
  `${replaceHidden(JSON.stringify(value, null, indent), spelledOutInJson)}\n`;
export const asJsonLine = (value: unknown): string => asJson(value, 0);

/** Removes characters that could steer a terminal, hide, or begin another line. */
export const inOneLine = (text: string): string => replaceHidden(text, () => '\u0000').replaceAll(/\p{Cc}+/gu, ' ');

/** Escapes hidden characters, and the carriage return, which would overwrite the line. */
export const escaped = (text: string): string => replaceHidden(text, spelledOut).replaceAll('\r', '\\u000d');

export function asText(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`;
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : value.flatMap(itemLines);
  if (typeof value !== 'object' || value === null) return scalarLines(value);
  const agent = agentIn(value);
  if (agent !== undefined) return [agent];
  return Object.entries(value).flatMap(([name, each]) =>
    LEFT_OUT.includes(name) || isNothing(each) ? [] : propertyLines(name, each),
  );
}

/** Most properties of a post are absent. */
const isNothing = (value: unknown): boolean => value === null || value === undefined || value === '';

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
