import { LRUCache } from 'lru-cache';
import type { Services } from '../pipeline/execute.ts';
import { type Assets, loadAssets } from './assets.ts';
import { feedSources, feedText } from './feeds/feed.ts';
import { SITE_FILES, type SiteFile } from './files.ts';
import { drawShareImage } from './image/share.ts';
import { type Address, type Format, inFormat, isFeed, type Page, type Read, type ReadName } from './page.ts';
import { type Asked, Reading, Refused, type Visitor } from './reading.ts';
import { Texts } from './text/texts.ts';
import { errorView } from './view/errors.tsx';
import { type GuideBook, type GuidePage, guideView } from './view/guide.tsx';
import { documentOf } from './view/layout.tsx';
import { markdownOf } from './view/markdown.ts';
import { type Removal, removalOf } from './view/standing.tsx';

/** The size of the cache of whole pages in a process (docs/operations#caches). */
const MOST_BYTES = 64 * 1_048_576;
/** What an entry takes beside its page. */
const ENTRY_BYTES = 1_024;

export interface Shown {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface PageAnswer {
  readonly shown: Shown;
}

interface RenderedPage<Answer = PageAnswer> {
  readonly answer: Answer;
  /** False if the page must be rendered again even though all its reads return the same. */
  readonly isFinal: boolean;
}

/** Until `freshUntil`, in ms of `performance.now()`, the page is sent without asking the reads. */
interface CachedPage<Answer = PageAnswer> {
  readonly answer: Answer;
  /** The reads that it was rendered from; undefined if it is not final. */
  readonly asked: readonly Asked[] | undefined;
  readonly freshUntil: number;
}

interface PendingPage {
  readonly answer: Promise<PageAnswer>;
  readonly freshUntil: number;
}

interface PageSource<Data, Answer> {
  readonly reads: readonly ReadName[];
  load(read: Read): Promise<Data>;
  show(data: Data): RenderedPage<Answer> | Promise<RenderedPage<Answer>>;
}

const TYPES: Readonly<Record<Format, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
  image: 'image/png',
};

/**
 * Sends a cached page for `SITE_CACHE_MS`, later if the ETags of its reads are the same
 * (docs/window#how-fresh-a-page-is).
 */
