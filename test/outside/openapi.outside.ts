import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ForumClient, generateAgentKeys, writeKeyFile } from '../../src/client/index.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { makeWorkplace, runTool } from './support/tools.ts';

const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
};

/** Each generator, what it is called with, and a program that uses what it makes, with the types by their names. */
const GENERATORS = [
  {
    tool: 'openapi-typescript',
    args: ['openapi.json', '-o', 'made/forum.ts'],
    program: `import createClient from 'openapi-fetch';
import type { components, paths } from './made/forum';

type Post = components['schemas']['Post'];
export const titleOf = ({ title, author }: Post): string => title + author.handle;
export async function post(baseUrl: string, fetch: typeof globalThis.fetch): Promise<Post> {
  const forum = createClient<paths>({ baseUrl, fetch });
  const { data } = await forum.POST('/v1/posts', { body: { title: 'openapi-typescript', body: 'b' } });
  return data!.post;
}
`,
  },
  {
    tool: 'openapi-ts',
    args: ['-i', 'openapi.json', '-o', 'made', '-c', '@hey-api/client-fetch'],
    program: `import { type Challenge, type Post, postCreate } from './made';
import { client } from './made/client.gen';

export const stateOf = ({ state }: Challenge): 'declared' | 'open' | 'scoring_due' | 'scored' | 'void' => state;
export async function post(baseUrl: string, fetch: typeof globalThis.fetch): Promise<Post> {
  client.setConfig({ baseUrl, fetch });
  const { data } = await postCreate({ body: { title: 'openapi-ts', body: 'b' }, throwOnError: true });
  return data.post;
}
`,
  },
  {
    tool: 'orval',
    args: ['--input', 'openapi.json', '--output', 'made/forum.ts', '--client', 'fetch'],
    program: `import { type Agent, type Post, postCreate } from './made/forum';

export const handleOf = ({ handle }: Agent): string => handle;
export async function post(_baseUrl: string, fetch: typeof globalThis.fetch): Promise<Post> {
  globalThis.fetch = fetch;
  const { data, status } = await postCreate({ title: 'orval', body: 'b' });
  if (status !== 201) throw new Error(String(status));
  return data.post;
}
`,
  },
];

describe('/openapi.json before the tools of others', function () {
  this.timeout(300_000);
  let forum: TestForum;
  let workplace: string;
  before(async () => {
    forum = await startForum({ env: { PUBLIC_BASE_URL: 'https://forum.example' } });
    workplace = await makeWorkplace();
    await writeFile(join(workplace, 'openapi.json'), await (await fetch(`${forum.url}/openapi.json`)).text());
    await writeFile(join(workplace, '.spectral.json'), '{"extends": ["spectral:oas"]}');
  });
  after(async () => {
    await forum.stop();
    await rm(workplace, { recursive: true });
  });

  const succeeds = async (tool: string, ...args: string[]): Promise<string> => {
    const { failed, output } = await runTool(tool, args, workplace);
    assert.ok(!failed, output);
    return output;
  };

  it('Redocly reports nothing', async () => {
    const output = await succeeds('redocly', 'lint', 'openapi.json', '--extends', 'recommended-strict');
    assert.doesNotMatch(output, /warning|error/i);
  });

  it('Spectral reports nothing', async () => {
    const output = await succeeds('spectral', 'lint', 'openapi.json', '--fail-severity', 'hint');
    assert.match(output, /No results/);
  });
});

describe('clients made from /openapi.json', function () {
  this.timeout(300_000);
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  for (const { tool, args, program } of GENERATORS) {
    it(`by ${tool} compile strictly, with named types, and post through the fetch that signs`, async () => {
      const workplace = await makeWorkplace();
      const compile = { compilerOptions: { ...COMPILER_OPTIONS, outDir: 'out' }, include: ['use.ts', 'made'] };
      const described = (await (await fetch(`${forum.url}/openapi.json`)).json()) as { servers: object[] };
      const files = {
        'openapi.json': JSON.stringify({ ...described, servers: [{ url: forum.url }] }),
        'tsconfig.json': JSON.stringify(compile),
        'package.json': '{"type": "module"}',
        'use.ts': program,
      };
      for (const [name, text] of Object.entries(files)) await writeFile(join(workplace, name), text);
      for (const [name, given] of [
        [tool, args],
        ['tsc', []],
      ] as const) {
        const { failed, output } = await runTool(name, given, workplace);
        assert.ok(!failed, output);
      }
      assert.equal(await posted(workplace, tool), tool);
      await rm(workplace, { recursive: true });
    });
  }

  /** Bundles what was made and has an agent of its own post with it; answers the title. */
  async function posted(workplace: string, handle: string): Promise<string> {
    const keys = generateAgentKeys();
    await writeKeyFile(join(workplace, 'key.json'), keys);
    await new ForumClient({ baseUrl: forum.url, keys }).register({
      handle,
      displayName: handle,
      description: '',
      purpose: 'testing',
    });
    const main = `import { readKeyFile, signingFetch } from '${resolve('src/client/index.ts')}';
import { post } from './bundle.mjs';
const baseUrl = '${forum.url}';
const { title } = await post(baseUrl, signingFetch({ baseUrl, keys: await readKeyFile('key.json') }));
console.log(title);
`;
    await writeFile(join(workplace, 'main.mjs'), main);
    const bundling = [
      'use.ts',
      '--bundle',
      '--format=esm',
      '--platform=node',
      '--outfile=bundle.mjs',
      '--log-level=error',
    ];
    const bundled = await runTool('esbuild', bundling, workplace);
    assert.ok(!bundled.failed, bundled.output);
    const { failed, stdout, output } = await runTool(join(workplace, 'main.mjs'), [], workplace);
    assert.ok(!failed, output);
    return stdout.trim();
  }
});
