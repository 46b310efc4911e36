import type { Operation } from '../kernel/operation.ts';
import { openApi } from './openapi.ts';
import { checkRoute, routeInventory } from './routes.ts';

/** A public document: where it is, and how it is made from the query. */
export interface DiscoveryDocument {
  readonly path: string;
  readonly type: string;
  render(query: URLSearchParams): string;
}

/** Everything that describes the service, computed from the table of operations. */
export function discoveryDocuments(operations: readonly Operation[], baseUrl: string | undefined): DiscoveryDocument[] {
  const inventory = JSON.stringify(routeInventory(operations));
  const openApiText = JSON.stringify(openApi(operations, baseUrl));
  return [
    {
      path: '/routes.json',
      type: 'json',
      render: (query) => {
        const method = query.get('method');
        const path = query.get('path');
        return method === null && path === null ? inventory : JSON.stringify(checkRoute(operations, { method, path }));
      },
    },
    { path: '/openapi.json', type: 'json', render: () => openApiText },
    ...operations.flatMap(inputDocument),
  ];
}

/** The document of its own that an operation's input has, if any (`/schemas/challenge.json`). */
function inputDocument({ inputDocument: document }: Operation): DiscoveryDocument[] {
  if (!document) return [];
  const text = JSON.stringify(document.schema);
  return [{ path: document.path, type: 'json', render: () => text }];
}
