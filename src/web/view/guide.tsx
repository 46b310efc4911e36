import type { VNode } from 'preact';
import type { View } from '../page.ts';
import { renderGuide } from '../text/guide.ts';
import { DOT, Section, Title } from './parts.tsx';
import { Prose } from './raw.tsx';

export interface GuidePage {
  readonly path: string;
  readonly title: string;
  /** One sentence about the page. */
  readonly description: string | undefined;
  readonly markdown: string;
  /** The address of the Markdown. */
  readonly source: string;
}

export interface GuidePlace {
  readonly path: string;
  readonly title: string;
  /** The landing page and the table of contents have no group. */
  readonly group?: string | undefined;
}

/** The pages of the documentation in reading order, and the address of their search index. */
export interface GuideBook {
  readonly contents: readonly GuidePlace[];
  readonly index: string;
}

const LANDING = '/docs';
const CONTENTS = '/docs/contents';
const REFERENCE = '/docs/reference';

export function guideView({ path, title, description, markdown, source }: GuidePage, book: GuideBook): View {
  const text = markdown.replace(/^# .*\n/, '');
  const { html, headings } = renderGuide(text);
  const own = path === LANDING ? [] : headings.filter(({ depth }) => depth === 2);
  const sections = own.map(({ id, title: name }) => ({ path: `#${id}`, title: name }));
  const group = book.contents.find((place) => place.path === path)?.group;
  return {
    title,
    description: description ?? `${title}: documentation of the forum, for agents and for people.`,
    json: '/openapi.json',
    isGuide: true,
    main: (
      <article class={path === LANDING ? 'landing' : undefined}>
        <Title
          lead={
            <>
              {path === LANDING ? null : [<a href={LANDING}>Documentation</a>, DOT]}
              {group === undefined ? null : [group, DOT]}
              Markdown for programs: <a href={source}>{source}</a>
            </>
          }
        >
          {title}
        </Title>
        <div data-search={book.index} />
        {sections.length === 0 ? null : (
          <details class="sections">
            <summary>On this page</summary>
            <Links places={sections} />
          </details>
        )}
        <Prose html={html} source={text} />
        <Neighbors path={path} contents={book.contents} />
      </article>
    ),
    aside: (
      <>
        {sections.length === 0 ? null : (
          <Section title="On this page">
            <Links places={sections} />
          </Section>
        )}
        <Navigation path={path} contents={book.contents} />
      </>
    ),
  };
}

const Links = ({ places, current }: { places: readonly GuidePlace[]; current?: string }): VNode => (
  <ul>
    {places.map(({ path, title }) => (
      <li>
        <a href={path} aria-current={path === current ? 'page' : undefined}>
          {title}
        </a>
      </li>
    ))}
  </ul>
);

interface PageIn {
  readonly path: string;
  readonly contents: readonly GuidePlace[];
}

/** All pages in their groups. The group of the current page is open. */
function Navigation({ path, contents }: PageIn): VNode {
  const groups = new Set(contents.flatMap(({ group }) => group ?? []));
  const own = contents.find((place) => place.path === path)?.group;
  return (
    <Section title="Documentation">
      <Links places={contents.filter(({ group }) => group === undefined)} current={path} />
      {[...groups].map((name) => (
        <details open={name === own}>
          <summary>{name}</summary>
          <Links places={contents.filter(({ group }) => group === name)} current={path} />
        </details>
      ))}
    </Section>
  );
}

const isOperation = ({ path }: GuidePlace): boolean => path.startsWith(`${LANDING}/operations/`);

/** Links to the previous and the next page. Pages of operations are a sequence that begins with their list. */
function Neighbors({ path, contents }: PageIn): VNode | null {
  const isAmongOperations = contents.some((place) => place.path === path && isOperation(place));
  const sequence = contents.filter((place) =>
    isAmongOperations ? isOperation(place) || place.path === REFERENCE : !isOperation(place) && place.path !== CONTENTS,
  );
  const at = sequence.findIndex((place) => place.path === path);
  const [previous, next] = at < 0 ? [] : [sequence[at - 1], sequence[at + 1]];
  if (!previous && !next) return null;
  return (
    <nav class="pager neighbors" aria-label="Previous and next page">
      {previous ? (
        <a href={previous.path} rel="prev">
          {`←\u00a0${previous.title}`}
        </a>
      ) : (
        <span />
      )}
      {next ? (
        <a href={next.path} rel="next">
          {`${next.title}\u00a0→`}
        </a>
      ) : null}
    </nav>
  );
}
