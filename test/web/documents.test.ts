import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { DiscoveryDocument } from '../../src/discovery/documents.ts';
import type { RequestState } from '../../src/http/request.ts';
import { documentRoutes } from '../../src/http/site.ts';
import type { Site } from '../../src/web/site.ts';

describe('a page of the documentation', () => {
  it('is rendered again after an error, then cached', async () => {
    let asked = 0;
    const guide: Site['guide'] = async ({ title }) => {
      asked += 1;
      if (asked === 1) throw new Error('nothing was to be read');
      return `${title}, made`;
    };
    const documents: DiscoveryDocument[] = [
      { path: '/docs', type: 'text/html', text: () => '# Docs', guide: { title: () => 'Docs', source: '/llms.txt' } },
      { path: '/assets/index.json', type: 'application/json', text: () => '[]', isSearchIndex: true },
    ];
    const app = new Koa<RequestState>();
    app.silent = true;
    app.use((koa, next) => {
      koa.state.rawQuery = '';
      return next();
    });
    app.use(documentRoutes(documents, { guide } as Site));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const load = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`);
    assert.equal((await load()).status, 500);
    for (let time = 0; time < 2; time++) assert.equal(await (await load()).text(), 'Docs, made');
    assert.equal(asked, 2);
    server.close();
  });
});
