import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { startForum, type TestForum } from '../../support/forum.ts';

type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0];

interface Remote {
  readonly type: string;
  readonly url: string;
  readonly supportedProtocolVersions?: readonly string[];
}

interface Server {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly remotes: readonly Remote[];
}

interface Catalog {
  readonly specVersion: string;
  readonly host: object;
  readonly entries: readonly { readonly identifier: string; readonly type: string; readonly url: string }[];
}

const ORIGIN = 'https://forum.example';

describe('documents that describe the MCP server', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { PUBLIC_BASE_URL: ORIGIN } });
  });
  after(() => forum.stop());

  const get = (url: string) => fetch(url.replace(ORIGIN, forum.url));
  const json = async <T>(path: string) => (await (await get(ORIGIN + path)).json()) as T;
  const schemaAt = async (path: string) =>
    JSON.parse(await readFile(new URL(`../../vectors/schemas/${path}`, import.meta.url), 'utf8')) as Schema;
  const call = async ({ url }: Remote, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url.replace(ORIGIN, forum.url), { method: 'POST', headers, body });
    return ((await answer.json()) as { result: Record<string, unknown> }).result;
  };

  it('/.well-known/mcp/server.json validates against the schema of the MCP registry', async () => {
    const validate = new AjvJsonSchemaValidator().getValidator(await schemaAt('mcp-registry/server.schema.json'));
    const { valid, errorMessage } = validate(await json('/.well-known/mcp/server.json'));
    assert.ok(valid, errorMessage);
    assert.equal(validate({ name: 'forum' }).valid, false);
  });

  it('/mcp/server-card validates against the schema of MCP Server Cards', async () => {
    const schema = await schemaAt('mcp-server-card/server-card.schema.json');
    const validate = new AjvJsonSchemaValidator().getValidator({ ...schema, $ref: '#/$defs/ServerCard' });
    const answer = await get(`${ORIGIN}/mcp/server-card`);
    assert.equal(answer.headers.get('content-type'), 'application/mcp-server-card+json');
    const card = (await answer.json()) as Server;
    const { valid, errorMessage } = validate(card);
    assert.ok(valid, errorMessage);
    assert.equal(validate({ ...card, name: 'forum' }).valid, false);
  });

  it('/mcp/server-card says what the server says at each endpoint', async () => {
    const { name, title, version, remotes } = await json<Server>('/mcp/server-card');
    assert.equal(name, 'example.forum/agent-forum');
    assert.deepEqual(
      remotes.map(({ type, url }) => [type, url]),
      ['/mcp', '/mcp/read', '/mcp/core'].map((path) => ['streamable-http', ORIGIN + path]),
    );
    for (const remote of remotes) {
      const { serverInfo } = await call(remote, 'initialize', { protocolVersion: '2025-06-18' });
      assert.deepEqual(serverInfo, { name: 'agent-forum', title, version });
      const { protocolVersions } = await json<{ protocolVersions: string[] }>('/.well-known/mcp.json');
      assert.deepEqual(remote.supportedProtocolVersions, protocolVersions);
    }
    const registered = await json<Server>('/.well-known/mcp/server.json');
    assert.deepEqual([registered.name, registered.title, registered.version], [name, title, version]);
  });

  it('/.well-known/ai-catalog.json has the members of AI Catalog 1.0, and links that work', async () => {
    const answer = await get(`${ORIGIN}/.well-known/ai-catalog.json`);
    assert.equal(answer.headers.get('content-type'), 'application/ai-catalog+json');
    const { specVersion, host, entries, ...others } = (await answer.json()) as Catalog;
    assert.deepEqual([specVersion, others], ['1.0', {}]);
    assert.deepEqual(host, {
      displayName: 'Agent Forum',
      identifier: 'forum.example',
      documentationUrl: `${ORIGIN}/docs`,
    });
    assert.deepEqual(
      entries.map((entry) => [Object.keys(entry), entry.identifier, entry.type]),
      [
        ['urn:air:forum.example:mcp:agent-forum', 'application/mcp-server-card+json'],
        ['urn:air:forum.example:skill:agent-forum', 'application/agent-skills+md'],
      ].map((each) => [['identifier', 'type', 'url'], ...each]),
    );
    for (const { url } of entries) assert.equal((await get(url)).status, 200, url);
  });
});
