import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../../src/client/commandLine.ts';
import { verifyExport } from '../../../src/client/exportFolder.ts';
import { exportForum } from '../../../src/tools/export/exportForum.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { Stranger } from './support/log.ts';

const DELAY_SECONDS = 301;
const TOLERANCE_SECONDS = 300;

describe('PROOF_DELAY_SECONDS', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let stranger: Stranger;
  let directory: string;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true, env: { PROOF_DELAY_SECONDS: String(DELAY_SECONDS) } });
    stranger = new Stranger(forum.url);
    directory = await mkdtemp(join(tmpdir(), 'forum-delay-'));
    [ada, bob] = [await forum.agent(), await forum.agent()];
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  const settled = () => stranger.settled((text) => forum.rows(text));
  const read = (path: string) => ada.anonymous('GET', path);
  const page = async (path: string) => (await fetch(`${forum.url}${path}`)).text();
  const write = async (agent: TestAgent, options: object = {}): Promise<string> => {
    const body = { title: 'A title', body: 'Some words' };
    return (await agent.signed('POST', '/v1/posts', { body, ...options })).body.post.postId;
  };

  /** What the service says of a write until its proof is published. */
  function pending(signedAtMs: number): object {
    const seconds = Math.floor(signedAtMs / 1_000) + DELAY_SECONDS;
    return { state: 'pending', availableAt: new Date(seconds * 1_000).toISOString() };
  }

  it('withholds the signature of a write in every proof, entry and page until it is too old to be replayed', async () => {
    const now = forum.api.clock.now();
    const nonce = freshNonce();
    const headers = { body: { title: 'A title', body: 'Some words' }, nonce };
    const { body } = await ada.signed('POST', '/v1/posts', headers);
    const postId: string = body.post.postId;
    const { replyId } = (await bob.post(`/v1/posts/${postId}/replies`, { body: 'An answer' })).body.reply;
    const gone = await write(bob);
    const act = { action: 'remove_content', targetType: 'post', targetId: gone, reason: 'By the rules' };
    const { eventId } = (await forum.operator.post('/v1/governance/enforcement', act)).body;
    const { size } = await settled();
    const proofs = [`/v1/posts/${postId}`, `/v1/replies/${replyId}`, `/v1/governance/events/${eventId}`];
    const call = { name: 'get_post_proof', arguments: { postId } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };

    for (const path of proofs) {
      const answer = await read(`${path}/proof`);
      assert.equal(answer.status, 202, path);
      const early = Date.parse(answer.body.availableAt) - now;
      assert.ok(early > (DELAY_SECONDS - 1) * 1_000 && early < (DELAY_SECONDS + 30) * 1_000, path);
      assert.deepEqual(Object.keys(answer.body), ['state', 'availableAt']);
      const retryAfter = Number(answer.headers.get('retry-after'));
      assert.ok(retryAfter > DELAY_SECONDS - 30 && retryAfter <= DELAY_SECONDS + 1, String(retryAfter));
    }
    const own = (await ada.get(`/v1/writes/${nonce}/proof`)).body;
    const { signature, signedText } = JSON.parse(own.evidence);
    assert.deepEqual((await read(`${proofs[0]}/proof`)).body, pending(Number(signedText.split('\n')[4]) * 1_000));
    const told = (await ada.anonymous('POST', '/mcp', { body: message })).body.result;
    assert.equal(told.structuredContent.state, 'pending');
    const early = [
      JSON.stringify(told),
      await page(`/p/${postId}/proof`),
      await page(`/r/${replyId}/proof`),
      await page(`/governance/${eventId}/proof`),
    ];
    for (let index = 0; index < size; index++)
      early.push(JSON.stringify((await read(`/v1/log/entries/${index}`)).body));
    const { length } = early.filter((text) => text.includes('svc-request-v1') || text.includes(signature));
    assert.equal(length, 0);

    forum.advance((DELAY_SECONDS + 30) * 1_000);
    for (const path of proofs) {
      const answer = await read(`${path}/proof`);
      assert.equal(answer.status, 200, path);
      assert.match(answer.body.evidence, /svc-request-v1/, path);
    }
    const late = (await ada.anonymous('POST', '/mcp', { body: message })).body.result;
    assert.match(late.structuredContent.evidence, /svc-request-v1/);
    assert.ok((await page(`/p/${postId}/proof`)).includes(signature));
  });

  it('counts from the time in the signed text, which may be ahead of the service', async () => {
    const ahead = TOLERANCE_SECONDS - 10;
    const postId = await write(ada, { skewSeconds: ahead });
    await settled();
    forum.advance((DELAY_SECONDS + 5) * 1_000);
    assert.equal((await read(`/v1/posts/${postId}/proof`)).status, 202);
    forum.advance(ahead * 1_000);
    assert.equal((await read(`/v1/posts/${postId}/proof`)).status, 200);
  });

  it('shows an entry as private with the time of its publication, and one that stays private without', async () => {
    const postId = await write(ada);
    const own = freshNonce();
    await bob.signed('POST', '/v1/votes', { body: { targetId: postId, value: 'up' }, nonce: own });
    const { size } = await settled();
    const open = async (index: number) => (await read(`/v1/log/entries/${index}`)).body;
    const [post, vote] = [await open(size - 2), await open(size - 1)];
    assert.deepEqual(
      [post.withheld, typeof post.availableAt, vote.withheld, vote.availableAt],
      ['private', 'string', 'private', undefined],
    );
    forum.advance((DELAY_SECONDS + 5) * 1_000);
    assert.match((await open(size - 2)).evidence, /svc-request-v1/);
    assert.equal((await open(size - 1)).withheld, 'private');
  });

  it("does not delay the author's own proof", async () => {
    const nonce = freshNonce();
    await write(ada, { nonce });
    await settled();
    const proof = await ada.get(`/v1/writes/${nonce}/proof`);
    assert.equal(proof.status, 200);
    assert.match(proof.body.evidence, /svc-request-v1/);
  });

  it('makes `forum verify post` say when to ask again', async () => {
    const postId = await write(ada);
    await settled();
    const key = join(directory, 'log.vkey');
    await writeFile(key, await stranger.text('vkey'));
    const { code, answer } = await runForJson(['verify', 'post', postId, '--log-key', key, '--anonymous'], {
      env: { FORUM_URL: forum.url },
    });
    const { availableAt } = (await read(`/v1/posts/${postId}/proof`)).body;
    assert.equal(code, EXIT.wait);
    assert.ok(JSON.stringify(answer).includes(`published at ${availableAt}`), JSON.stringify(answer));
  });

  it('leaves unpublished writes to the next export, and the export is valid without them', async () => {
    // An export goes by the clock of the database, which no test moves.
    const quiet = await startForum({ workers: true, env: { PROOF_DELAY_SECONDS: '60' } });
    const author = await quiet.agent();
    const old = await write(author, { skewSeconds: 10 - TOLERANCE_SECONDS });
    const fresh = await write(author);
    const answer = (await author.post(`/v1/posts/${fresh}/replies`, { body: 'An answer' })).body.reply.replyId;
    const behind = await write(author, { skewSeconds: 10 - TOLERANCE_SECONDS });
    const log = new Stranger(quiet.url);
    await log.settled((text) => quiet.rows(text));
    const trust = { log: await log.verifier() };
    const { db, config } = quiet.api.services;
    const exported = async (name: string, proofDelaySeconds: number) => {
      const folder = join(directory, name);
      await exportForum(db, { ...config, proofDelaySeconds }, folder);
      await verifyExport(folder, trust);
      const files = ['entries', 'posts', 'replies'].map((file) => readFile(join(folder, `${file}.ndjson`), 'utf8'));
      const text = (await Promise.all(files)).join('');
      const shown = [old, fresh, answer, behind].map((id) => text.includes(id));
      return { shown, requests: text.match(/svc-request-v1/g)?.length };
    };
    // What comes after a write that is not published yet may refer to it, so it waits too.
    assert.deepEqual(await exported('early', 60), { shown: [true, false, false, false], requests: 1 });
    assert.deepEqual(await exported('all', 0), { shown: [true, true, true, true], requests: 4 });
    await quiet.stop();
  });
});
