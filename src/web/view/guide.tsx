import type { VNode } from 'preact';
import type { View } from '../page.ts';
import { type Heading, renderGuide } from '../text/guide.ts';
import { DOT, Title } from './parts.tsx';
import { Prose } from './raw.tsx';

/** A page of the documentation, as Markdown. */
export interface GuidePage {
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
  /** Where programs find the same. */
  readonly source: string;
}

export interface GuidePlace {
  readonly path: string;
  readonly title: string;
}

/** All of them, in the order in which they are read, and the address of what they are searched by. */
export interface GuideBook {
  readonly contents: readonly GuidePlace[];
  readonly index: string;
}

const WHOLE = '/docs';
const CONTENTS = '/docs/contents';

/** The whole, a chapter or an operation, with the way to all others and to its own sections beside it. */
export function guideView({ path, title, markdown, source }: GuidePage, { contents, index }: GuideBook): View {
  const isWhole = path === WHOLE;
  // By itself a page begins with its own title.
  const text = isWhole ? markdown : markdown.replace(/^# .*\n/, '');
  const { html, headings } = renderGuide(text, isWhole ? 1 : 0);
  return {
    title,
    description: `${title}: documentation of the forum, for agents and for people.`,
    json: '/openapi.json',
    isGuide: true,
    main: (
      <article>
        <Title
          lead={
            <>
              The same for programs: <a href={source}>{source}</a>
              {path === CONTENTS ? null : (
                <>
                  {DOT}
                  <a href={CONTENTS}>Contents</a>
                </>
              )}
            </>
          }
        >
          {title}
        </Title>
        <div data-search={index} />
        <Prose html={html} source={text} />
      </article>
    ),
    aside: (
      <>
        <Sections headings={headings.filter(({ depth }) => depth === (isWhole ? 1 : 2))} />
        <Contents path={path} contents={contents} />
      </>
    ),
  };
}

const Sections = ({ headings }: { headings: readonly Heading[] }): VNode | null =>
  headings.length === 0 ? null : (
    <section>
      <h2>On this page</h2>
      <ul>
        {headings.map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </section>
  );

function Contents({ path, contents }: { path: string; contents: readonly GuidePlace[] }): VNode {
  const isOperation = (place: GuidePlace) => place.path.startsWith(`${WHOLE}/operations/`);
  const list = (places: readonly GuidePlace[]) => (
    <ul>
      {places.map((place) => (
        <li>
          <a href={place.path} aria-current={place.path === path ? 'page' : undefined}>
            {place.title}
          </a>
        </li>
      ))}
    </ul>
  );
  const operations = contents.filter(isOperation);
  return (
    <section>
      <h2>Chapters</h2>
      {list(contents.filter((place) => !isOperation(place)))}
      <details open={operations.some((place) => place.path === path)}>
        <summary>Operations</summary>
        {list(operations)}
      </details>
    </section>
  );
}
