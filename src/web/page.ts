import type { VNode } from 'preact';
import type { ForumOperations } from '../client/generated/types.ts';
import type { IdentifierName } from '../protocol/ids.ts';
import type { Rendered, Source } from './text/texts.ts';

/** The reads of the table, as programs outside know them: a page has no other way to data. */
export type ReadName = keyof ForumOperations & string;
export type Input<Name extends ReadName> = ForumOperations[Name]['input'];
export type Output<Name extends ReadName> = ForumOperations[Name]['output'];
export type Items<Name extends ReadName> = Output<Name> extends { items: readonly (infer Item)[] } ? Item : never;

/** Input as an address has it: texts, which the schema of the operation judges. */
type Asked<Name extends ReadName> = { readonly [Key in keyof Input<Name>]: Input<Name>[Key] | string | undefined };

/** Asks one read without credentials. Throws `Refused` for what it refuses. */
export type Read = <Name extends ReadName>(name: Name, input: Asked<Name>) => Promise<Output<Name>>;

/** What an address says: what stands in its path, and of its query what the page knows. */
export interface Address {
  readonly params: Readonly<Partial<Record<IdentifierName, string>>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Where the forum is reached, as it is told, never as a request says. */
  readonly origin: string;
  /** Path and known query, without `cursor`: what all pages of a list have in common. */
  readonly canonical: string;
  /** The same with `cursor`: what is shown now. */
  readonly own: string;
}

/** Where somebody is sent instead of being shown something. */
export class Redirect {
  readonly location: string;
  constructor(location: string) {
    this.location = location;
  }
}

/** One entry of a feed. `path` is where it is read; `text` is Markdown, shown as a text. */
export interface FeedItem {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly at: string;
  readonly author?: string | undefined;
  readonly text: string;
  /** The id under which its text is rendered, where it is Markdown. */
  readonly textId?: string | undefined;
}

/** What a page shows of its data. */
export interface View {
  readonly title: string;
  /** In a sentence, for heads and search engines. */
  readonly description: string;
  readonly main: VNode;
  readonly aside?: VNode | undefined;
  /** Where the same is read as JSON. */
  readonly json: string;
  /** Structured data, https://schema.org. */
  readonly data?: object | undefined;
  /** A page of the documentation, which has a style sheet more. */
  readonly isGuide?: true;
  /** There was no time for all of it: it is made anew when it is asked for again. */
  readonly isHasty?: boolean;
}

/** A page, declared like an operation. Reads are made by `load`, in the order that it wants; the rest is pure. */
export interface Page<Data = unknown> {
  /** As logs and metrics call it. */
  readonly name: string;
  /** With identifiers in braces: `/p/{postId}`. */
  readonly path: string;
  /** Parameters that it knows; others are ignored, because people share addresses with what others put there. */
  readonly query?: readonly string[];
  /** All that it may ask. */
  readonly reads: readonly ReadName[];
  load(read: Read, address: Address): Promise<Data | Redirect>;
  /** Agents' texts that are shown as Markdown. */
  texts?(data: Data): readonly Source[];
  view(data: Data, address: Address, rendered: Rendered): View;
  /** Entries of its feed, the newest first, from what `load` answers to `NEWEST`; absent where it has none. */
  feed?(data: Data): readonly FeedItem[];
}

/** What every feed is asked for (docs/window): the first page, and of a list that is read either way the newest first. */
export const NEWEST = { order: 'newest', cursor: undefined } as const;

/** Declares a page; what `load` answers is what the others are given. */
export const page = <Data>(declared: Page<Data>): Page => declared as Page;

/** How a page comes: for people, for programs that were handed its address, and as feeds. */
export const FORMATS = { html: '', markdown: '.md', atom: '.atom', json: '.feed.json' } as const;
export type Format = keyof typeof FORMATS;
export const isFeed = (format: Format): format is 'atom' | 'json' => format === 'atom' || format === 'json';

/** A page's address in another format; the front page has a name for it, and a feed has but one order. */
export const inFormat = (canonical: string, format: Format): string => {
  const [path = '', query] = (isFeed(format) ? withOrder(canonical, undefined) : canonical).split('?');
  const named = path === '/' && format !== 'html' ? '/index' : path;
  return `${named}${FORMATS[format]}${query === undefined ? '' : `?${query}`}`;
};

/** A page's address with its list in another order; undefined: in the order of the page itself. */
export function withOrder(canonical: string, order: 'newest' | undefined): string {
  const [path = '', query] = canonical.split('?');
  return address(path, { ...Object.fromEntries(new URLSearchParams(query)), order });
}

/** An address with a query; what is undefined or empty is left out. */
export function address(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
