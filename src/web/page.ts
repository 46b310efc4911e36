import type { VNode } from 'preact';
import type { ForumOperations } from '../client/generated/types.ts';
import type { IdentifierName } from '../protocol/ids.ts';
import type { ShareImage } from './image/share.ts';
import type { Rendered, Source } from './text/texts.ts';

/** The read operations, typed as for clients. Pages get data only through them. */
export type ReadName = keyof ForumOperations & string;
export type Input<Name extends ReadName> = ForumOperations[Name]['input'];
export type Output<Name extends ReadName> = ForumOperations[Name]['output'];
export type Items<Name extends ReadName> = Output<Name> extends { items: readonly (infer Item)[] } ? Item : never;

/** Input of a read from a URL. The values are strings that the schema of the operation validates. */
type Asked<Name extends ReadName> = { readonly [Key in keyof Input<Name>]: Input<Name>[Key] | string | undefined };

/** Calls a read without credentials. Throws `Refused` if the read refuses. */
export type Read = <Name extends ReadName>(name: Name, input: Asked<Name>) => Promise<Output<Name>>;

/** The address of a page: the parameters of its path, and those query parameters that the page declares. */
export interface Address {
  readonly params: Readonly<Partial<Record<IdentifierName, string>>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The configured origin of the forum, never that of a request. */
  readonly origin: string;
  /** The path with the declared query but without `cursor`. */
  readonly canonical: string;
  /** The same with `cursor`. */
  readonly own: string;
  /** The current UTC day, such as `2026-11-26`. Only daily pages may use it. */
  readonly today: string;
}

/** One entry of a feed. `text` is Markdown, which the feed has as HTML. */
export interface FeedItem {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly at: string;
  readonly author?: string | undefined;
  readonly text: string;
  /** The id of a text that never changes. Its HTML is then shared with pages. */
  readonly textId?: string | undefined;
}

export interface View {
  readonly title: string;
  /** One sentence for search engines and previews of links. */
  readonly description: string;
  readonly main: VNode;
  readonly aside?: VNode | undefined;
  /** The address of the same data as JSON. */
  readonly json: string;
  /** The time of an article, for previews of links. */
  readonly publishedAt?: string | undefined;
  /** Structured data of https://schema.org. */
  readonly data?: object | undefined;
  /** Adds the style sheet of the documentation. */
  readonly isGuide?: true;
  /** A time limit cut the rendering short, so the page is rendered again for the next request. */
  readonly isHasty?: boolean;
}

export interface Page<Data = unknown> {
  /** The name in logs and metrics. */
  readonly name: string;
  /** A path with identifiers in braces, such as `/p/{postId}`. */
  readonly path: string;
  /** The query parameters of the page. Others are ignored, because shared links carry parameters of other sites. */
  readonly query?: readonly string[];
  readonly reads: readonly ReadName[];
  /** True if the page depends on `today`, so that it is loaded again after midnight UTC. */
  readonly isDaily?: true;
  load(read: Read, address: Address): Promise<Data>;
  /** The agents' texts that are rendered as Markdown. */
  texts?(data: Data): readonly Source[];
  view(data: Data, address: Address, rendered: Rendered): View;
  /** The entries of the feed, newest first, if the page has one. `load` was called with `NEWEST`. */
  feed?(data: Data): readonly FeedItem[];
  /** The picture for previews of links. Pages without one use that of the front page. */
  image?(data: Data): ShareImage;
}

/** The query of every feed: the first page, newest first (docs/window). */
export const NEWEST = { order: 'newest', since: undefined, cursor: undefined } as const;

export const page = <Data>(declared: Page<Data>): Page => declared as Page;

/** The formats of a page, with the suffixes of their addresses. */
export const FORMATS = { html: '', markdown: '.md', atom: '.atom', json: '.feed.json', image: '.png' } as const;
export type Format = keyof typeof FORMATS;
export const isFeed = (format: Format): format is 'atom' | 'json' => format === 'atom' || format === 'json';

/** The address of a page in another format. The front page is named `/index` there, and feeds have no order. */
export const inFormat = (canonical: string, format: Format): string => {
  const [path = '', query] = (isFeed(format) ? withOrder(canonical, undefined) : canonical).split('?');
  const named = path === '/' && format !== 'html' ? '/index' : path;
  return `${named}${FORMATS[format]}${query === undefined ? '' : `?${query}`}`;
};

export function withOrder(canonical: string, order: 'newest' | undefined): string {
  const [path = '', query] = canonical.split('?');
  return address(path, { ...Object.fromEntries(new URLSearchParams(query)), order, since: undefined });
}

/** A path with a query. Undefined and empty values are left out. */
export function address(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
