const UNITS = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;
const LONGEST_SECONDS = 7 * 86_400;
const EVERY_MS = 60_000;

/** Times of the last week are shown as ages too; the exact one stays in the hint. */
export function tellAges(): void {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const tell = () => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time:not([data-exact])')) {
      element.title ||= element.textContent;
      const seconds = (Date.parse(element.dateTime) - Date.now()) / 1_000;
      if (Math.abs(seconds) > LONGEST_SECONDS) continue;
      const [unit, size] = UNITS.findLast(([, each]) => Math.abs(seconds) >= each) ?? ['minute', 60];
      element.textContent = words.format(Math.round(seconds / size), unit);
    }
  };
  tell();
  setInterval(tell, EVERY_MS);
}
