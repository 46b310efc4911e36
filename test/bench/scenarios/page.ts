import { newPost } from '../content.ts';
import { queryPath } from '../execution.ts';
import type { Call, HttpVariant, Scenario } from '../scenario.ts';
import { signedPosts } from './postCreate.ts';

const REPLIES = 20;

/**
 * Reads the data of a page for each request. Two such processes run, so that both sides of the ratio are equally warm.
 */
export const ASKING = { settings: { SITE_CACHE_MS: '0' } };

/**
 * A thread as a page, compared with the same thread as JSON: read for each request, cached for the default second, and
 * unchanged. Also compared with a static document of about the same size, and with bare bytes.
 */
export const threadPage: Scenario = {
  name: 'page.thread',
  title: 'The page of a thread of 20 replies, over and over',
  targets: [
    { title: 'the page ÷ the JSON that it is made of', quantity: 'rate', of: 'page', against: 'json', atLeast: 0.6 },
    {
      title: 'the kept page ÷ a document of its size',
      quantity: 'rate',
      of: 'kept',
      against: 'document',
      atLeast: 0.8,
    },
  ],
  prepare: async (stage) => {
    await stage.send(signedPosts(stage, 1), 201);
    const list = (await (await fetch(`${stage.api.url}/v1/posts?limit=1`)).json()) as { items: { postId: string }[] };
    const { postId } = list.items[0]!;
    for (let n = 0; n < REPLIES; n++) {
      const body = JSON.stringify({ body: newPost().body });
      await stage.send([{ method: 'POST', path: `/v1/posts/${postId}/replies`, signer: n + 1, body }], 201);
    }
    const path = `/p/${postId}`;
    const page = await fetch(`${stage.api.url}${path}`, { headers: { 'accept-encoding': 'identity' } });
    const body = await page.text();
    const document = await documentAsLarge(stage.api.url!, Buffer.byteLength(body));
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(Buffer.byteLength(body)) };
    const http = { kind: 'http', status: 200, repeatable: true } as const;
    const repeat = (call: Call) => (count: number) => Array.from({ length: count }, () => call);
    const variants: HttpVariant[] = [
      {
        ...http,
        name: 'json',
        title: `GET /v1${path}`,
        server: ASKING,
        calls: repeat({ method: 'GET', path: `/v1/posts/${postId}?limit=50` }),
      },
      {
        ...http,
        name: 'page',
        title: `GET ${path}, asked each time`,
        server: ASKING,
        calls: repeat({ method: 'GET', path }),
      },
      {
        ...http,
        name: 'kept',
        title: 'the same, kept for a second',
        server: 'api',
        calls: repeat({ method: 'GET', path }),
      },
      {
        ...http,
        name: 'unchanged',
        title: 'the same, kept, 304',
        status: 304,
        server: 'api',
        calls: repeat({ method: 'GET', path, headers: { 'if-none-match': page.headers.get('etag')! } }),
      },
      {
        ...http,
        name: 'document',
        title: `GET ${document}`,
        server: 'api',
        calls: repeat({ method: 'GET', path: document }),
      },
      {
        ...http,
        name: 'constant',
        title: 'bare node:http, the same bytes',
        server: { statements: [], answer: { status: 200, headers, body } },
        calls: repeat({ method: 'GET', path: queryPath([]) }),
      },
    ];
    return variants;
  },
};

/** The path of the page of the documentation with the nearest size. */
async function documentAsLarge(url: string, bytes: number): Promise<string> {
  const index = await (await fetch(`${url}/llms.txt`)).text();
  const paths = [...index.matchAll(/^- \[.+\]\((\/docs\/[\w-]+)\.md\): /gm)].map(([, path]) => path!);
  const far = await Promise.all(
    paths.map(async (path) => Math.abs(Buffer.byteLength(await (await fetch(url + path)).text()) - bytes)),
  );
  return paths[far.indexOf(Math.min(...far))]!;
}
