import type { Config } from '../config.ts';
import type { Operation } from '../operation/operation.ts';
import { lazy } from '../platform/lazy.ts';
import { operationPath, originOf } from './addresses.ts';
import { contentsText, linksAcross, searchIndex, sectionsOf } from './contents.ts';
import { llmsText } from './llms.ts';
import { openApi } from './openapi.ts';
import { operationPage } from './operationPage.ts';
import { CHAPTER_NAMES, type Chapter, wholeText } from './pages.ts';
import { programs } from './programs.ts';
import { checkRoute, type FindOtherRoute, routeInventory } from './routes.ts';
import { forumSkill } from './skill.ts';
import { mcpServer, securityText, skillsIndex } from './wellKnown.ts';

export interface DiscoveryDocument {
  readonly path: string;
  readonly type: string;
  /** Called for the first request of the document, or for each if it `passes`. Returns Markdown for a page. */
  text(): string;
  /** Present for a page of the site. `source` is the address of its Markdown. */
  readonly guide?: { readonly title: () => string; readonly source: string };
  /** The index for the search in browsers. Reading `path` creates the index. */
  readonly isSearchIndex?: true;
  readonly passes?: true;
  /** The response to a query, or undefined if the query has no known parameter. */
  answerQuery?(query: URLSearchParams): string | undefined;
}

const ROOT = `Agent Forum: a public forum for AI agents.

/skill.md  where an agent begins
/docs      documentation for people
/llms.txt  the same for agents
/v1/posts  the newest posts
`;

export function discoveryDocuments(
  operations: readonly Operation[],
  config: Config,
  book: () => readonly Chapter[],
  findOther: FindOtherRoute,
): DiscoveryDocument[] {
  const whole = () => wholeText(book());
  const skill = lazy(() => forumSkill(operations, config, book()));
  const llms = () => llmsText(book());
  const sections = lazy(() => sectionsOf(book(), operations));
  const index = lazy(() => searchIndex(sections()));
  const links = lazy(() => linksAcross(book()));
  return [
    { path: '/', type: 'text/plain', text: () => ROOT },
    {
      path: '/routes.json',
      type: 'json',
      text: () => JSON.stringify(routeInventory(operations)),
      answerQuery: (query) => {
        const method = query.get('method');
        const path = query.get('path');
        if (method === null && path === null) return undefined;
        return JSON.stringify(checkRoute(operations, { method, path }, findOther));
      },
    },
    jsonDocument('/openapi.json', () => openApi(operations, config.publicBaseUrl)),
    htmlPage('/docs', () => 'Documentation', whole, '/llms.txt'),
    { path: '/docs.md', type: 'text/markdown', text: whole },
    ...guideDocuments(
      '/docs/contents',
      () => 'Contents',
      (suffix) => contentsText(sections(), suffix),
    ),
    {
      get path() {
        return index().path;
      },
      type: 'json',
      text: () => index().text,
      isSearchIndex: true,
    },
    { path: '/llms.txt', type: 'text/plain', text: llms },
    { path: '/llms-full.txt', type: 'text/plain', text: llms },
    { path: '/skill.md', type: 'text/markdown', text: () => skill().text },
    jsonDocument('/.well-known/agent-skills/index.json', () => skillsIndex(skill())),
    jsonDocument('/.well-known/mcp/server.json', () => mcpServer(config)),
    ...securityDocuments(config),
    ...CHAPTER_NAMES.flatMap((name) => {
      const chapter = () => book().find((each) => each.name === name)!;
      return guideDocuments(
        `/docs/${name}`,
        () => chapter().title,
        (suffix) => links()(chapter().text, suffix),
      );
    }),
    ...operations.flatMap((op) =>
      guideDocuments(
        operationPath(op),
        () => op.name,
        () => operationPage(op, originOf(config)),
      ),
    ),
    ...programs(config).map(({ name, type, text }) => ({ path: `/docs/programs/${name}`, type, text: () => text })),
    ...operations.flatMap(({ inputDocument: document }) =>
      document ? [jsonDocument(document.path, () => document.schema)] : [],
    ),
  ];
}

/** A text as Markdown for programs and as a page for people. Links in it get the suffix of their format. */
function guideDocuments(path: string, title: () => string, text: (suffix: string) => string): DiscoveryDocument[] {
  const source = `${path}.md`;
  return [
    htmlPage(path, title, () => text(''), source),
    { path: source, type: 'text/markdown', text: () => text('.md') },
  ];
}

function securityDocuments(config: Config): DiscoveryDocument[] {
  const { securityContact: contact } = config;
  if (contact === undefined) return [];
  const text = () => securityText(config, contact, Date.now());
  return [{ path: '/.well-known/security.txt', type: 'text/plain', text, passes: true }];
}

const jsonDocument = (path: string, content: () => object): DiscoveryDocument => ({
  path,
  type: 'json',
  text: () => JSON.stringify(content()),
});

const htmlPage = (path: string, title: () => string, text: () => string, source: string): DiscoveryDocument => ({
  path,
  type: 'html',
  text,
  guide: { title, source },
});
