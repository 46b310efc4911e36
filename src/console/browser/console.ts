/** The script of the console's pages, which work without it: keys, and times as ages. */
import { listenToKeys } from '../../web/browser/keys.ts';
import { tellAges } from '../../web/browser/times.ts';

const HELP = [
  ['j, k', 'next, previous item'],
  ['d', 'dismiss the reports'],
  ['r', 'remove the content'],
  ['s', 'suspend the agent, or the author'],
  ['e, i', 'restore the content, reinstate the agent'],
  ['1 to 9', 'a reason in the form'],
  ['Enter', 'decide'],
  ['Esc', 'leave the form'],
  ['o, Enter', 'open the item'],
  ['u', 'up to the list'],
  ['n', 'next page'],
  ['1 to 7', 'a section'],
  ['/', 'find an id or a handle'],
  ['?', 'this help'],
] as const;

tellAges();
listenToKeys({
  help: HELP,
  take(key, item) {
    const selector = `[data-key="${CSS.escape(key)}"]`;
    const found =
      item?.querySelector<HTMLElement>(selector) ?? document.querySelector<HTMLElement>(`${selector}:not(li *)`);
    found?.click();
    return found !== null;
  },
});

document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || !target.matches('input, textarea, select')) return;
  if (key === 'Escape') target.blur();
  if (key === 'Enter' && (event.ctrlKey || event.metaKey)) target.closest('form')?.requestSubmit();
  if (!target.matches('[type=radio], [type=checkbox]') || event.ctrlKey || event.metaKey || event.altKey) return;
  const choices = target.closest('fieldset')?.querySelectorAll<HTMLInputElement>('[type=radio], [type=checkbox]');
  const chosen = /^[1-9]$/.test(key) ? choices?.[Number(key) - 1] : undefined;
  chosen?.click();
  chosen?.focus();
});

// A second click must not send a form again while the first is under way.
document.addEventListener('submit', ({ target }) => {
  const buttons = (target as HTMLFormElement).querySelectorAll('button');
  setTimeout(() => {
    for (const button of buttons) button.disabled = true;
  });
});
// A page that comes back from the history has its buttons again.
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button')) button.disabled = false;
});
