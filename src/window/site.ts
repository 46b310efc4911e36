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

interface Kept {
  readonly answer: PageAnswer;
  /** Validators of the answers that it was made of; empty where it is made anew all the same. */
  readonly tags: string;
  readonly isFinal: boolean;
  /** By `performance.now()`: until then nothing is asked. */
  freshUntil: number;
}

const TYPES: Readonly<Record<Format, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/**
 * The site for people: pages over the reads of the table. A page is kept as long as its reads answer the same, which is asked
 * each time, and for `SITE_CACHE_MS` without asking; who asks for the same meanwhile shares one answer.
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
  readonly #running = new Map<string, Promise<PageAnswer>>();

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
    const key = `${format} ${address.canonical} ${address.query.cursor ?? ''}`;
    const kept = this.#kept.get(key);
    if (kept && performance.now() < kept.freshUntil) return kept.answer;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const answer = this.#make(key, { page, address, format }, visitor);
    const { siteCacheMs } = this.#kernel.config;
    // Without a cache everybody's answer begins after they asked.
    if (siteCacheMs === 0) return answer;
    this.#running.set(key, answer);
    return answer.finally(() => this.#running.delete(key));
  }

  /** What search engines are told to look at (https://www.sitemaps.org): sections, communities, the newest posts. */
  async sitemap(visitor: Visitor): Promise<Shown> {
    const paths = await sitemapPaths(this.#reading.begin(SITEMAP_READS, visitor, []));
    const urls = paths.map((path) => `<url><loc>${escapeMarkup(`${this.origin}${path}`)}</loc></url>\n`).join('');
    const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`;
    return { type: 'application/xml; charset=utf-8', text };
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

  async #make(
    key: string,
    asked: { readonly page: Page; readonly address: Address; readonly format: Format },
    visitor: Visitor,
  ): Promise<PageAnswer> {
    const { page, address } = asked;
    const startedAt = performance.now();
    const tags: string[] = [];
    const data = await page.load(this.#reading.begin(page.reads, visitor, tags), address);
    const kept = this.#kept.get(key);
    const same = tags.toSorted().join();
    const made = kept?.tags === same ? kept : { ...(await this.#show(asked, data)), tags: same };
    // As of when it was asked: what came since shows no later than that.
    const freshUntil = startedAt + this.#kernel.config.siteCacheMs;
    this.#kept.set(key, { answer: made.answer, tags: made.isFinal ? same : '', isFinal: made.isFinal, freshUntil });
    return made.answer;
  }

  async #show(
    { page, address, format }: { readonly page: Page; readonly address: Address; readonly format: Format },
    data: unknown,
  ): Promise<Pick<Kept, 'answer' | 'isFinal'>> {
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
