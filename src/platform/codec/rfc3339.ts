/** Date-times on the wire (docs/formats#times). */

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3})\d*)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const MINUTE_MS = 60_000;

/**
 * Reads an RFC 3339 date-time as milliseconds since 1970, or gives null. The zone is required, the day must be real,
 * a leap second is refused, digits beyond milliseconds are cut off. Years 0000 to 9999, in UTC too.
 */
export function parseTimestamp(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0'));
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  date.setUTCHours(hour, minute, second, milliseconds);
  const offsetMinutes = match[8] === undefined ? 0 : Number(match[9]) * 60 + Number(match[10]);
  const ms = date.getTime() - (match[8] === '-' ? -1 : 1) * offsetMinutes * MINUTE_MS;
  const utcYear = new Date(ms).getUTCFullYear();
  return utcYear >= 0 && utcYear <= 9999 ? ms : null;
}

/** `2026-01-02T03:04:05.678Z`. Throws RangeError for a time that is not finite. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
