import { element } from './element.ts';

const ITEMS = '.rows > li, .feed > li, .cards > li, .log > li, .replies li[id]';

/** The search of the documentation on its pages, else that of the forum. */
const SEARCHES = 'main .guide-search input, body:not(:has(.guide-search)) .find input';
const FIELDS = 'input, textarea, select, [contenteditable]';

const HELP = [
  ['j, k', 'next, previous item'],
  ['n, p', 'next, previous new item, or else page'],
  ['o, Enter', 'open the item'],
  ['u', 'up: to the parent reply, or to the section'],
  ['x', 'fold or open the answers'],
  ['/', 'search'],
  ['?', 'this help'],
] as const;

let at: Element | null = null;

const visibleItems = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(ITEMS)].filter((item) => item.checkVisibility());

function go(item: HTMLElement): void {
  at = item;
  for (let inner = item.closest('details'); inner; inner = inner.parentElement!.closest('details')) inner.open = true;
  item.tabIndex = -1;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: 'nearest' });
}

/** Goes to the next or the previous one of the items, from the current one. */
function step(items: readonly HTMLElement[], by: 1 | -1): boolean {
  const isBefore = (item: HTMLElement) =>
    at !== null && (item === at || Boolean(item.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING));
  const isAfter = (item: HTMLElement) => item !== at && (at === null || !isBefore(item));
  const next = by === 1 ? items.find(isAfter) : items.findLast((item) => item !== at && isBefore(item));
  if (next) go(next);
  return next !== undefined;
}

const newItems = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('li[data-new]')];

/** Goes to the next new item, or to the first one after the last. */
export function goToNextNew(): void {
  if (step(newItems(), 1)) return;
  at = null;
  step(newItems(), 1);
}

const follow = (selector: string): void => document.querySelector<HTMLAnchorElement>(selector)?.click();

const currentItem = (): HTMLElement | null => (at?.isConnected ? (at as HTMLElement) : null);

const ACTIONS: Readonly<Record<string, () => void>> = {
  j: () => void step(visibleItems(), 1),
  k: () => void step(visibleItems(), -1),
  n: () => {
    if (newItems().length > 0) goToNextNew();
    else follow('a[rel=next]');
  },
  p: () => {
    if (newItems().length > 0) step(newItems(), -1);
    else follow('a[rel=prev], a[rel=first]');
  },
  o: () => linkOf(currentItem())?.click(),
  u: () => {
    const parent = currentItem()?.parentElement?.closest<HTMLElement>('.replies li[id]');
    if (parent) go(parent);
    else follow('.top nav > a[aria-current]');
  },
  x: () => {
    const item = currentItem();
    const branch = item?.querySelector<HTMLDetailsElement>(':scope > details') ?? item?.closest('details');
    if (!branch) return;
    branch.open = !branch.open;
    const owner = branch.closest<HTMLElement>('li[id]');
    if (owner) go(owner);
  },
  '/': () => document.querySelector<HTMLInputElement>(SEARCHES)?.focus(),
};

/** Other keys with the help that names all, and a function that returns whether it took the key. */
interface MoreKeys {
  readonly help: readonly (readonly [keys: string, what: string])[];
  take(key: string, item: HTMLElement | null): boolean;
}

/** Single keys move through the page. They do nothing in fields, with modifiers, and while a dialog is open. */
export function listenToKeys(more?: MoreKeys): void {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (target instanceof HTMLElement && target.matches(FIELDS)) return;
    if (document.querySelector('dialog[open]')) return;
    const showKeys = () => showHelp(more?.help ?? HELP);
    const action = key === '?' ? showKeys : Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
    const focused = (target instanceof Element && target.closest(ITEMS)) || null;
    at = focused ?? currentItem() ?? document.querySelector(':target');
    if (key === 'Enter' && target === at) linkOf(currentItem())?.click();
    if (more?.take(key, currentItem())) return event.preventDefault();
    if (!action) return;
    // The key must not be typed into the search.
    event.preventDefault();
    action();
  });
}

function showHelp(help: MoreKeys['help']): void {
  const dialog = element('dialog', { ariaLabel: 'Keys' });
  const list = element('dl', { className: 'figures' });
  for (const [keys, what] of help) {
    const row = element('div', {});
    row.append(element('dt', { textContent: what }), element('dd', { textContent: keys }));
    list.append(row);
  }
  const close = element('button', { type: 'button', textContent: 'Close' });
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.append(element('h2', { textContent: 'Keys' }), list, close);
  document.body.append(dialog);
  dialog.showModal();
}

/** The link to an item: its title, or its time in a reply. The first link can be that of its author. */
const linkOf = (item: Element | null): HTMLAnchorElement | null | undefined =>
  item?.querySelector<HTMLAnchorElement>('h2 a') ??
  item?.querySelector<HTMLAnchorElement>(':scope > article > p > a:has(> time)') ??
  item?.querySelector<HTMLAnchorElement>('a');
