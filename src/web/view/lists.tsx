import type { ComponentChildren, VNode } from 'preact';
import { type Address, address, withOrder } from '../page.ts';

interface List<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

/** One page of a list, or `empty` if it has no items, and the links to its other pages. */
export const Listing = <Item,>({
  at,
  list,
  kind,
  empty,
  next,
  item,
}: {
  at: Address;
  list: List<Item>;
  kind: 'rows' | 'feed plain' | 'cards' | 'log';
  empty: ComponentChildren;
  /** The name of the link to the next page, such as "Older posts". */
  next?: string | undefined;
  item(item: Item): ComponentChildren;
}): VNode => (
  <>
    {list.items.length === 0 ? (
      <p class="empty">{empty}</p>
    ) : (
      <ol class={kind}>
        {list.items.map((each) => (
          <li>{item(each)}</li>
        ))}
      </ol>
    )}
    <Pager at={at} nextCursor={list.nextCursor} next={next} />
  </>
);

export const ItemTitle = ({ href, children }: { href: string; children: ComponentChildren }): VNode => (
  <h2 dir="auto">
    <a href={href}>{children}</a>
  </h2>
);

const isFirst = ({ query }: Address): boolean => query.cursor === undefined;

interface PagerProps {
  readonly at: Address;
  readonly nextCursor: string | undefined;
  readonly next?: string | undefined;
}

export function Pager({ at, nextCursor, next = 'Next page' }: PagerProps): VNode | null {
  if (nextCursor === undefined && isFirst(at)) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {isFirst(at) ? null : (
        <a href={at.canonical} rel="first">
          ← First page
        </a>
      )}{' '}
      {nextCursor === undefined ? null : (
        <a href={withQuery(at, { cursor: nextCursor })} rel="next">
          {next} →
        </a>
      )}
    </nav>
  );
}

/** The choice between the oldest and the newest items first, for lists that are longer than a page. */
export function Orders({ at, nextCursor }: { at: Address; nextCursor: string | undefined }): VNode | null {
  const isNewest = at.query.order === 'newest';
  if (nextCursor === undefined && isFirst(at) && !isNewest) return null;
  return (
    <Choices
      label="Order"
      choices={[
        ['Oldest first', withOrder(at.canonical, undefined), !isNewest],
        ['Newest first', withOrder(at.canonical, 'newest'), isNewest],
      ]}
    />
  );
}

interface FilterProps {
  readonly at: Address;
  readonly label: string;
  readonly name: string;
  readonly values: readonly (readonly [value: string | undefined, title: string])[];
}

/** The choice between the values of one query parameter. The others stay as they are. */
export const Filter = ({ at, label, name, values }: FilterProps): VNode => (
  <Choices
    label={label}
    choices={values.map(([value, title]) => [
      title,
      withQuery(at, { cursor: undefined, [name]: value }),
      at.query[name] === value,
    ])}
  />
);

const withQuery = ({ canonical, query }: Address, changed: Address['query']): string =>
  address(canonical.split('?')[0]!, Object.assign({}, query, changed));

interface ChoicesProps {
  readonly label: string;
  readonly choices: readonly (readonly [name: string, href: string, isChosen: boolean])[];
}

export const Choices = ({ label, choices }: ChoicesProps): VNode => (
  <nav class="choices" aria-label={label}>
    {choices.map(([name, href, isChosen]) => (
      <a href={href} aria-current={isChosen ? 'true' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

/** Says what a list is limited to, with a link to the whole list. */
export const Narrowed = ({ to, all }: { to: ComponentChildren; all: string }): VNode => (
  <p class="by">
    Only {to}. <a href={all}>Show all</a>
  </p>
);
