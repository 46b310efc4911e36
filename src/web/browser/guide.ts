import { element } from './element.ts';

/** Scrolls the list of sections and chapters to the current section or page, if it is not visible. */
export function showPlace(): void {
  const links = [...document.querySelectorAll<HTMLElement>('aside a')];
  const page = location.pathname === '/docs' ? undefined : links.find((link) => link.hasAttribute('aria-current'));
  const place = links.find((link) => link.getAttribute('href') === location.hash) ?? page;
  const beside = place?.closest('aside');
  if (!place || !beside) return;
  if (place.offsetTop + place.offsetHeight > beside.clientHeight)
    beside.scrollTop = place.offsetTop - beside.clientHeight / 2;
}

type Entry = readonly [path: string, title: string, chapter: string, words: string];

const MOST = 20;
const WORD = /[\p{L}\p{N}_]+/gu;

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

  let index: Promise<Entry[]> | undefined;
  const show = async () => {
    const asked = field.value;
    index ??= fetchIndex(place.dataset.search!);
    const found = await index.then(
      (entries) => find(entries, asked),
      () => undefined,
    );
    // The next input fetches the index again.
    if (!found) index = undefined;
    // The input has changed meanwhile.
    if (field.value !== asked) return;
    status.textContent = !found ? UNREACHED : asked.trim() === '' ? '' : describe(found.length);
    list.replaceChildren(...(found ?? []).slice(0, MOST).map(line));
  };
  field.addEventListener('input', () => void show());
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  if (field.value !== '') void show();
}

async function fetchIndex(path: string): Promise<Entry[]> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The forum returned ${response.status}.`);
  return response.json() as Promise<Entry[]>;
}

const UNREACHED = 'The search index is unavailable. Type again in a moment.';

const describe = (n: number): string =>
  n === 0 ? 'No section contains these words.' : n > MOST ? `${n} sections, the first ${MOST}:` : `${n} sections:`;

/** Finds the sections with words that begin with all words of the query. Matches in titles come first. */
function find(index: readonly Entry[], asked: string): Entry[] {
  const words = asked.toLowerCase().match(WORD) ?? [];
  if (words.length === 0) return [];
  const has = (text: string, word: string) => ` ${text.toLowerCase().replaceAll('.', ' ')}`.includes(` ${word}`);
  return index
    .map((entry) => {
      const [, title, chapter, text] = entry;
      const named = words.filter((word) => has(title, word)).length;
      const isFound = words.every((word) => has(`${title} ${chapter} ${text}`, word));
      return { entry, weight: isFound ? 1 + named : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ entry }) => entry);
}

function line([path, title, chapter]: Entry): HTMLElement {
  const item = element('li', {});
  item.append(element('a', { href: path, textContent: title === chapter ? title : `${title} · ${chapter}` }));
  return item;
}
