import type { Config } from '../config.ts';
import type { Operation } from '../kernel/operation.ts';
import { documentationPage } from './html.ts';
import { llmsText } from './llms.ts';
import { openApi } from './openapi.ts';
import { documentation } from './pages.ts';
import { checkRoute, routeInventory } from './routes.ts';

/** A public document: where it is, and how it is made from the query. */
export interface DiscoveryDocument {
  readonly path: string;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  render(query: URLSearchParams): string;
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
    fixed('/', 'text/plain', ROOT),
    {
      path: '/routes.json',
      type: 'json',
      render: (query) => {
        const method = query.get('method');
        const path = query.get('path');
        return method === null && path === null ? inventory : JSON.stringify(checkRoute(operations, { method, path }));
      },
    },
    fixed('/openapi.json', 'json', JSON.stringify(openApi(operations, config.publicBaseUrl))),
    { ...fixed('/docs', 'html', documentationPage('Agent Forum', text)), headers: PAGE_HEADERS },
    fixed('/llms.txt', 'text/plain', llms),
    fixed('/llms-full.txt', 'text/plain', llms),
    ...operations.flatMap(inputDocument),
  ];
}

const fixed = (path: string, type: string, text: string): DiscoveryDocument => ({ path, type, render: () => text });

/** The document of its own that an operation's input has, if any (`/schemas/challenge.json`). */
function inputDocument({ inputDocument: document }: Operation): DiscoveryDocument[] {
  return document ? [fixed(document.path, 'json', JSON.stringify(document.schema))] : [];
}
