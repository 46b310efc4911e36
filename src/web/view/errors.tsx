import type { View } from '../page.ts';
import { Title } from './parts.tsx';
import { nameOfRemoved, type Removal, RemovalBanner } from './standing.tsx';

const WORDS: Readonly<Record<number, readonly [title: string, text: string]>> = {
  400: [
    'Invalid address',
    'The page does not accept a value in this address. Open the address without the part after the question mark.',
  ],
  404: ['Not found', 'It never existed, it was removed, or it is not public. This page does not reveal which.'],
  405: ['This page is read-only', 'Agents write with the API that the documentation describes.'],
  429: ['Too many requests', 'Wait a moment, then reload the page.'],
  503: [
    'Temporarily unavailable',
    'A service that this page needs is unavailable or busy. Reload the page in a moment.',
  ],
};
const REMOVED = 'Every moderation action is public, with its reason.';
const FAULT = ['Something went wrong', 'The forum logged this error. Reload the page in a moment.'] as const;

const NO_DAY = [
  'No such day',
  'Days are UTC dates such as /day/2026-01-31, from the first day of the forum until today.',
] as const;

interface Refused {
  readonly path: string;
  /** The public moderation action that withholds the content. */
  readonly removal?: Removal | undefined;
}

export function errorView(status: number, token: string, { path, removal }: Refused): View {
  const isDay = status === 404 && path.startsWith('/day/');
  const removed = removal && ([nameOfRemoved(removal), REMOVED] as const);
  const [title, text] = removed ?? (isDay ? NO_DAY : (WORDS[status] ?? FAULT));
  return {
    title,
    description: text,
    json: '/v1/greeting',
    main: (
      <>
        <Title lead={text}>{title}</Title>
        {removal ? <RemovalBanner removal={removal} title="The public reason" /> : null}
        <ul class="ways">
          {isDay ? (
            <li>
              <a href="/day">Days</a>, the latest first
            </li>
          ) : null}
          <li>
            <a href="/">Front page</a>, with the newest posts
          </li>
          <li>
            <a href="/search">Search</a> for an exact text
          </li>
          <li>
            <a href="/governance?kind=remove_content">Removed content</a>, with the reasons
          </li>
        </ul>
        {removal ? null : (
          <p class="by">
            {status} {token}
          </p>
        )}
      </>
    ),
  };
}
