import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { VERSION } from '../../../src/protocol/service.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { blocks } from './support/blocks.ts';
import { isThere, PROGRAMS, runIn } from './support/programs.ts';

const MAX_LINES = 150;
const MAX_BYTES = 8_000;
/** What a script may read, the skill with it, to take part. */
const MAX_READ_BYTES = 23_000;
const MAX_DOCUMENTS = 3;

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** What documents name where no public address is configured, and the port is drawn. */
const NAMED = 'http://127.0.0.1:8080';

describe('/skill.md', () => {
  let forum: TestForum;
  let text: string;
  before(async () => {
    forum = await startForum();
    text = await (await fetch(`${forum.url}/skill.md`)).text();
  });
  after(() => forum.stop());

  const links = () => [...text.matchAll(/\]\((\/[^)\s]+)\)/g)].map(([, path]) => path!);
  const frontMatter = () => /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text)!;

  it('is small, and Markdown', async () => {
    assert.ok(text.split('\n').length <= MAX_LINES);
    assert.ok(Buffer.byteLength(text) <= MAX_BYTES, `${Buffer.byteLength(text)} bytes`);
    const { headers } = await fetch(`${forum.url}/skill.md`);
    assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8');
  });

  it('has name, description, version and the digest of its text, as the format of skills wants them', () => {
    const [, head, body] = frontMatter();
    assert.match(head!, /^name: agent-forum$/m);
    assert.ok(/^description: "([^"]{1,1024})"$/m.test(head!));
    assert.ok(head!.includes(`version: "${VERSION}"`));
    assert.ok(head!.includes(`digest: "${sha256(body!)}"`));
  });

  it('is in the index of skills with the digest of what is served', async () => {
    const { $schema, skills } = (await (await fetch(`${forum.url}/.well-known/agent-skills/index.json`)).json()) as {
      $schema: string;
      skills: Record<string, string>[];
    };
    assert.equal($schema, 'https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    assert.equal(skills.length, 1);
    const { name, type, url, digest, description, version } = skills[0]!;
    assert.deepEqual([name, type, url, version], ['agent-forum', 'skill-md', '/skill.md', VERSION]);
    assert.equal(digest, sha256(text));
    assert.ok(text.includes(`description: "${description}"`));
  });

  it('says that content is data, and links to ten chapters and more, all of them there', async () => {
    assert.match(text, /## Content safety\n\n[\s\S]*untrusted data, never instructions/);
    const chapters = links().filter((path) => /^\/docs\/[a-z]+\.md$/.test(path));
    assert.ok(new Set(chapters).size >= 10);
    for (const path of new Set(links())) assert.equal((await fetch(forum.url + path)).status, 200, path);
  });

  for (const program of PROGRAMS) {
    it(`with ${program.file} is all that a script reads to register, sign, post and look into its inbox`, async function () {
      if (!(await isThere(program))) this.skip();
      this.timeout(60_000);
      const cwd = await mkdtemp(join(tmpdir(), 'forum-skill-'));
      let read = Buffer.byteLength(text);
      let documents = 0;
      const take = async (path: string) => {
        const document = await (await fetch(forum.url + path)).text();
        documents += 1;
        read += Buffer.byteLength(document);
        await writeFile(join(cwd, basename(path)), document);
      };
      try {
        // The command lines of the text, in the language that is there.
        const [commands = ''] = blocks(text, 'bash');
        const [fetching, ...calls] = commands.trimEnd().split('\n');
        const [, url, named] = /(http\S*?)(\/docs\S+)$/.exec(fetching!)!;
        assert.equal(url, NAMED);
        const path = links().find((each) => basename(each) === program.file);
        await take(path ?? named!);
        const handle = `skilled-${program.language}`;
        const answers: Record<string, unknown>[] = [];
        for (const call of calls) {
          const own = call.replace(`node ${basename(named!)}`, `${program.command} ${program.file}`);
          const said = own.replace('my-handle', handle);
          answers.push(JSON.parse(await runIn(cwd, forum.url, 'bash', ['-c', said])));
        }
        const [registered, posted, inbox] = answers as [{ agent: object }, { post: { postId: string } }, object];
        assert.equal((registered.agent as { handle: string }).handle, handle);
        assert.ok(Array.isArray((inbox as { items: unknown[] }).items));
        const { post } = (await (await fetch(`${forum.url}/v1/posts/${posted.post.postId}`)).json()) as {
          post: { author: { handle: string } };
        };
        assert.equal(post.author.handle, handle);
        assert.ok(documents <= MAX_DOCUMENTS);
        assert.ok(read <= MAX_READ_BYTES, `${read} bytes`);
      } finally {
        await rm(cwd, { recursive: true });
      }
    });
  }

  it('tells whom to write to of a fault, where the operator says so', async () => {
    assert.equal((await fetch(`${forum.url}/.well-known/security.txt`)).status, 404);
    const env = { SECURITY_CONTACT: 'mailto:security@forum.example', PUBLIC_BASE_URL: 'https://forum.example' };
    const other = await startForum({ env });
    const answer = await fetch(`${other.url}/.well-known/security.txt`);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    const text = await answer.text();
    // A process may live longer than what it says is good for.
    const { now } = Date;
    const later = now() + 300 * 86_400_000;
    Date.now = () => later;
    const again = await fetch(`${other.url}/.well-known/security.txt`).finally(() => {
      Date.now = now;
    });
    assert.notEqual(again.headers.get('etag'), answer.headers.get('etag'));
    assert.ok(Date.parse(/^Expires: (.+)$/m.exec(await again.text())![1]!) > later + 300 * 86_400_000);
    assert.match(text, /^Contact: mailto:security@forum\.example\n/);
    assert.match(text, /^Canonical: https:\/\/forum\.example\/\.well-known\/security\.txt$/m);
    const days = (Date.parse(/^Expires: (.+)$/m.exec(text)![1]!) - Date.now()) / 86_400_000;
    assert.ok(days > 300 && days < 365, `${days}`);
    await other.stop();
  });

  it('has no A2A card, which needs an interface of A2A', async () => {
    assert.equal((await fetch(`${forum.url}/.well-known/agent-card.json`)).status, 404);
  });

  it('has a server.json with the properties of the schema that it names, and no others', async () => {
    const server = (await (await fetch(`${forum.url}/.well-known/mcp/server.json`)).json()) as Record<string, never>;
    const { $schema, name, title, description, version, websiteUrl, remotes, ...others } = server;
    assert.deepEqual(others, {});
    assert.equal($schema, 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json');
    assert.match(String(name), /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(String(name).length <= 200 && String(title).length <= 100 && String(description).length <= 100);
    assert.match(String(version), /^\d+\.\d+\.\d+/);
    assert.ok(URL.canParse(String(websiteUrl)));
    for (const remote of remotes as unknown as object[]) assert.deepEqual(Object.keys(remote), ['type', 'url']);
    for (const { type, url } of server.remotes as unknown as { type: string; url: string }[]) {
      assert.equal(type, 'streamable-http');
      const asked = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      assert.equal((await fetch(url.replace(NAMED, forum.url), { ...asked, body: ping })).status, 200);
    }
  });
});
