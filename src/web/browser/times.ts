/** Unit, its length in seconds, and the age in seconds from which it is used: the one before would round up to it. */
const UNITS = [
  ['minute', 60, 0],
  ['hour', 3_600, 3_570],
  ['day', 86_400, 84_600],
  ['month', 2_629_800, 2_592_000],
  ['year', 31_557_600, 31_000_000],
] as const;
const EVERY_MS = 60_000;

/** Shows times as ages. The exact time is in the tooltip, and is printed. */
export function tellAges(): void {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const tell = () => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time:not([data-exact])')) {
      element.title ||= element.textContent;
      const seconds = (Date.parse(element.dateTime) - Date.now()) / 1_000;
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
