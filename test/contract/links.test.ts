import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { OPERATIONS } from '../../src/operations.ts';
import { exchange } from '../support/agent.ts';
import { exampleOf, startWorld, type World } from './examples.ts';

/** A way that an answer shows: a path, and the method it is for. */
interface Way {
  readonly method: string;
  readonly path: string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * All links in an answer: those of `links` (GET unless `linkMethods` beside it says otherwise), `link`, and advice; but
 * not templates, whose braces are for the reader to fill.
 */
function waysIn(value: unknown): Way[] {
  if (!isObject(value)) return [];
  const { links, linkMethods = {}, link, nextSuggestions = [], nextSteps = [] } = value;
  const methods = linkMethods as Record<string, string>;
  const named = Object.entries(isObject(links) ? links : {}).map(([name, path]) => [path, methods[name] ?? 'GET']);
  const advised = [nextSuggestions, nextSteps].flat().flatMap((text) => String(text).match(/GET \/v1\/[\w/-]+/g) ?? []);
  return [
    ...[...named, [link, 'GET']].flatMap(([path, method]) =>
      typeof path === 'string' && !path.includes('{') ? [{ path, method: String(method) }] : [],
    ),
    ...advised.map((text) => ({ method: 'GET', path: text.slice('GET '.length) })),
    ...Object.values(value).flatMap(waysIn),
  ];
}

describe('links', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, env: { LIMIT_POSTS: '1000' } });
  });
  after(() => world.forum.stop());

  for (const op of OPERATIONS.filter(({ kind }) => kind !== 'preview')) {
    it(`links of ${op.name} use GET or name their method`, async () => {
      const { ada, forum } = world;
      const { params = {}, ...options } = await exampleOf(op, world);
      const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]!);
      const sender = op.auth === 'operator' ? forum.operator : ada;
      const answer = await sender.signed(op.method, path, options);
      assert.equal(answer.status, op.status, JSON.stringify(answer.body));
      const ways = waysIn(answer.body);
      const once = ways.filter((way, index) => ways.findIndex((each) => isDeepStrictEqual(each, way)) === index);
      for (const way of once) {
        const [target, query] = way.path.split('?');
        const signature = ada.headers('GET', target!, { query: query ?? '' }, Buffer.alloc(0));
        const { status, headers } = await exchange(`${forum.url}${way.path}`, { headers: signature });
        if (way.method === 'GET') assert.equal(status, 200, way.path);
        else assert.deepEqual([status, headers.get('allow')], [405, way.method], way.path);
      }
    });
  }

  it('the walk also finds links that are not read with GET', () => {
    const self = '/v1/communities/x';
    const ways = waysIn({
      community: { links: { self, members: `${self}/members` }, linkMethods: { members: 'POST' } },
    });
    assert.deepEqual(ways, [
      { path: self, method: 'GET' },
      { path: `${self}/members`, method: 'POST' },
    ]);
  });
});
