/** Describes patterns: sequences of plain text, classes with a count, and digits. */
import { allOf, oneOf } from './words.ts';

/** A choice of letters before plain text, plain text, a class or digits; the last two with or without a count. */
const PART = /\[(\w+)\]([\w-]+)|([\w-]+)|\[([^\]]+)\](?:\{(\d+)(?:,(\d+))?\})?|\\d(?:\{(\d+)\})?/y;
const DIGITS_ALONE = /^(?:\\d\{\d+\}|[-:.])+$/;
const RANGE = /.-.|./gu;

/** `3 to 64 of a-z, 0-9 and -`. Other patterns are returned unchanged; the test of hints finds them. */
export function patternText(pattern: string): string {
  const inside = pattern.replace(/^\^/, '').replace(/\$$/, '');
  const branches = /^\(([^()]+)\)$/.exec(inside)?.[1]?.split('|') ?? [inside];
  const texts = branches.map(sequenceText);
  return texts.every((text) => text !== undefined) ? texts.join(', or ') : `the form ${pattern}`;
}

function sequenceText(sequence: string): string | undefined {
  if (DIGITS_ALONE.test(sequence)) return `digits as ${sequence.replaceAll(/\\d\{(\d+)\}/g, zeros)}`;
  const parts: string[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < sequence.length) {
    const match = PART.exec(sequence);
    if (match === null) return undefined;
    parts.push(partText(match));
  }
  return parts.join(', then ');
}

const zeros = (_: string, count: string): string => '0'.repeat(Number(count));

function partText([, letters, ending, plain, members, from, to, digits]: RegExpExecArray): string {
  if (letters !== undefined) return oneOf([...letters].map((letter) => `${letter}${ending}`));
  if (plain !== undefined) return plain;
  if (members === undefined) return `${digits ?? 1} of 0-9`;
  const ranges = members.match(RANGE) ?? [];
  if (from === undefined) return oneOf(ranges);
  return `${to === undefined ? from : `${from} to ${to}`} of ${allOf(ranges)}`;
}
