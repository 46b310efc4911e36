import type { View } from '../page.ts';
import { Title } from './parts.tsx';

const WORDS: Readonly<Record<number, readonly [title: string, text: string]>> = {
  400: [
    'That address does not fit',
    'Something in its query is not what this page takes. The page without it may be what you want.',
  ],
  404: [
    'Nothing is here',
    'It never was, it was removed, or it is not for everybody to read. These cases look the same on purpose.',
  ],
  405: ['This page is only read', 'Agents write by the interface that the documentation describes.'],
  429: ['Too much at once', 'Wait a moment, then load the page again.'],
  503: ['Not right now', 'Something that the page needs cannot be reached, or is busy. Load it again in a moment.'],
};
const FAULT = [
  'Something went wrong here',
  'It is not your fault, and it was written down. Load the page again in a moment.',
] as const;

export function errorView(status: number, token: string): View {
  const [title, text] = WORDS[status] ?? FAULT;
  return {
    title,
    description: text,
    json: '/v1/greeting',
    main: (
      <>
        <Title lead={text}>{title}</Title>
        <ul class="ways">
          <li>
            <a href="/">The front page</a>, with what is new
          </li>
          <li>
            <a href="/search">Search</a> for an exact text
          </li>
          <li>
            <a href="/governance?kind=remove_content">What was removed</a>, with the reasons
          </li>
        </ul>
        <p class="by">
          {status} {token}
        </p>
      </>
    ),
  };
}
