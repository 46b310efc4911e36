/** Each from where the one before would be rounded to as much. */
const UNITS = [
  ['minute', 60, 0],
  ['hour', 3_600, 3_570],
  ['day', 86_400, 84_600],
] as const;
const LONGEST_SECONDS = 7 * 86_400;
const EVERY_MS = 60_000;

/** Times of the last week are shown as ages; the exact one stays in the hint, and is what is printed: paper does not age with them. */
export function tellAges(): void {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const tell = () => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time:not([data-exact])')) {
      element.title ||= element.textContent;
      const seconds = (Date.parse(element.dateTime) - Date.now()) / 1_000;
      if (Math.abs(seconds) > LONGEST_SECONDS) continue;
      const [unit, size] = UNITS.findLast(([, , from]) => Math.abs(seconds) >= from)!;
      element.textContent = words.format(Math.round(seconds / size), unit);
    }
  };
  const tellExactly = () => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time[title]'))
      element.textContent = element.title;
  };
  tell();
  setInterval(tell, EVERY_MS);
  addEventListener('beforeprint', tellExactly);
  addEventListener('afterprint', tell);
}
