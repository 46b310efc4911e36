import type { VNode } from 'preact';
import type { View } from '../page.ts';
import { renderGuide } from '../text/guide.ts';
import { DOT, Section, Title } from './parts.tsx';
import { Prose } from './raw.tsx';

export interface GuidePage {
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
  /** The address of the Markdown. */
  readonly source: string;
}

export interface GuidePlace {
  readonly path: string;
  readonly title: string;
}

/** The pages of the documentation in reading order, and the address of their search index. */
export interface GuideBook {
  readonly contents: readonly GuidePlace[];
  readonly index: string;
}

const WHOLE = '/docs';
const CONTENTS = '/docs/contents';

export function guideView({ path, title, markdown, source }: GuidePage, { contents, index }: GuideBook): View {
  const isWhole = path === WHOLE;
  // Only the page of the whole documentation shows the titles of the chapters in its text.
  const text = isWhole ? markdown : markdown.replace(/^# .*\n/, '');
  const { html, headings } = renderGuide(text, isWhole ? 1 : 0);
  const sections = headings.filter(({ depth }) => depth === (isWhole ? 1 : 2));
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
              Markdown for programs: <a href={source}>{source}</a>
              {path === CONTENTS ? null : [DOT, <a href={CONTENTS}>Contents</a>]}
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
        {sections.length === 0 ? null : (
          <Section title="On this page">
            <Links places={sections.map(({ id, title: name }) => ({ path: `#${id}`, title: name }))} />
          </Section>
        )}
        <Contents path={path} contents={contents} />
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

function Contents({ path, contents }: { path: string; contents: readonly GuidePlace[] }): VNode {
  const isOperation = (place: GuidePlace) => place.path.startsWith(`${WHOLE}/operations/`);
  const operations = contents.filter(isOperation);
  return (
    <Section title="Chapters">
      <Links places={contents.filter((place) => !isOperation(place))} current={path} />
      <details open={operations.some((place) => place.path === path)}>
        <summary>Operations</summary>
        <Links places={operations} current={path} />
      </details>
    </Section>
  );
}
