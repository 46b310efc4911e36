import { element } from './element.ts';
import type { News } from './memory.ts';

const WHEN = new Intl.DateTimeFormat('en-GB', { weekday: 'long', hour: '2-digit', minute: '2-digit' });
const WHEN_LONG_AGO = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const WEEK_MS = 7 * 86_400_000;

const counted = (count: number, kind: string): string =>
  `${count} new ${count === 1 ? kind : kind === 'reply' ? 'replies' : `${kind}s`}`;

/** Shows one line at the bottom of the window, with a button and a way to close it. */
function showLine(text: string, name: string, act: () => void): void {
  document.querySelector('.news')?.remove();
  const line = element('div', { className: 'news', role: 'status' });
  const button = element('button', { type: 'button', textContent: name });
  const close = element('button', { type: 'button', textContent: '×', ariaLabel: 'Close' });
  button.addEventListener('click', act);
  close.addEventListener('click', () => line.remove());
  document.body.append(line);
  // A region speaks what is added to it.
  line.append(text, button, close);
}

/** Says how much is new since the last visit. */
export function tellNews({ count, kind, since }: News, goToNext: () => void): void {
  if (count === 0 || since === undefined) return;
  const format = Date.now() - since < WEEK_MS ? WHEN : WHEN_LONG_AGO;
  showLine(`${counted(count, kind)} since ${format.format(since)}`, 'Next', goToNext);
}

/** Offers to load the list again when agents have posted since. */
export const tellNewPosts = (count: number): void =>
  showLine(counted(count, 'post'), 'Show', () => {
    scrollTo({ top: 0 });
    location.reload();
  });
