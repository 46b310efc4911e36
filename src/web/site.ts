import type { Kernel } from '../kernel/execute.ts';
import { KeptInputs } from '../kernel/keptInputs.ts';
import { type Assets, loadAssets } from './assets.ts';
import { Cache } from './cache.ts';
import { feedText } from './feeds/feed.ts';
import { type Address, type Format, isFeed, type Page, type Read, type ReadName, Redirect } from './page.ts';
import { type Asked, Reading, type ReadingSource, type Visitor } from './reading.ts';
import { SITEMAP_READS, sitemapPaths } from './sitemap.ts';
import { escapeMarkup } from './text/escape.ts';
import { Texts } from './text/texts.ts';
import { errorView } from './view/errors.tsx';
import { type GuideBook, type GuidePage, guideView } from './view/guide.tsx';
import { documentOf } from './view/layout.tsx';
import { markdownOf } from './view/markdown.ts';

/** How much of whole pages a process keeps (docs/operations#copies). */
const MOST_BYTES = 64 * 1_048_576;

/** A page as it is sent. */
export interface Shown {
  readonly type: string;
  readonly bytes: Buffer;
}

/** What a visitor gets: bytes that were kept or made now, by `key` as long as they are the same. */
export type PageAnswer = { readonly redirect: string } | { readonly shown: Shown };

interface Made<Answer = PageAnswer> {
  readonly answer: Answer;
  /** False where it is made anew though all reads answer the same. */
  readonly isFinal: boolean;
}

/** `freshUntil` is by `performance.now()`: until then nothing is asked. */
interface Kept<Answer = PageAnswer> {
  readonly answer: Answer;
  /** What it was made of; undefined where it is not final. */
  readonly asked: readonly Asked[] | undefined;
  readonly freshUntil: number;
}

interface Running {
  readonly answer: Promise<PageAnswer>;
  readonly freshUntil: number;
}

/** How something is made: asked for by its reads, and shown. */
interface Making<Data, Answer> {
  readonly reads: readonly ReadName[];
  load(read: Read): Promise<Data>;
  show(data: Data): Made<Answer> | Promise<Made<Answer>>;
}

const TYPES: Readonly<Record<Format, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/**
 * The site for people: pages over the reads of the table. A page is kept as long as its reads answer the same (docs/window#how-fresh-a-page-is), which is asked
 * each time, and for `SITE_CACHE_MS` without asking; who asks for the same within that time shares one answer.
 */
export class Site {
  /** Where it is reached, for addresses in heads and feeds; never what a request says. */
  readonly origin: string;
  readonly #source: ReadingSource;
  readonly #texts = new Texts();
  readonly #kept = new Cache<Kept>(MOST_BYTES, {
    bytesOf: ({ answer }) => ('shown' in answer ? answer.shown.bytes.length : 0),
  });
  readonly #running = new Map<string, Running>();

  constructor(kernel: Kernel, origin: string) {
    this.#source = { kernel, inputs: new KeptInputs() };
    this.origin = origin;
  }

  get assets(): Promise<Assets> {
    return loadAssets();
  }

  /** A page, or where to go for it. Throws `Refused`. */
  async answer(page: Page, address: Address, format: Format, visitor: Visitor): Promise<PageAnswer> {
    return this.#share(`${format} ${address.canonical} ${address.query.cursor ?? ''}`, visitor, {
      reads: page.reads,
      load: (read) => page.load(read, address),
      show: (data) => this.#show({ page, address, format }, data),
    });
  }

  /** What search engines are told to look at (https://www.sitemaps.org): sections, communities, the newest posts. */
  async sitemap(visitor: Visitor): Promise<Shown> {
    const { shown } = await this.#share('sitemap', visitor, {
      reads: SITEMAP_READS,
      load: sitemapPaths,
      show: (paths) => {
        const urls = paths.map((path) => `<url><loc>${escapeMarkup(`${this.origin}${path}`)}</loc></url>\n`).join('');
        const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`;
        return {
          answer: { shown: { type: 'application/xml; charset=utf-8', bytes: Buffer.from(text) } },
          isFinal: true,
        };
      },
    });
    return shown;
  }

  /** A page of the documentation, in the frame of all others. */
  async guide(page: GuidePage, book: GuideBook): Promise<Buffer> {
    const place = {
      canonical: page.path,
      own: page.path,
      formats: ['markdown' as const],
      assets: await this.assets,
      origin: this.origin,
    };
    return documentOf(guideView(page, book), place);
  }

  /** The page of a refusal. */
  async refusal(status: number, token: string, format: 'html' | 'markdown'): Promise<Shown> {
    const view = errorView(status, token);
    const place = { canonical: '', own: '', formats: [], assets: await this.assets, origin: this.origin };
    const bytes = format === 'html' ? documentOf(view, place) : Buffer.from(markdownOf(view, place));
    return { type: TYPES[format], bytes };
  }

  /** Ends what renders long texts. */
  stop(): Promise<void> {
    return this.#texts.stop();
  }

  /** What was kept or is being made, if it was asked for no longer ago than it may be shown; else made anew. */
  async #share<Data, Answer extends PageAnswer>(
    key: string,
    visitor: Visitor,
    making: Making<Data, Answer>,
  ): Promise<Answer> {
    const now = performance.now();
    for (const each of [this.#kept.get(key), this.#running.get(key)])
      if (each && now < each.freshUntil) return each.answer as Answer | Promise<Answer>;
    const freshUntil = now + this.#source.kernel.config.siteCacheMs;
    const running = { answer: this.#make(key, visitor, making, freshUntil), freshUntil };
    this.#running.set(key, running);
    return running.answer.finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
  }

  /** Kept as of when it was asked: what came since shows no later than that. */
  async #make<Data, Answer extends PageAnswer>(
    key: string,
    visitor: Visitor,
    { reads, load, show }: Making<Data, Answer>,
    freshUntil: number,
  ): Promise<Answer> {
    const reading = new Reading(this.#source, reads, visitor);
    const kept = this.#kept.get(key) as Kept<Answer> | undefined;
    if (kept?.asked && (await reading.isAnsweredAs(kept.asked))) {
      this.#kept.set(key, { ...kept, freshUntil });
      return kept.answer;
    }
    const { answer, isFinal } = await show(await load(reading.read));
    this.#kept.set(key, { answer, asked: isFinal ? reading.asked : undefined, freshUntil });
    return answer;
  }

  async #show(
    { page, address, format }: { readonly page: Page; readonly address: Address; readonly format: Format },
    data: unknown,
  ): Promise<Made> {
    if (data instanceof Redirect) return { answer: { redirect: data.location }, isFinal: true };
    const rendered = await this.#texts.render(format === 'markdown' ? [] : (page.texts?.(data) ?? []));
    const view = page.view(data, address, rendered);
    const isFinal = rendered.isFinal && !view.isHasty;
    const { origin } = this;
    const name = this.#source.kernel.feedName;
    const { canonical, own } = address;
    const formats: Format[] = page.feed ? ['markdown', 'atom', 'json'] : ['markdown'];
    const bytes = isFeed(format)
      ? Buffer.from(feedText(format, { view, items: page.feed!(data), rendered, canonical, origin, name }))
      : format === 'markdown'
        ? Buffer.from(markdownOf(view, { own, origin }))
        : documentOf(view, { canonical, own, formats, assets: await this.assets, origin });
    return { answer: { shown: { type: TYPES[format], bytes } }, isFinal };
  }
}