export class Site {
  /** The configured origin, for addresses in heads and feeds; never taken from a request. */
  readonly origin: string;
  readonly #services: Services;
  readonly #texts = new Texts();
  readonly #cache = new LRUCache<string, CachedPage>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ answer }) => ENTRY_BYTES + answer.shown.bytes.length,
  });
  readonly #pending = new Map<string, PendingPage>();

  constructor(services: Services, origin: string) {
    this.#services = services;
    this.origin = origin;
  }

  get assets(): Promise<Assets> {
    return loadAssets();
  }

  /** Throws `Refused`. */
  async answer(page: Page, asked: Omit<Address, 'today'>, format: Format, visitor: Visitor): Promise<PageAnswer> {
    const address = { ...asked, today: new Date(this.#services.clock.now()).toISOString().slice(0, 10) };
    const key = [format, address.canonical, address.query.cursor, page.isDaily && address.today].join(' ');
    return this.#share(key, visitor, {
      reads: page.reads,
      load: (read) => page.load(read, address),
      show: (data) => this.#show({ page, address, format }, data),
    });
  }

  /** A file that is no page, such as the sitemap. Throws `Refused`. */
  async file(path: SiteFile, visitor: Visitor): Promise<Shown> {
    const { type, reads, make } = SITE_FILES[path];
    const { shown } = await this.#share(`file ${path}`, visitor, {
      reads,
      load: (read) => make(read, this.origin),
      show: (content) => ({ answer: { shown: { type, bytes: Buffer.from(content) } }, isFinal: true }),
    });
    return shown;
  }

  async guide(page: GuidePage, book: GuideBook): Promise<string> {
    const place = {
      canonical: page.path,
      own: page.path,
      formats: ['markdown' as const],
      assets: await this.assets,
      origin: this.origin,
    };
    return documentOf(guideView(page, book), place);
  }

  /** The public moderation action that withholds the content of a page, if one does. Encrypted content has none. */
  async removal(params: Address['params'], visitor: Visitor): Promise<Removal | undefined> {
    const { postId, replyId, challengeId, feedbackId, slug } = params;
    const targetId = replyId ?? postId ?? challengeId ?? feedbackId ?? slug;
    if (targetId === undefined) return undefined;
    try {
      const { read } = new Reading(this.#services, ['governance.events'], visitor);
      return removalOf((await read('governance.events', { targetId })).items);
    } catch (error) {
      // Without the reason, the page is that of an unknown address.
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  async refusal(
    status: number,
    token: string,
    {
      path,
      format,
      removal,
    }: {
      readonly path: string;
      readonly format: 'html' | 'markdown';
      readonly removal?: Removal | undefined;
    },
  ): Promise<Shown> {
    const view = errorView(status, token, { path, removal });
    const place = { canonical: '', own: '', formats: [], assets: await this.assets, origin: this.origin };
    const text = format === 'html' ? documentOf(view, place) : markdownOf(view, place);
    return { type: TYPES[format], bytes: Buffer.from(text) };
  }

  stop(): Promise<void> {
    return this.#texts.stop();
  }

  /** The cached or pending page while it is fresh, else a new one. */
  async #share<Data, Answer extends PageAnswer>(
    key: string,
    visitor: Visitor,
    source: PageSource<Data, Answer>,
  ): Promise<Answer> {
    const now = performance.now();
    for (const each of [this.#cache.get(key), this.#pending.get(key)])
      if (each && now < each.freshUntil) return each.answer as Answer | Promise<Answer>;
    const freshUntil = now + this.#services.config.siteCacheMs;
    const pending = { answer: this.#make(key, visitor, source, freshUntil), freshUntil };
    this.#pending.set(key, pending);
    return pending.answer.finally(() => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    });
  }

  /** The freshness counts from the request, so that later changes appear in time however long the rendering takes. */
  async #make<Data, Answer extends PageAnswer>(
    key: string,
    visitor: Visitor,
    { reads, load, show }: PageSource<Data, Answer>,
    freshUntil: number,
  ): Promise<Answer> {
    const reading = new Reading(this.#services, reads, visitor);
    const cached = this.#cache.get(key) as CachedPage<Answer> | undefined;
    if (cached?.asked && (await reading.isAnsweredAs(cached.asked))) {
      this.#cache.set(key, { ...cached, freshUntil });
      return cached.answer;
    }
    const { answer, isFinal } = await show(await load(reading.read));
    this.#cache.set(key, { answer, asked: isFinal ? reading.asked : undefined, freshUntil });
    return answer;
  }

  async #show(
    { page, address, format }: { readonly page: Page; readonly address: Address; readonly format: Format },
    data: unknown,
  ): Promise<RenderedPage> {
    if (format === 'image') {
      const bytes = drawShareImage(page.image!(data));
      return { answer: { shown: { type: TYPES.image, bytes } }, isFinal: true };
    }
    const items = isFeed(format) ? page.feed!(data) : [];
    const sources = isFeed(format) ? feedSources(items) : format === 'html' ? page.texts?.(data) : undefined;
    const rendered = await this.#texts.render(sources ?? []);
    const view = page.view(data, address, rendered);
    const isFinal = rendered.isFinal && !view.isHasty;
    const { origin } = this;
    const name = this.#services.feedName;
    const { canonical, own } = address;
    const formats: Format[] = page.feed ? ['markdown', 'atom', 'json'] : ['markdown'];
    const text = isFeed(format)
      ? feedText(format, { view, items, rendered, canonical, origin, name })
      : format === 'markdown'
        ? markdownOf(view, { own, origin })
        : documentOf(view, {
            canonical,
            own,
            formats,
            picture: page.image ? inFormat(canonical, 'image') : undefined,
            assets: await this.assets,
            origin,
          });
    return { answer: { shown: { type: TYPES[format], bytes: Buffer.from(text) } }, isFinal };
  }
}
