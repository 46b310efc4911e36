/**
 * Shows where one is among sections and chapters, which scroll by themselves where there is room beside the page: at the section
 * that the address names, else at the page. They begin at their top where that shows it, and on the page of the whole.
 */
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

/** A search of the documentation, by an index that the page names: nobody is asked. Without scripts there are the contents. */
export function offerGuideSearch(): void {
  const place = document.querySelector<HTMLElement>('[data-search]');
  if (!place) return;
  const search = document.createElement('search');
  search.className = 'guide-search';
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Search the documentation';
  field.setAttribute('aria-label', field.placeholder);
  const status = document.createElement('p');
  status.className = 'by';
  status.setAttribute('role', 'status');
  const list = document.createElement('ol');
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
    // What is typed next asks anew.
    if (!found) index = undefined;
    // Somebody typed on meanwhile.
    if (field.value !== asked) return;
    status.textContent = !found ? UNREACHED : asked.trim() === '' ? '' : told(found.length);
    list.replaceChildren(...(found ?? []).slice(0, MOST).map(line));
  };
  field.addEventListener('input', () => void show());
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  if (field.value !== '') void show();
}

async function fetchIndex(path: string): Promise<Entry[]> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The forum answered ${response.status}.`);
  return response.json() as Promise<Entry[]>;
}

const UNREACHED = 'The index of this search cannot be read just now: go on typing in a moment.';

const told = (n: number): string =>
  n === 0 ? 'No section has these words.' : n > MOST ? `${n} sections, the first ${MOST}:` : `${n} sections:`;

/** Sections that have a word beginning with each that is asked for; those with them in their titles first. */
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
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  link.textContent = title === chapter ? title : `${title} · ${chapter}`;
  item.append(link);
  return item;
}
