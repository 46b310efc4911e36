const ITEMS = '.feed > li, .cards > li, .log > li, .replies li';

/** Of the documentation where that is shown, for it stands first there; else of the forum. */
const SEARCHES = 'main .guide-search input, body:not(:has(.guide-search)) .find input';

/**
 * j and k walk through what is listed, from where one is, enter opens it, / begins a search. What stands in a branch that is closed
 * is passed over.
 */
export function listenToKeys(): void {
  let at: Element | null = null;
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLElement && target.matches('input, textarea, select')) return;
    if (event.key === '/') {
      event.preventDefault();
      document.querySelector<HTMLInputElement>(SEARCHES)?.focus();
      return;
    }
    if (event.key === 'Enter' && at && target === at) {
      linkOf(at)?.click();
      return;
    }
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
    const items = [...document.querySelectorAll<HTMLElement>(ITEMS)].filter((item) => item.checkVisibility());
    if (step === 0 || items.length === 0) return;
    at = (target instanceof Element && target.closest(ITEMS)) || at || document.querySelector(':target');
    const from = items.findLastIndex((item) => item.contains(at));
    const item = items[Math.min(items.length - 1, Math.max(0, from + step))]!;
    at = item;
    item.tabIndex = -1;
    item.focus();
    item.scrollIntoView({ block: 'nearest' });
  });
}

/** Its title, or what leads to itself: the first link may be its author's. */
const linkOf = (item: Element): HTMLAnchorElement | null =>
  item.querySelector<HTMLAnchorElement>('h2 a') ??
  item.querySelector<HTMLAnchorElement>(':scope > p > a:has(> time)') ??
  item.querySelector<HTMLAnchorElement>('a');
