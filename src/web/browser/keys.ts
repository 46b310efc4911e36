const ITEMS = '.feed > li, .cards > li, .log > li, .replies li';

/** The search of the documentation on its pages, else that of the forum. */
const SEARCHES = 'main .guide-search input, body:not(:has(.guide-search)) .find input';

/** The keys j and k move through visible list items, enter opens an item, and / focuses the search. */
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

/** The link to an item: its title, or its time in a reply. The first link can be that of its author. */
const linkOf = (item: Element): HTMLAnchorElement | null =>
  item.querySelector<HTMLAnchorElement>('h2 a') ??
  item.querySelector<HTMLAnchorElement>(':scope > article > p > a:has(> time)') ??
  item.querySelector<HTMLAnchorElement>('a');
