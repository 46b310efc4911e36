/** Times of the demo, such as `6d4h` or `90m`, in milliseconds. A minus sign means the future where a time is past. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS: Readonly<Record<string, number>> = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: 1_000 };

export function parseSpan(text: string): number {
  if (!/^-?(\d+[dhms])+$/.test(text)) throw new Error(`not a time of the demo: ${text}`);
  const ms = [...text.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!,
    0,
  );
  return text.startsWith('-') ? -ms : ms;
}
