import { LRUCache } from 'lru-cache';
import type { Kernel } from '../kernel/execute.ts';
import { type Assets, loadAssets } from './assets.ts';
import { feedText } from './feeds/feed.ts';
import { type Address, type Format, isFeed, type Page, Redirect } from './page.ts';
import { Reading, Refused, type Visitor } from './reading.ts';
import { SITEMAP_READS, sitemapPaths } from './sitemap.ts';
import { escapeMarkup } from './text/escape.ts';
import { Texts } from './text/texts.ts';
import { errorView } from './view/errors.tsx';
import { type GuideBook, type GuidePage, guideView } from './view/guide.tsx';
import { documentOf } from './view/layout.tsx';
import { markdownOf } from './view/markdown.ts';

const MOST_BYTES = 64 * 1_048_576;

/** A page as it is sent. */
export interface Shown {
  readonly type: string;
  readonly text: string;
}

/** What a visitor gets: bytes that were kept or made now, by `key` as long as they are the same. */
export type PageAnswer = { readonly redirect: string } | { readonly shown: Shown };

interface Made<Answer = PageAnswer> {
  readonly answer: Answer;
  /** False where it is made anew all the same. */
  readonly isFinal: boolean;
}

/** `freshUntil` is by `performance.now()`: until then nothing is asked. */
interface Kept<Answer = PageAnswer> extends Made<Answer> {
  /** Validators of the answers that it was made of; empty where it is not final. */
  readonly tags: string;
  readonly freshUntil: number;
}

interface Running {
  readonly answer: Promise<PageAnswer>;
  readonly freshUntil: number;
}

/** How something is made: asked for, with the validators of what it was made of, and shown. */
interface Making<Data, Answer> {
  load(tags: string[]): Promise<Data>;
  show(data: Data): Made<Answer> | Promise<Made<Answer>>;
}

const TYPES: Readonly<Record<Format, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/**
 * The site for people: pages over the reads of the table. A page is kept as long as its reads answer the same, which is asked
 * each time, and for `SITE_CACHE_MS` without asking; who asks for the same within that time shares one answer.
 */
export class Site {
  /** Where it is reached, for addresses in heads and feeds; never what a request says. */
  readonly origin: string;
  readonly #kernel: Kernel;
  readonly #reading: Reading;
  readonly #texts = new Texts();
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ answer }, key) => key.length + 512 + ('shown' in answer ? 2 * answer.shown.text.length : 0),
  });
  readonly #running = new Map<string, Running>();

  constructor(kernel: Kernel, origin: string) {
    this.#kernel = kernel;
    this.#reading = new Reading(kernel);
    this.origin = origin;
  }

  get assets(): Promise<Assets> {
    return loadAssets();
  }

  /** A page, or where to go for it. Throws `Refused`. */
  async answer(page: Page, address: Address, format: Format, visitor: Visitor): Promise<PageAnswer> {
    return this.#share(`${format} ${address.canonical} ${address.query.cursor ?? ''}`, {
      load: (tags) => page.load(this.#reading.begin(page.reads, visitor, tags), address),
      show: (data) => this.#show({ page, address, format }, data),
    });
  }

  /** What search engines are told to look at (https://www.sitemaps.org): sections, communities, the newest posts. */
  async sitemap(visitor: Visitor): Promise<Shown> {
    const { shown } = await this.#share('sitemap', {
      load: (tags) => sitemapPaths(this.#reading.begin(SITEMAP_READS, visitor, tags)),
      show: (paths) => {
        const urls = paths.map((path) => `<url><loc>${escapeMarkup(`${this.origin}${path}`)}</loc></url>\n`).join('');
        const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`;
        return { answer: { shown: { type: 'application/xml; charset=utf-8', text } }, isFinal: true };
      },
    });
    return shown;
  }

  /** A page of the documentation, in the frame of all others. */
  async guide(page: GuidePage, book: GuideBook): Promise<string> {
    const place = { canonical: page.path, formats: [], assets: await this.assets, origin: this.origin };
    return documentOf(guideView(page, book), place);
  }

  /** The page of a refusal. */
  async refusal(status: number, token: string): Promise<Shown> {
    const view = errorView(status, token);
    const text = documentOf(view, { canonical: '', formats: [], assets: await this.assets, origin: this.origin });
    return { type: TYPES.html, text };
  }

  /** Ends what renders long texts. */
  stop(): Promise<void> {
    return this.#texts.stop();
  }

  /** What was kept or is being made, if it was asked for no longer ago than it may be shown; else made anew. */
  async #share<Data, Answer extends PageAnswer>(key: string, making: Making<Data, Answer>): Promise<Answer> {
    const now = performance.now();
    for (const each of [this.#kept.get(key), this.#running.get(key)])
      if (each && now < each.freshUntil) return each.answer as Answer | Promise<Answer>;
    const freshUntil = now + this.#kernel.config.siteCacheMs;
    const running = { answer: this.#make(key, making, freshUntil), freshUntil };
    this.#running.set(key, running);
    return running.answer.finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
  }

  /** Kept as of when it was asked: what came since shows no later than that. */
  async #make<Data, Answer extends PageAnswer>(
    key: string,
    { load, show }: Making<Data, Answer>,
    freshUntil: number,
  ): Promise<Answer> {
    const tags: string[] = [];
    const data = await load(tags);
    const kept = this.#kept.get(key);
    const same = tags.toSorted().join();
    const made = kept?.tags === same ? (kept as Kept<Answer>) : await show(data);
    this.#kept.set(key, { ...made, tags: made.isFinal ? same : '', freshUntil });
    return made.answer;
  }

  async #show(
    { page, address, format }: { readonly page: Page; readonly address: Address; readonly format: Format },
    data: unknown,
  ): Promise<Made> {
    if (data instanceof Redirect) return { answer: { redirect: data.location }, isFinal: true };
    const items = page.feed?.(data);
    if (isFeed(format) && items === undefined) throw new Refused(404, 'not_found', {});
    const rendered = await this.#texts.render(format === 'markdown' ? [] : (page.texts?.(data) ?? []));
    const view = page.view(data, address, rendered);
    const { isFinal } = rendered;
    const { origin } = this;
    const { canonical } = address;
    const formats: Format[] = items ? ['markdown', 'atom', 'json'] : ['markdown'];
    const text = isFeed(format)
      ? feedText(format, { view, items: items!, rendered, canonical, origin })
      : format === 'markdown'
        ? markdownOf(view, { canonical, origin })
        : documentOf(view, { canonical, formats, assets: await this.assets, origin });
    return { answer: { shown: { type: TYPES[format], text } }, isFinal };
  }
}
