import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { withoutCode } from '../../../src/discovery/contents.ts';
import { recordedExample } from '../../../src/discovery/recorded.ts';
import { mcpToolsOf } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { isTab, slugOf } from '../../../src/protocol/slug.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

interface OpenApi {
  paths: Record<string, Record<string, Described>>;
}
interface Described {
  operationId: string;
  parameters: { name: string; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content: Record<string, Media> }>;
  description: string;
}
interface Media {
  example: unknown;
}
interface Tool {
  name: string;
  inputSchema: { properties: Record<string, unknown> };
}

/** A token is about four bytes; who raises one of these has read what has grown. */
const MOST_BYTES = {
  '/skill.md': 8_000,
  '/docs/start.md': 8_000,
  '/docs/signing.md': 14_000,
  '/docs/errors.md': 11_000,
  '/docs/programs/forum.mjs': 14_500,
  '/openapi.json': 420_000,
};
/** The largest is the briefing, which contains posts, replies, challenges and the greeting. */
const MOST_OF_AN_OPERATION = 28_000;

describe('discovery documents', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  const fetched = (path: string, method = 'GET') => fetch(`${forum.url}${path}`, { method, redirect: 'manual' });
  const json = async <T>(path: string): Promise<T> => (await (await fetched(path)).json()) as T;
  const sorted = (values: Iterable<string>) => [...values].toSorted();

  it('routes and OpenAPI have the same operations', async () => {
    const { routes } = await json<{ routes: { method: string; path: string; operationId: string }[] }>('/routes.json');
    const { paths } = await json<OpenApi>('/openapi.json');
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    assert.deepEqual(sorted(described), sorted(routes.map((r) => `${r.method} ${r.path} ${r.operationId}`)));
    assert.equal(described.length, OPERATIONS.length);
  });

  it('routes name the tools that there are, and the card counts them', async () => {
    const { routes } = await json<{ routes: { mcpTools: string[] }[] }>('/routes.json');
    const { tools } = await json<{ tools: Tool[] }>('/mcp/tools');
    const card = await json<{ toolCount: number; endpoint: string }>('/.well-known/mcp.json');
    const names = [...routes.flatMap(({ mcpTools }) => mcpTools), 'read_docs'];
    assert.deepEqual(sorted(tools.map(({ name }) => name)), sorted(names));
    assert.equal(card.toolCount, tools.length);
    assert.equal((await fetched(card.endpoint)).headers.get('allow'), 'POST');
  });

  it('tell the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    const { info } = await json<{ info: { version: string } }>('/openapi.json');
    const greeting = await json<{ version: string }>('/v1/greeting');
    assert.deepEqual([info.version, greeting.version], [version, version]);
    const changelog = await readFile(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
    assert.match(changelog, new RegExp(String.raw`^## \[${version}\] - \d{4}-\d\d-\d\d$`, 'm'));
  });

  it('a tool takes what its operation takes, under the names of MCP', async () => {
    const { tools } = await json<{ tools: Tool[] }>('/mcp/tools');
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    for (const op of OPERATIONS) {
      for (const { name, input } of mcpToolsOf(op)) {
        const own = Object.keys((input.describe().keys ?? {}) as object);
        const expected = own.map((property) => op.mcpNames?.[property] ?? property);
        assert.deepEqual(sorted(Object.keys(byName.get(name)!.inputSchema.properties)), sorted(expected), name);
      }
    }
    assert.deepEqual(Object.keys(byName.get('search')!.inputSchema.properties).includes('query'), true);
  });

  it('every route that they name is served, and by no other method', async () => {
    for (const op of OPERATIONS) {
      const [path] = recordedExample(op)!.target.split('?');
      const answer = await fetched(path!, 'PATCH');
      assert.equal(answer.status, 405, path);
      assert.ok(answer.headers.get('allow')!.split(', ').includes(op.method), path);
    }
  });

  it('/routes.json checks a method and a path by their syntax alone', async () => {
    const check = (method: string, path: string) =>
      json<{ matched: boolean; route: { operationId: string } | null; params: object; problems: string[] }>(
        `/routes.json?${new URLSearchParams({ method, path })}`,
      );
    const nobody = await check('GET', '/v1/agents/nobody-at-all');
    assert.equal(nobody.matched, true);
    assert.equal(nobody.route?.operationId, 'agent.read');
    assert.deepEqual([nobody.params, nobody.problems], [{ handle: 'nobody-at-all' }, []]);
    assert.equal((await check('HEAD', '/v1/posts')).route?.operationId, 'post.list');
    assert.equal((await check('POST', '/v1/posts/preview')).route?.operationId, 'post.preview');
    const misspelt = await check('GET', '/v1/agents/No');
    assert.equal(misspelt.matched, false);
    assert.match(misspelt.problems[0]!, /^handle does not match/);
    assert.deepEqual((await check('PUT', '/v1/greeting')).problems, ['this path takes GET']);
    assert.deepEqual((await check('POST', '/v1/posts/')).problems, [
      'this path takes GET',
      'postId does not match ^p_[a-z0-9]{25}$',
    ]);
    assert.equal((await check('GET', '/v1/nowhere')).route, null);
  });

  it('/routes.json?method=&path= finds the routes outside /v1', async () => {
    const check = (method: string, path: string) =>
      json<{ matched: boolean; route: object | null; params: object; problems: string[] }>(
        `/routes.json?${new URLSearchParams({ method, path })}`,
      );
    const mcp = await check('POST', '/mcp');
    assert.deepEqual([mcp.matched, mcp.problems], [true, []]);
    assert.deepEqual(mcp.route, {
      method: 'POST',
      path: '/mcp',
      auth: 'optional-signature',
      operationId: 'mcp.message',
      counter: null,
      maxBodyBytes: 524_288,
      mcpTools: [],
    });
    assert.deepEqual((await check('GET', '/mcp')).problems, ['this path takes POST']);
    const outside = [
      '/',
      '/docs',
      '/docs/limits.md',
      '/skill.md',
      '/routes.json',
      '/health',
      '/health/storage',
      '/mcp/tools',
    ];
    for (const path of [
      ...outside,
      '/.well-known/mcp.json',
      '/log/checkpoint',
      '/posts',
      '/robots.txt',
      '/docs/operations/post.create',
    ]) {
      const { matched, route } = await check('HEAD', path);
      assert.deepEqual([matched, (route as { method: string }).method], [true, 'GET'], path);
      assert.deepEqual((await check('DELETE', path)).problems, ['this path takes GET'], path);
    }
    const page = await check('GET', '/a/some-agent');
    assert.deepEqual([page.matched, page.params], [true, { agentIdOrHandle: 'some-agent' }]);
    for (const path of ['/nowhere', '/docs/nowhere', '/mcp/nowhere', '/docs/', '//docs', '/v1']) {
      assert.deepEqual((await check('GET', path)).problems, ['no route has this path'], path);
    }
  });

  it('/routes.json names no counter where nothing is charged', async () => {
    const { routes } = await json<{ routes: { operationId: string; counter: string | null }[] }>('/routes.json');
    const counterOf = (name: string) => routes.find(({ operationId }) => operationId === name)!.counter;
    assert.deepEqual(['vote.recant', 'community.leave'].map(counterOf), [null, null]);
    assert.deepEqual(['vote.cast', 'community.join'].map(counterOf), ['votes', 'communityWrites']);
  });

  it('OpenAPI shows what the service answers to an example of every operation', async () => {
    const { paths } = await json<OpenApi>('/openapi.json');
    for (const op of OPERATIONS) {
      const { parameters, requestBody, responses, description } = paths[op.path]![op.method.toLowerCase()]!;
      const { input, body, answer } = recordedExample(op)!;
      assert.deepEqual(responses[op.status]!.content['application/json']!.example, answer, op.name);
      if (requestBody) assert.deepEqual(requestBody.content['application/json']!.example, body ?? {}, op.name);
      const shown = Object.fromEntries(
        parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
      );
      assert.equal(op.input.validate({ ...shown, ...body }).error, undefined, op.name);
      assert.deepEqual(Object.keys({ ...shown, ...body }).toSorted(), Object.keys(input).toSorted(), op.name);
      assert.equal(/\/docs\/\S+$/.exec(description)![0], `/docs/operations/${op.name}`);
    }
  });

  it('the page is HTML in the frame of the site, which loads nothing from elsewhere', async () => {
    const answer = await fetched('/docs');
    const page = await answer.text();
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(answer.headers.get('content-security-policy')!, /^default-src 'none'/);
    assert.doesNotMatch(page, /\son\w+=|\sstyle=/i);
    for (const [, path] of page.matchAll(/<(?:script|link|img)[^>]*\s(?:src|href)="([^"]*)"/g))
      assert.match(path!, /^\/(?!\/)|^http:\/\/127\.0\.0\.1:8080\//);
    assert.match(page, /<html lang="en">/);
  });

  it('/llms.txt and /llms-full.txt are the same text, indexed', async () => {
    const answers = await Promise.all(['/llms.txt', '/llms-full.txt'].map((path) => fetched(path)));
    const [first, second] = await Promise.all(answers.map((answer) => answer.text()));
    assert.equal(first, second);
    assert.equal(answers[0]!.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(
      first!,
      /^# Agent Forum\n\n> .*\n> .*\n\nUse one key per forum\.[^#]*\n\n## Docs\n\n- \[Start here\]\(\/docs\/start\.md\): \d/,
    );
  });

  it('the root tells newcomers where to go, and redirects nowhere', async () => {
    const answer = await fetched('/');
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /\/docs[\s\S]*\/llms\.txt/);
    assert.equal((await fetched('/', 'POST')).status, 405);
  });

  /** Every Markdown document, by its path. */
  async function markdown(): Promise<Map<string, string>> {
    const index = await (await fetched('/llms.txt')).text();
    const chapters = [...index.matchAll(/^- \[.+\]\((\/docs\/[\w-]+\.md)\): [\d.]+ kB$/gm)].map(([, path]) => path!);
    const operations = OPERATIONS.map(({ name }) => `/docs/operations/${name}.md`);
    const texts = [...chapters, ...operations, '/docs.md', '/docs/contents.md', '/skill.md'].map(async (path) => {
      const answer = await fetched(path);
      assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8', path);
      return [path, await answer.text()] as const;
    });
    return new Map(await Promise.all(texts));
  }

  it('serves the landing page as HTML and as Markdown', async () => {
    const page = await (await fetched('/docs')).text();
    assert.ok(page.includes('<a href="/docs.md">'));
    const landing = await fetched('/docs.md');
    assert.equal(landing.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(await landing.text(), /^# Documentation\n[\s\S]*\n## Reference\n/);
  });

  it('a request that accepts Markdown gets Markdown, and the page links to it', async () => {
    for (const path of ['/docs', '/docs/contents', '/docs/start', '/docs/operations/post.create']) {
      const load = (headers: Record<string, string>) => fetch(`${forum.url}${path}`, { headers });
      const asked = await load({ accept: 'text/markdown, text/html;q=0.5' });
      assert.equal(asked.headers.get('content-type'), 'text/markdown; charset=utf-8', path);
      assert.equal(await asked.text(), await (await fetched(`${path}.md`)).text(), path);
      const etag = asked.headers.get('etag')!;
      assert.equal((await load({ accept: 'text/markdown', 'if-none-match': etag })).status, 304, path);
      const page = await load({ accept: '*/*', 'if-none-match': etag });
      assert.match(await page.text(), new RegExp(`<link rel="alternate" type="text/markdown" href="${path}\\.md"`));
      for (const { headers } of [asked, page]) assert.equal(headers.get('vary'), 'accept-encoding, accept', path);
    }
  });

  it('every chapter and operation is there by itself, for programs and for people', async () => {
    const texts = await markdown();
    assert.ok(texts.size > OPERATIONS.length + 20);
    for (const [path, text] of texts) {
      if (path === '/skill.md') continue;
      const page = await (await fetched(path.slice(0, -'.md'.length))).text();
      const [, title] = /^# (.+)\n/.exec(text)!;
      assert.ok(page.includes(`<title>${title} · Agent Forum</title>`), path);
      assert.ok(page.includes(`<a href="${path}">`), path);
    }
  });

  it('their links lead somewhere, to the section that they name', async () => {
    const texts = await markdown();
    const sections = new Map(
      [...texts].map(([path, text]) => [
        path,
        [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) => slugOf(title!)),
      ]),
    );
    const statuses = new Map<string, number>();
    const statusOf = async (path: string) => {
      const status = statuses.get(path) ?? (await fetched(path)).status;
      statuses.set(path, status);
      return status;
    };
    for (const [from, text] of texts) {
      for (const [, path, section] of withoutCode(text).matchAll(/\]\(([^)#\s]*)(?:#([\w-]+))?\)/g)) {
        if (/^https?:/.test(path!)) continue;
        const target = path === '' ? from : path!;
        if (section) assert.ok(sections.get(target)?.includes(section), `${from}: ${target}#${section}`);
        else assert.equal(await statusOf(target), 200, `${from}: ${target}`);
      }
    }
  });

  it('have contents with every section, and an index of the same that a browser may keep for ever', async () => {
    const texts = await markdown();
    const contents = texts.get('/docs/contents.md')!;
    const listed = [...contents.matchAll(/\]\((\/docs\/[\w./-]+)\.md(#[\w-]+)?\)/g)].map(
      ([, path, place = '']) => path + place,
    );
    const page = await (await fetched('/docs/errors')).text();
    const answer = await fetched(/data-search="([^"]+)"/.exec(page)![1]!);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const index = (await answer.json()) as [path: string, title: string, chapter: string, words: string][];
    assert.deepEqual(
      index.map(([path]) => path),
      listed,
    );
    for (const [path, text] of texts) {
      if (!/^\/docs\/(?!contents|reference)[\w-]+\.md$/.test(path)) continue;
      for (const [, marks, title] of withoutCode(text).matchAll(/^(##{1,2}) (.+)$/gm)) {
        if (isTab(marks!.length, title!)) continue;
        assert.ok(listed.includes(`${path.slice(0, -'.md'.length)}#${slugOf(title!)}`), `${path}: ${title}`);
      }
    }
    assert.match(index.find(([path]) => path === '/docs/errors#order-of-refusals')![3], /\bsignature\b/);
  });

  it('stay as small as readers need them', async () => {
    const size = async (path: string) => Buffer.byteLength(await (await fetched(path)).text());
    for (const [path, bytes] of Object.entries(MOST_BYTES))
      assert.ok((await size(path)) <= bytes, `${path}: ${await size(path)}`);
    for (const { name } of OPERATIONS) {
      assert.ok((await size(`/docs/operations/${name}.md`)) <= MOST_OF_AN_OPERATION, name);
    }
  });
});
