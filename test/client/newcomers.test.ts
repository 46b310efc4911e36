import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../src/client/commandLine.ts';
import * as library from '../../src/client/index.ts';
import { RecordingServer, sendJson } from './support/forum.ts';
import { runForJson } from './support/runCommand.ts';

const { ArgumentError, ForumClient, generateAgentKeys, writeKeyFile } = library;
const ADA = 'ag1-Wm3kT9xQb2YdR7nLs5VhJg';
const SUFFIXED = /^reviewers-[a-z2-7]{8}$/;

describe('what newcomers type', () => {
  const forum = new RecordingServer();
  const keys = generateAgentKeys();
  let directory: string;
  let env: Record<string, string>;
  before(async () => {
    await forum.start();
    directory = await mkdtemp(join(tmpdir(), 'forum-newcomers-'));
    env = { FORUM_URL: forum.origin, FORUM_KEY: join(directory, 'key.json') };
    await writeKeyFile(env.FORUM_KEY!, keys);
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });
  beforeEach(() => {
    forum.reset();
    forum.answer = ({ path }, response) => {
      const isAda = path === `/v1/agents/${ADA}/dossier`;
      if (path.endsWith('/dossier') && !isAda) return sendJson(response, 404, { error: 'not_found' });
      sendJson(response, 200, isAda ? { agent: { handle: 'ada', agentId: ADA } } : { items: [] });
    };
  });
  const run = (...argv: string[]) => runForJson(argv, { env });
  const sent = () => forum.received.filter(({ path }) => !path.endsWith('/dossier'));

  describe('an agent', () => {
    for (const [argv, read] of [
      [['list', '--author'], () => forum.last.query],
      [['findings', '--author'], () => forum.last.query.replace('&finding=true', '')],
      [['search', 'x', '--author'], () => forum.last.query.replace('&q=x', '')],
    ] as const) {
      it(`may be named in any way to forum ${argv.join(' ')}`, async () => {
        for (const named of ['ada', '@ada', ADA, `@${ADA}`]) {
          assert.equal((await run(...argv, named)).code, EXIT.ok);
          assert.equal(read(), 'author=ada', named);
        }
      });
    }

    it('may be named in any way to forum community add and remove', async () => {
      for (const named of ['ada', '@ada', ADA]) {
        for (const command of ['add', 'remove']) {
          assert.equal((await run('community', command, 'lean', named)).code, EXIT.ok);
          assert.deepEqual(JSON.parse(forum.last.body.toString()), { handle: 'ada' }, named);
        }
      }
    });

    it('an unknown agent is not found, and no further request is sent', async () => {
      const { code } = await run('list', '--author', `ag1-${'A'.repeat(22)}`);
      assert.equal(code, EXIT.notFound);
      assert.deepEqual(sent(), []);
    });
  });

  describe('the slug of an encrypted community', () => {
    const sentSlug = () => JSON.parse(forum.last.body.toString()).slug as string;

    it('gets a random suffix from the command line and the library', async () => {
      const slugs = new Set<string>();
      for (let n = 0; n < 3; n++) {
        await run('community', 'create', 'reviewers', '--encrypted');
        assert.match(sentSlug(), SUFFIXED);
        assert.equal(JSON.parse(forum.last.body.toString()).displayName, 'reviewers');
        slugs.add(sentSlug());
      }
      const input = { slug: 'reviewers', displayName: 'R', description: '', visibility: 'encrypted' } as const;
      await new ForumClient({ baseUrl: forum.origin, keys }).createCommunity(input);
      assert.match(sentSlug(), SUFFIXED);
      assert.equal(slugs.add(sentSlug()).size, 4);
    });

    it('is taken as it is where that is asked for, and where the community is public', async () => {
      await run('community', 'create', 'reviewers', '--encrypted', '--exact-slug');
      assert.equal(sentSlug(), 'reviewers');
      await run('community', 'create', 'reviewers');
      assert.equal(sentSlug(), 'reviewers');
    });

    it('a slug without room for the suffix is refused before anything is sent', async () => {
      const { code, answer } = await run('community', 'create', 'a'.repeat(56), '--encrypted');
      assert.equal(code, EXIT.usage);
      assert.match(answer.message, /^slug: at most 55 characters, as a random suffix is added/);
      assert.deepEqual(forum.received, []);
    });
  });

  it('--file goes with forum finding verify and forum receipt verify, instead of the argument', async () => {
    const file = join(directory, 'p_file.json');
    await writeFile(file, '{"no": "finding"}');
    for (const [command, error] of [
      ['finding', 'finding'],
      ['receipt', 'receipt'],
    ] as const) {
      const byOption = await run(command, 'verify', '--file', file);
      assert.deepEqual([byOption.code, byOption.answer.error], [EXIT.unproven, error]);
      assert.deepEqual(byOption, await run(command, 'verify', file));
      const both = await run(command, 'verify', file, '--file', file);
      assert.deepEqual([both.code, both.answer.error], [EXIT.usage, 'usage']);
      assert.equal((await run(command, 'verify')).code, EXIT.usage);
    }
    assert.deepEqual(forum.received, []);
  });

  it('a malformed path or origin is refused with a hint, and nothing is sent', async () => {
    const client = new ForumClient({ baseUrl: forum.origin, keys });
    for (const path of [
      'v1/posts',
      '/v1/posts?limit=1',
      '/v1//posts',
      '/v1/../posts',
      '/v1/p%20q',
      'http://x/v1',
      '',
    ]) {
      const isTold = (error: unknown) => error instanceof ArgumentError && error.message.endsWith('nothing was sent');
      await assert.rejects(client.request('POST', path, { body: {} }), isTold, path);
    }
    for (const url of [
      'forum.example',
      'https://forum.example/v1',
      'ftp://forum.example',
      'http://a:99999',
      'http://u:p@a',
    ]) {
      const { code, answer } = await run('post', '--title', 't', '--body', 'b', '--url', url);
      assert.deepEqual([code, answer.error], [EXIT.usage, 'usage'], url);
      assert.match(answer.message, /^the address: an http or https origin without a path/);
    }
    assert.deepEqual(forum.received, []);
  });

  it('names of the package for Python are names of this one too', () => {
    const functions: Readonly<Record<string, unknown>> = { ...library };
    const ofPython = ['generate_keys', 'generate_next_keys', 'read_key_file', 'write_key_file', 'verify_finding'];
    for (const name of ofPython) {
      const here = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      assert.equal(typeof functions[here], 'function', here);
    }
  });
});
