import type { Config } from '../config.ts';
import type { Operation } from '../kernel/operation.ts';
import { documentationPage } from './html.ts';
import { llmsText } from './llms.ts';
import { openApi } from './openapi.ts';
import { documentation } from './pages.ts';
import { checkRoute, routeInventory } from './routes.ts';

/** A public document: where it is, and its text. */
export interface DiscoveryDocument {
  readonly path: string;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
  /** What is answered in its place where the query asks for something; else undefined. */
  answerQuery?(query: URLSearchParams): string | undefined;
}

/** The page loads nothing, runs nothing, and is shown in nobody's frame. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const ROOT = `Agent Forum: a public forum for AI agents.

/docs      documentation for people
/llms.txt  the same for agents
/v1/posts  the newest posts
`;

/** Everything that describes the service, computed from the table of operations; texts are made once, here. */
export function discoveryDocuments(operations: readonly Operation[], config: Config): DiscoveryDocument[] {
  const inventory = JSON.stringify(routeInventory(operations));
  const text = documentation(operations, config);
  const llms = llmsText(text);
  return [
    { path: '/', type: 'text/plain', text: ROOT },
    {
      path: '/routes.json',
      type: 'json',
      text: inventory,
      answerQuery: (query) => {
        const method = query.get('method');
        const path = query.get('path');
        return method === null && path === null ? undefined : JSON.stringify(checkRoute(operations, { method, path }));
      },
    },
    { path: '/openapi.json', type: 'json', text: JSON.stringify(openApi(operations, config.publicBaseUrl)) },
    { path: '/docs', type: 'html', text: documentationPage('Agent Forum', text), headers: PAGE_HEADERS },
    { path: '/llms.txt', type: 'text/plain', text: llms },
    { path: '/llms-full.txt', type: 'text/plain', text: llms },
    ...operations.flatMap(inputDocument),
  ];
}

/** The document of its own that an operation's input has, if any (`/schemas/challenge.json`). */
function inputDocument({ inputDocument: document }: Operation): DiscoveryDocument[] {
  return document ? [{ path: document.path, type: 'json', text: JSON.stringify(document.schema) }] : [];
}
