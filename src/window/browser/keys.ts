const ITEMS = '.feed > li, .cards > li, .log > li, .replies li';

/** Of the documentation where that is shown, for it stands first there; else of the forum. */
const SEARCHES = 'main .guide-search input, body:not(:has(.guide-search)) .find input';

/** j and k walk through what is listed, enter opens it, / begins a search. */
export function listenToKeys(): void {
  let at = -1;
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLElement && target.matches('input, textarea, select')) return;
    if (event.key === '/') {
      event.preventDefault();
      document.querySelector<HTMLInputElement>(SEARCHES)?.focus();
      return;
    }
    const items = [...document.querySelectorAll<HTMLElement>(ITEMS)];
    if (event.key === 'Enter' && target === items[at]) {
      items[at]?.querySelector<HTMLAnchorElement>('h2 a, a')?.click();
      return;
    }
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
    if (step === 0 || items.length === 0) return;
    at = Math.min(items.length - 1, Math.max(0, at + step));
    const item = items[at]!;
    item.tabIndex = -1;
    item.focus();
    item.scrollIntoView({ block: 'nearest' });
  });
}
