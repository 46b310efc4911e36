import { slugOf } from '../../protocol/slug.ts';
import { element } from './element.ts';
import { type Entry, type Found, type Hit, searchOf } from './guideIndex.ts';

/** Scrolls the list of sections and pages to the current section or page, if it is not visible. */
export function showPlace(): void {
  const links = [...document.querySelectorAll<HTMLElement>('aside a')];
  const page = location.pathname === '/docs' ? undefined : links.find((link) => link.hasAttribute('aria-current'));
  const place = links.find((link) => link.getAttribute('href') === location.hash) ?? page;
  const beside = place?.closest('aside');
  if (!place || !beside) return;
  if (place.offsetTop + place.offsetHeight > beside.clientHeight)
    beside.scrollTop = place.offsetTop - beside.clientHeight / 2;
}

async function fetchIndex(path: string): Promise<Entry[]> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The forum returned ${response.status}.`);
  return response.json() as Promise<Entry[]>;
}

/** `/docs` was one page with all sections. Links to one of them lead to the page that has it now. */
export async function followOldLink(): Promise<void> {
  const section = location.hash.slice(1);
  const index = document.querySelector<HTMLElement>('[data-search]')?.dataset.search;
  if (location.pathname !== '/docs' || !index || section === '' || document.getElementById(section)) return;
  const entries = await fetchIndex(index).catch(() => []);
  const isNamed = ([path, title]: Entry) =>
    path.includes('#') ? path.endsWith(`#${section}`) : slugOf(title) === section;
  const found = entries.find(isNamed);
  if (found) location.replace(found[0]);
}

const MOST = 12;
const ADDRESS_DELAY_MS = 300;

/** Adds a search of the documentation that runs in the browser, with the index that the page names. */
export function offerGuideSearch(): void {
  const place = document.querySelector<HTMLElement>('[data-search]');
  if (!place) return;
  const search = element('search', { className: 'guide-search' });
  const placeholder = 'Search the documentation';
  const field = element('input', { type: 'search', placeholder, ariaLabel: placeholder });
  const status = element('p', { className: 'by', role: 'status' });
  const list = element('ol', {});
  search.append(field, status, list);
  place.replaceWith(search);

  let find: Promise<(query: string) => Found> | undefined;
  /** Shows the hits of the current query, and returns the first one. */
  const show = async (): Promise<Hit | undefined> => {
    const query = field.value;
    find ??= fetchIndex(place.dataset.search!).then(searchOf);
    const found = await find.then(
      (of) => of(query),
      () => undefined,
    );
    // The next input fetches the index again.
    if (!found) find = undefined;
    // The input has changed meanwhile.
    if (field.value !== query) return undefined;
    status.textContent = !found ? UNREACHED : query.trim() === '' ? '' : describe(found);
    list.replaceChildren(...(found?.hits ?? []).slice(0, MOST).map(line));
    return found?.hits[0];
  };
  let naming: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener('input', () => {
    void show();
    clearTimeout(naming);
    naming = setTimeout(() => nameQuery(field.value), ADDRESS_DELAY_MS);
  });
  field.addEventListener('keydown', async ({ key, isComposing }) => {
    if (key !== 'Enter' || isComposing) return;
    clearTimeout(naming);
    nameQuery(field.value);
    const first = await show();
    if (first) location.assign(first.entry[0]);
  });
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  if (field.value !== '') void show();
}

/** Keeps the query in the address of the page, so that the address leads to the same hits. */
function nameQuery(query: string): void {
  const address = new URL(location.href);
  if (query.trim() === '') address.searchParams.delete('q');
  else address.searchParams.set('q', query);
  if (address.href !== location.href) history.replaceState(history.state, '', address);
}

const UNREACHED = 'The search index is unavailable. Type again in a moment.';

function describe({ hits, isWhole }: Found): string {
  const n = hits.length;
  if (n === 0) return 'No section contains these words.';
  const sections = `${n} section${n === 1 ? '' : 's'}${n > MOST ? `, the first ${MOST}` : ''}`;
  return isWhole ? `${sections}:` : `No section contains all of these words. ${sections} with some of them:`;
}

function line({ entry: [path, title, page], excerpt }: Hit): HTMLElement {
  const item = element('li', {});
  const link = element('a', { href: path });
  const about = element('span', {});
  about.append(...excerpt.map((part, n) => (n % 2 === 1 ? element('mark', { textContent: part }) : part)));
  link.append(element('strong', { textContent: title === page ? title : `${title} · ${page}` }), about);
  item.append(link);
  return item;
}
