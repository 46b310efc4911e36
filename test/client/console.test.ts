import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, runCommandLine } from '../../src/client/commandLine.ts';
import { agentIdOf, generateAgentKeys, writeKeyFile } from '../../src/client/index.ts';
import { accepted, assertModeration } from '../features/governance/moderation/support/scenes.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { brokenTags, elementsOf } from '../web/support/markup.ts';
import { runCommand } from './support/runCommand.ts';

const MARKUP = `\u202E</pre></title><script>window.hit=1</script><img src=x onerror="window.hit=1">'"&`;

interface Shown {
  readonly status: number;
  readonly url: string;
  readonly text: string;
}

interface RunningConsole {
  readonly url: string;
  get(path: string): Promise<Shown>;
  /** Submits the form of a page as a browser does, with other values for some of its fields. */
  submit(page: Shown, name: string, values?: Record<string, string | readonly string[]>): Promise<Shown>;
  stop(): Promise<void>;
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** The fields of a form with the values that a browser would send. */
function fieldsOf(text: string, name: string): URLSearchParams {
  const [, inside] = new RegExp(`<form method="post" action="${name}"[^>]*>(.*?)</form>`, 's').exec(text) ?? [];
  assert.ok(inside !== undefined, `no form ${name}`);
  const fields = new URLSearchParams();
  for (const { name: element, attributes } of elementsOf(inside)) {
    const isChosen = !['radio', 'checkbox'].includes(attributes.get('type') ?? '') || attributes.has('checked');
    if (element === 'input' && isChosen)
      fields.append(attributes.get('name')!, unescaped(attributes.get('value') ?? ''));
  }
  return fields;
}

describe('forum operator serve', () => {
  let forum: TestForum;
  let directory: string;
  let ada: TestAgent;
  let bob: TestAgent;
  let operator: RunningConsole;
  const key = (name: string) => join(directory, `${name}.json`);
  const env = () => ({ FORUM_URL: forum.url, HOME: directory });

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-console-'));
    const keys = generateAgentKeys();
    await writeKeyFile(key('operator'), keys);
    // A grant calls no vendor.
    const meter = { METER_ENABLED: 'true', METER_VENDOR_BASE_URL: 'http://127.0.0.1:1', METER_VENDOR_API_KEY: 'none' };
    forum = await startForum({ env: { OPERATOR_AGENT_ID: agentIdOf(keys), ...meter }, workers: true });
    await register('operator', 'the-boss');
    [ada, bob] = [await forum.agent(), await forum.agent()];
    operator = await serve('operator');
  });
  after(async () => {
    await operator.stop();
    await assertModeration(forum);
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function register(name: string, handle: string): Promise<void> {
    const { code, stderr } = await runCommand(['register', handle, '--purpose', 'p', '--key', key(name)], {
      env: env(),
    });
    assert.equal(code, EXIT.ok, stderr);
  }

  async function serve(name: string): Promise<RunningConsole> {
    const stopped = new AbortController();
    let tell = (_text: string): void => undefined;
    const told = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const ended = runCommandLine(['operator', 'serve', '--key', key(name)], {
      env: env(),
      readStdin: async () => '',
      writeStdout: tell,
      writeStderr: tell,
      interrupted: stopped.signal,
    });
    const { console: url } = JSON.parse(await told);
    const { origin } = new URL(url);
    const load = async (address: string, init?: RequestInit): Promise<Shown> => {
      const response = await fetch(new URL(address, url), init);
      return { status: response.status, url: response.url, text: await response.text() };
    };
    return {
      url,
      get: load,
      submit(page, form, values = {}) {
        const body = fieldsOf(page.text, form);
        for (const [field, value] of Object.entries(values)) {
          body.delete(field);
          for (const each of [value].flat()) body.append(field, each);
        }
        return load(form, { method: 'POST', body, headers: { origin } });
      },
      async stop() {
        stopped.abort();
        assert.equal(await ended, EXIT.ok);
      },
    };
  }

  const post = async (author: TestAgent, title: string): Promise<string> =>
    accepted(await author.post('/v1/posts', { title, body: MARKUP })).post.postId;
  const report = async (by: TestAgent, targetId: string, details: string): Promise<string> =>
    accepted(await by.post('/v1/reports', { targetType: 'post', targetId, category: 'spam', details })).reportId;
  /** The address of a moderation action in the row of a target. */
  const linkIn = (page: Shown, id: string, keyOfAction: string): string => {
    const row = page.text.slice(page.text.indexOf(`<li id="${id}"`)).split('</li>')[0]!;
    const link = elementsOf(row).find(({ attributes }) => attributes.get('data-key') === keyOfAction);
    assert.ok(link, `no action ${keyOfAction} on ${id}`);
    return unescaped(link.attributes.get('href')!);
  };

  it('groups reports by target, and dismisses those of a target with one form', async () => {
    const postId = await post(ada, 'Reported twice');
    const ids = [await report(bob, postId, 'It is spam'), await report(await forum.agent(), postId, 'Again')];
    const queue = await operator.get('reports');
    assert.match(queue.text, new RegExp(`<li id="${postId}".*?<b>2</b> reports.*?Reported twice`, 's'));
    const page = await operator.get(linkIn(queue, postId, 'd'));
    assert.ok(page.text.includes('It is spam') && page.text.includes(bob.handle), 'the details and the reporter');
    const done = await operator.submit(page, 'target');
    assert.match(done.text, /Dismissed the reports on the post “Reported twice”.*?2 open<.*?2 dismissed</s);
    assert.doesNotMatch(done.text, new RegExp(`<li id="${postId}"`));
    const rows = await forum.rows('SELECT status FROM reports WHERE report_id = ANY ($1)', [ids]);
    assert.deepEqual(rows, [{ status: 'dismissed' }, { status: 'dismissed' }]);
  });

  it('removes a post with a reason that its public page shows, and restores it', async () => {
    const postId = await post(ada, 'To remove');
    await report(bob, postId, 'Spam');
    const page = await operator.get(linkIn(await operator.get('reports'), postId, 'r'));
    const done = await operator.submit(page, 'target', { own: 'Karma is not for sale.' });
    assert.match(done.text, /Removed the post “To remove”.*?<td dir="auto">public<.*?<td dir="auto">not public</s);
    const publicPage = async () => {
      const response = await fetch(`${forum.url}/p/${postId}`, { headers: { accept: 'text/html' } });
      return { status: response.status, text: await response.text() };
    };
    const removed = await publicPage();
    assert.equal(removed.status, 404);
    assert.ok(removed.text.includes('Karma is not for sale.'));
    await operator.submit(await operator.get(`target?type=post&id=${postId}`), 'target');
    assert.equal((await publicPage()).status, 200);
  });

  it('shows the newer version when a review is stale, keeps its text, and accepts it then', async () => {
    const filed = { kind: 'bug', title: 'Slow search', body: 'It takes long' };
    const { feedbackId } = accepted(await ada.post('/v1/feedback', filed)).feedback;
    const page = await operator.get(`feedback?id=${feedbackId}`);
    const review = { status: 'planned', rationale: 'Next month' };
    assert.equal((await operator.submit(page, 'feedback', { status: 'reviewing', rationale: 'First' })).status, 200);
    const stale = await operator.submit(page, 'feedback', review);
    assert.equal(stale.status, 409);
    assert.match(stale.text, /You read version 1; this is version 2\..*?First.*?>Next month<\/textarea>/s);
    const done = await operator.submit(stale, 'feedback', review);
    assert.match(done.text, /reviewing<.*?planned</s);
    assert.equal((await ada.get(`/v1/feedback/${feedbackId}`)).body.version, 3);
  });

  it('removes the marked texts of an agent since a time', async () => {
    const spammer = await forum.agent();
    const [kept, removed] = [await post(spammer, 'Kept'), await post(spammer, 'Removed')];
    const since = new Date(forum.api.clock.now() - 60_000).toISOString();
    const page = await operator.get(`bulk?by=${spammer.handle}&since=${since}`);
    const done = await operator.submit(page, 'bulk', { target: [`post ${removed}`] });
    assert.ok(done.text.includes(`Removed 1\u00A0text by @${spammer.handle}.`), done.text);
    assert.deepEqual(
      [(await ada.get(`/v1/posts/${kept}`)).status, (await ada.get(`/v1/posts/${removed}`)).status],
      [200, 404],
    );
  });

  it('appoints a moderator, whose console has only what its scopes allow', async () => {
    await writeKeyFile(key('moderator'), generateAgentKeys());
    await register('moderator', 'the-moderator');
    const refused = await runCommand(['operator', 'serve', '--key', key('moderator')], { env: env() });
    assert.deepEqual([refused.code, JSON.parse(refused.stderr).error], [EXIT.notAllowed, 'forbidden']);
    const form = { agent: 'the-moderator', scope: ['dismiss_report', 'restore_content'], do: 'appoint' };
    const done = await operator.submit(await operator.get('moderators'), 'moderators', form);
    assert.match(done.text, /Appointed the moderator @the-moderator.*?none<.*?restore_content, dismiss_report</s);

    const postId = await post(ada, 'For the moderator');
    await report(bob, postId, 'Only the operator sees this');
    const moderator = await serve('moderator');
    const queue = await moderator.get('reports');
    assert.throws(() => linkIn(queue, postId, 'r'), /no action r/);
    const page = await moderator.get(linkIn(queue, postId, 'd'));
    assert.ok(!page.text.includes('Only the operator sees this') && !page.text.includes(bob.handle));
    for (const name of ['feedback', 'bulk', 'moderators', 'meter', 'sweeps'])
      assert.equal((await moderator.get(name)).status, 404, name);
    const forced = await moderator.submit(page, 'target', { action: 'remove_content' });
    assert.deepEqual([forced.status, (await ada.get(`/v1/posts/${postId}`)).status], [403, 200]);
    assert.match((await moderator.submit(page, 'target')).text, /1 dismissed/);
    const dismissed = await operator.submit(await operator.get('moderators'), 'moderators');
    assert.match(dismissed.text, /Dismissed the moderator @the-moderator/);
    assert.equal((await moderator.get('reports')).status, 403);
    await moderator.stop();
  });

  it('grants a probe of the meter', async () => {
    const done = await operator.submit(await operator.get('meter'), 'meter', { agent: ada.handle, tokens: '1500' });
    assert.match(done.text, new RegExp(`Granted a probe to @${ada.handle}.*?1500<`, 's'));
    const again = await operator.submit(await operator.get('meter'), 'meter', { agent: ada.handle });
    assert.deepEqual([again.status, again.text.includes('grant_unavailable')], [409, true]);
  });

  it('sweeps only after the report of a dry run', async () => {
    let page = await operator.submit(await operator.get('sweeps'), 'sweeps');
    await eventually(async () => {
      page = await operator.get(page.url);
      return page.text.includes('Before: the dry run');
    });
    page = await operator.submit(page, 'sweeps');
    await eventually(async () => {
      page = await operator.get(page.url);
      return /Before: the dry run.*?After: the sweep.*?refunded/s.test(page.text);
    });
  });

  it('shows texts of agents as text, with hidden characters visible, and loads nothing from elsewhere', async () => {
    const postId = await post(ada, MARKUP.replace('\u202E', ''));
    await report(bob, postId, MARKUP);
    accepted(await ada.post(`/v1/posts/${postId}/replies`, { body: MARKUP }));
    const queue = await operator.get('reports');
    const pages = [queue, await operator.get(linkIn(queue, postId, 'd')), await operator.get(`bulk?by=${ada.handle}`)];
    for (const { status, text, url } of pages) {
      assert.equal(status, 200, url);
      assert.deepEqual(brokenTags(text), [], url);
      assert.ok(text.includes('&lt;img src=x') && text.includes('⟨U+202E⟩') && !text.includes('\u202E'), url);
      const elements = elementsOf(text);
      assert.ok(!elements.some(({ name }) => name === 'img' || name === 'style'), url);
      assert.ok(
        !elements.some(({ attributes }) => [...attributes.keys()].some((name) => /^on|^style$/.test(name))),
        url,
      );
      const loaded = elements.flatMap(({ name, attributes }) =>
        ['script', 'link'].includes(name) ? [attributes.get('src') ?? attributes.get('href')] : [],
      );
      assert.deepEqual(loaded, ['console.css', 'console.js'], url);
    }
  });

  it('refuses foreign hosts and origins, and addresses without its secret', async () => {
    const { port, pathname, origin } = new URL(operator.url);
    const status = (path: string, { method = 'GET', host = '127.0.0.1', ...headers }: Record<string, string> = {}) =>
      new Promise<number>((resolve, reject) => {
        const options = { host, port, path, method, headers };
        request(options, (response) => resolve(response.resume().statusCode!))
          .on('error', reject)
          .end();
      });
    const reports = `${pathname}reports`;
    assert.equal(await status(reports), 200);
    assert.equal(await status(reports, { Host: 'evil.example' }), 403);
    assert.equal(await status(reports, { Host: `localhost:${port}` }), 403);
    assert.equal(await status(reports, { Origin: 'https://evil.example' }), 403);
    for (const foreign of [{}, { Origin: 'null' }, { Origin: 'https://evil.example' }, { Origin: forum.url }])
      assert.equal(await status(`${pathname}sweeps`, { method: 'POST', ...foreign }), 403);
    for (const path of [
      '/',
      '/reports',
      `/${'a'.repeat(24)}/reports`,
      `${pathname}reports/x`,
      `${pathname}constructor`,
    ])
      assert.equal(await status(path), 404, path);
    await assert.rejects(status(reports, { host: '127.0.0.2' }), /ECONNREFUSED/);
    const { headers } = await fetch(`${origin}${reports}`);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'.*script-src 'self'.*form-action 'self'/);
    assert.deepEqual([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'same-origin']);
  });

  it('is nowhere on the public origin', async () => {
    const { pathname } = new URL(operator.url);
    for (const path of [pathname, `${pathname}reports`, '/console', '/reports', '/console.js', '/assets/console.js'])
      assert.equal((await fetch(`${forum.url}${path}`)).status, 404, path);
  });
});
