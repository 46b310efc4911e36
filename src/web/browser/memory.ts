import { forget, recall, remember } from './storage.ts';

/** What the reader has seen. It never leaves the browser. */
interface Memory {
  /** The end of the visit before this one, and the latest page of this visit, in ms since 1970. */
  readonly before: number | undefined;
  readonly last: number | undefined;
  /** By post. The latest are last. */
  readonly threads: ReadonlyMap<string, Seen>;
}

/** The number of replies of a post and the time of the newest one, and when the reader saw them, in ms since 1970. */
type Seen = readonly [replies: number, newest: string, at: number];

const NAME = 'read';
const MOST_THREADS = 400;
/** Another visit begins after this time without a page. */
const PAUSE_MS = 30 * 60_000;

const NOTHING: Memory = { before: undefined, last: undefined, threads: new Map() };

function load(): Memory {
  try {
    const { before, last, threads } = JSON.parse(recall(NAME) ?? '{}');
    return { before, last, threads: new Map(threads) };
  } catch {
    // Something else was stored under this name.
    return NOTHING;
  }
}

const store = ({ before, last, threads }: Memory): void =>
  remember(NAME, JSON.stringify({ before, last, threads: [...threads].slice(-MOST_THREADS) }));

/** What is new on this page since the reader was here. */
export interface News {
  readonly count: number;
  readonly kind: 'post' | 'reply';
  /** In ms since 1970. */
  readonly since: number | undefined;
}

/** Marks what is new, and remembers what the page shows. */
export function rememberReading(): News {
  const memory = load();
  const now = Date.now();
  const isNext = memory.last !== undefined && now - memory.last > PAUSE_MS;
  const before = isNext ? memory.last : memory.before;
  const threads = new Map(memory.threads);
  const section = document.querySelector<HTMLElement>('section[data-replies]');
  const news: News = section
    ? { kind: 'reply', count: markReplies(section, threads), since: memory.threads.get(section.dataset.post!)?.[2] }
    : { kind: 'post', count: markRows(threads, before), since: before };
  store({ before, last: now, threads });
  return news;
}

function markReplies(section: HTMLElement, threads: Map<string, Seen>): number {
  const { post = '', replies = '0' } = section.dataset;
  const seen = threads.get(post);
  let newest = seen?.[1] ?? '';
  let count = 0;
  for (const reply of document.querySelectorAll<HTMLElement>('.replies li[id]')) {
    const at = reply.querySelector<HTMLTimeElement>(':scope > article time')?.dateTime ?? '';
    if (seen && at > seen[1]) {
      reply.dataset.new = 'new';
      count += 1;
    }
    if (at > newest) newest = at;
  }
  // Deleted first, so that the threads are in the order of the latest visits.
  threads.delete(post);
  threads.set(post, [Number(replies), newest, Date.now()]);
  return count;
}

/** Marks posts since the last visit, and the replies that came to threads that the reader has opened. */
function markRows(threads: ReadonlyMap<string, Seen>, before: number | undefined): number {
  let count = 0;
  for (const mark of document.querySelectorAll<HTMLElement>('span[data-replies]')) {
    const { post = '', replies } = mark.dataset;
    const seen = threads.get(post);
    const more = Number(replies) - (seen?.[0] ?? 0);
    const row = mark.closest('li');
    if (seen && more > 0) mark.dataset.new = `+${more} new`;
    else if (!seen && before !== undefined && row && Date.parse(row.querySelector('time')?.dateTime ?? '') > before) {
      row.dataset.new = 'new';
      count += 1;
    }
  }
  return count;
}

/** Forgets everything that the reader has seen. */
export function forgetReading(): void {
  forget(NAME);
  for (const each of document.querySelectorAll<HTMLElement>('[data-new]')) delete each.dataset.new;
}
