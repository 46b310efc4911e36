import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { KeyChain } from '../../../src/client/keyChain.ts';
import { ProofError, type Trust, verifyPost } from '../../../src/client/proof.ts';
import { verifyLog } from '../../../src/client/publicLog.ts';
import { canonicalJson } from '../../../src/protocol/canonicalJson.ts';
import { commitmentTo, formatProof, parseLeaf, plainLeaf, writeLeaf } from '../../../src/protocol/logFormat.ts';
import { inclusionProof, leafHash } from '../../../src/protocol/merkle.ts';
import { checkpointText, NoteSigner } from '../../../src/protocol/note.ts';
import { rangeFromTiles, TreeEdge } from '../../../src/protocol/tiles.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { commitment, type NextKey, rotation, rotationAlone, sendFreeze, sendRotation } from '../agents/rotating.ts';
import { Stranger } from './support/log.ts';
import { DocumentedProgram, hasPython } from './support/program.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the service shows is changed freely here
type Json = any;

describe('keys of agents in the log', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let stranger: Stranger;
  let trust: Trust;
  let program: DocumentedProgram;
  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_POSTS: '100' } });
    stranger = new Stranger(forum.url);
    await forum.agent();
    await settled();
    trust = { log: await stranger.verifier() };
    program = await DocumentedProgram.write(await stranger.text('vkey'));
  });
  after(async () => {
    await program.remove();
    await forum.stop();
  });

  const settled = () => stranger.settled((text) => forum.rows(text));
  const write = async (agent: TestAgent, title: string) =>
    (await agent.post('/v1/posts', { title, body: 'Words' })).body.post.postId as string;
  async function proofOf(postId: string): Promise<{ bundle: Json; thread: Json }> {
    const get = async (path: string) => (await fetch(`${forum.url}${path}`)).json();
    return { bundle: await get(`/v1/posts/${postId}/proof`), thread: await get(`/v1/posts/${postId}`) };
  }
  const read = async (path: string) => Buffer.from(await (await stranger.get(path)).arrayBuffer());

  it('prove what each of them signed, up to the one that ended it, in both programs', async () => {
    const ada = await forum.agent();
    const [second, third] = [ada.withKey(), ada.withKey()];
    const posts = [await write(ada, 'By the first')];
    await sendRotation(ada, rotation(ada, second, commitment(second, third)));
    posts.push(await write(second, 'By the second'));
    await sendFreeze(second);
    await sendRotation(second, rotationAlone(second, third));
    posts.push(await write(third, 'By the third'));
    await settled();
    const counts = [];
    for (const [n, postId] of posts.entries()) {
      const proof = await proofOf(postId);
      counts.push(proof.bundle.keys.length);
      const { evidence } = verifyPost(proof.bundle, proof.thread.post, trust);
      assert.equal(evidence.publicKey, [ada, second, third][n]!.signingPublicKey);
      if (hasPython) assert.equal(await program.run(proof.bundle, proof.thread), 0, String(n));
    }
    assert.deepEqual(counts, [1, 2, 2]);
    const { leaves } = await verifyLog(read, trust);
    assert.equal(leaves.key, 3);
  });

  it('are not carried where an agent has one key', async () => {
    const ada = await forum.agent();
    const postId = await write(ada, 'One key');
    await settled();
    const { bundle, thread } = await proofOf(postId);
    assert.equal('keys' in bundle, false);
    assert.ok(verifyPost(bundle, thread.post, trust));
  });

  it('change during other writes, and each of these writes is proven', async () => {
    const keys = [await forum.agent()];
    const title = `Racing ${freshNonce()}`;
    const writes: Promise<number>[] = [];
    for (let n = 0; n < 50; n++) {
      const [current, former = current] = keys.toReversed();
      // By the key that was there when it was signed, or by the one before it.
      const signer = n % 2 === 0 ? current! : former!;
      writes.push(signer.post('/v1/posts', { title, body: 'b' }).then(({ status }) => status));
      // Half of each round is done, half under way, when the key changes.
      if (n % 10 === 4) await Promise.all(writes);
      if (n % 10 !== 9) continue;
      const next = current!.withKey();
      assert.equal((await sendRotation(current!, rotation(current!, next))).status, 200);
      keys.push(next);
    }
    const statuses = await Promise.all(writes);
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => ![201, 401].includes(status)),
      [],
    );
    const accepted = statuses.filter((status) => status === 201).length;
    assert.ok(accepted >= 10, String(accepted));
    await settled();
    const rows = await forum.rows<{ post_id: string }>('SELECT post_id FROM posts WHERE title = $1', [title]);
    assert.equal(rows.length, accepted);
    for (const { post_id: postId } of rows) {
      const { bundle, thread } = await proofOf(postId);
      verifyPost(bundle, thread.post, trust);
    }
    await verifyLog(read, trust);
  });

  describe('forgeries', () => {
    const seed = Buffer.alloc(32, 7);
    const signer = new NoteSigner('forged.example/log', seed);
    const forgedTrust: Trust = { log: signer.verifier };
    let forger: DocumentedProgram;
    before(async () => {
      forger = await DocumentedProgram.write(signer.verifierKey);
    });
    after(() => forger.remove());

    /** A leaf, and what it opens. */
    type Part = { readonly entry: Buffer } & (
      | { readonly bundle: Json; readonly post: Json }
      | { readonly isKey: true }
    );

    const SHOWN = { title: 'A title', body: 'Words' };
    const AS_POST = { path: '/v1/posts', operation: 'post.create', message: SHOWN as Json };

    function written(agent: TestAgent, { path, operation, message }: typeof AS_POST = AS_POST, more = ''): Part {
      const [postId, body] = ['p_0mg54d9k3m1n7p5q2r8s6t4u0', JSON.stringify(message)];
      const { 'x-svc-timestamp': at, 'x-svc-nonce': nonce } = agent.headers('POST', path, {}, Buffer.from(body));
      const signedText = `svc-request-v1\nPOST\n${path}\n\n${at}\n${nonce}\n${hashOf(body)}${more}`;
      const signature = agent.sign(signedText);
      const { agentId, signingPublicKey: publicKey } = agent;
      const acceptedAt = '2026-01-02T03:04:05.678Z';
      const facts = { postId };
      const evidence = canonicalJson({ acceptedAt, agentId, body, facts, operation, publicKey, signature, signedText });
      const salt = randomBytes(16);
      const post = { postId, ...SHOWN, author: { agentId } };
      const bundle = { salt: salt.toString('base64url'), evidence };
      return { entry: writeLeaf(commitmentTo(salt, evidence)), bundle, post };
    }

    function changed(before: TestAgent, after: TestAgent, change: Json = {}, next?: NextKey): Part {
      const { newKey, newKeySignature, currentKeySignature } = rotation(before, after, next);
      const { agentId, signingPublicKey: publicKey } = before;
      const signedText = `svc-key-v1\n${agentId}\n${newKey}\n${next?.hash ?? ''}`;
      const signature = currentKeySignature;
      const content = { agentId, change: 'rotate', publicKey, signature, signedText, newKey, newKeySignature };
      const entry = plainLeaf('key', 1, { ...content, committed: null, nextKey: next ?? null, ...change });
      return { entry, isKey: true };
    }

    /** What an operator with the key of the log can make of these leaves: each with a proof that holds. */
    function bundleOf(parts: readonly Part[], shown: readonly Part[] = parts) {
      const hashes = parts.map(({ entry }) => leafHash(entry));
      const edge = new TreeEdge(0, []);
      edge.append(hashes);
      const text = checkpointText({ origin: 'forged.example/log', size: parts.length, root: edge.root() });
      const note = `${text}\n${signer.sign(text)}`;
      const range = rangeFromTiles((level) => (level === 0 ? Buffer.concat(hashes) : undefined));
      const proof = (part: Part) => {
        const index = parts.indexOf(part);
        return formatProof(index, inclusionProof(index, parts.length, range), note);
      };
      const write = parts.find((part) => 'bundle' in part) as Part & { bundle: Json; post: Json };
      const keys = shown
        .filter((part) => 'isKey' in part)
        .map((part) => ({ entry: String(part.entry), tlogProof: proof(part) }));
      return { bundle: { ...write.bundle, tlogProof: proof(write), keys }, thread: { post: write.post } };
    }

    async function proves({ bundle, thread }: { bundle: Json; thread: Json }, holds: boolean, what: string) {
      if (holds) verifyPost(bundle, thread.post, forgedTrust);
      else assert.throws(() => verifyPost(bundle, thread.post, forgedTrust), ProofError, what);
      if (hasPython) assert.equal((await forger.runAgain(bundle, thread)) === 0, holds, `${what}, in Python`);
    }

    it('of a chain of keys are refused: missing or unsigned links, keys before and after their time', async () => {
      const ada = await forum.agent();
      const [bob, second, third] = [await forum.agent(), ada.withKey(), ada.withKey()];
      const [one, two] = [changed(ada, second), changed(second, third)];
      const chain = (...parts: Part[]) => bundleOf(parts);
      await proves(chain(written(ada), one, two), true, 'by the first key');
      await proves(chain(one, written(second), two), true, 'by the second');
      await proves(chain(one, two, written(third)), true, 'by the third');
      const committedTo = { committed: commitment(ada, second) };
      const alone = changed(ada, second, { signature: null, ...committedTo });
      await proves(chain(alone, written(second)), true, 'by what was committed to');

      await proves(chain(written(second), one, two), false, 'the second key before its time');
      await proves(chain(one, two, written(second)), false, 'the second key after its time');
      await proves(chain(one, two, written(ada)), false, 'the first key after its time');
      await proves(chain(one, written(third), two), false, 'the third key before its time');
      const [all, mine] = [[one, two, written(third)], written(third)];
      await proves(bundleOf(all, [two]), false, 'the first link is missing');
      await proves(bundleOf(all, [one]), false, 'the last link is missing');
      await proves(bundleOf(all, []), false, 'all links are missing');
      await proves(bundleOf([one, mine, two].toReversed(), [two, one]), false, 'links in another order');
      await proves(bundleOf([two, one, mine], [one, two]), false, 'links whose places are in another order');
      for (const [what, link] of [
        ['by nobody', changed(ada, second, { signature: null })],
        ['by another current key', changed(ada, second, { signature: rotation(bob, second).currentKeySignature })],
        ['by another new key', changed(ada, second, { newKeySignature: rotation(ada, third).newKeySignature })],
        [
          'over another text',
          changed(ada, second, { signedText: `svc-key-v1\n${ada.agentId}\n${third.signingPublicKey}\n` }),
        ],
        ['for another agent', changed(ada, second, { agentId: bob.agentId })],
        ['after another key', changed(ada, second, { publicKey: third.signingPublicKey })],
        ['committed to another', changed(ada, second, { signature: null, committed: commitment(ada, third) })],
        ['committed to by another', changed(ada, second, { signature: null, committed: commitment(bob, second) })],
        ['signed, and committed to another', changed(ada, second, { committed: commitment(ada, third) })],
        ['no change', changed(ada, second, { newKey: ada.signingPublicKey })],
      ] as const)
        await proves(chain(link, written(second)), false, what);
      const bobs = changed(bob, Object.assign(bob.withKey(), { signing: second.signing }));
      await proves(chain(bobs, written(second)), false, "another agent's chain");
      const act = { entry: plainLeaf('act', 1, JSON.parse(String(one.entry).split('\n')[2]!)), isKey: true } as const;
      await proves(chain(act, written(second)), false, 'a leaf of another kind');
      const good = chain(one, written(second), two);
      for (const keys of [{}, 'x', [null], [{}], [1]]) {
        await proves({ ...good, bundle: { ...good.bundle, keys } }, false, JSON.stringify(keys));
      }
    });

    it('of a write are refused if another operation was signed: a preview has the same words', async () => {
      const ada = await forum.agent();
      const tool = (method: string, name: string) => ({
        ...AS_POST,
        path: '/mcp',
        message: { jsonrpc: '2.0', id: 1, method, params: { name, arguments: SHOWN } },
      });
      for (const asked of [
        AS_POST,
        { ...AS_POST, path: '/v1/questions', operation: 'question.create' },
        tool('tools/call', 'create_post'),
        { ...tool('tools/call', 'create_question'), operation: 'question.create' },
      ]) {
        await proves(bundleOf([written(ada, asked)]), true, JSON.stringify(asked));
      }
      for (const asked of [
        { ...AS_POST, path: '/v1/posts/preview' },
        { ...AS_POST, path: '/v1/feedback' },
        { ...AS_POST, path: '/mcpx' },
        tool('tools/call', 'preview_post'),
        tool('tools/list', 'create_post'),
      ]) {
        await proves(bundleOf([written(ada, asked)]), false, JSON.stringify(asked));
      }
      for (const more of ['\n', '\nmore']) {
        const { bundle, thread } = bundleOf([written(ada, AS_POST, more)]);
        assert.throws(() => verifyPost(bundle, thread.post, forgedTrust), /not a request/);
      }
      // What verify.py, which knows of no operations, leaves to the path.
      for (const operation of ['vote.cast', 'reply.create', 'question.create']) {
        const { bundle, thread } = bundleOf([written(ada, { ...AS_POST, operation })]);
        assert.throws(() => verifyPost(bundle, thread.post, forgedTrust), ProofError, operation);
      }
      const { bundle, thread } = bundleOf([written(ada)]);
      const elsewhere = { ...thread.post, communitySlug: 'elsewhere' };
      assert.throws(() => verifyPost(bundle, elsewhere, forgedTrust), /communitySlug/);
    });

    it('of keys are refused: a frozen key, and a next key that was not committed to', async () => {
      const ada = await forum.agent();
      const [second, third, other] = [ada.withKey(), ada.withKey(), ada.withKey()];
      const bound = changed(ada, second, {}, commitment(second, third));
      await proves(bundleOf([bound, changed(second, third), written(third)]), true, 'what it was committed to');
      await proves(bundleOf([bound, changed(second, other), written(other)]), false, 'another');
      const boundAgain = changed(second, third, {}, commitment(third, other));
      await proves(bundleOf([bound, boundAgain, changed(third, other), written(other)]), true, 'the last of them');

      const text = `svc-freeze-v1\n${ada.agentId}`;
      const freeze = { agentId: ada.agentId, change: 'freeze', publicKey: ada.signingPublicKey, signedText: text };
      const chain = new KeyChain(ada.agentId);
      chain.add(5, { ...freeze, signature: ada.sign(text) });
      chain.requireKey(4, ada.signingPublicKey);
      // A signature that was used once is there for everybody: it makes no freeze later than it was.
      chain.add(7, { ...freeze, signature: ada.sign(text) });
      assert.throws(() => chain.requireKey(6, ada.signingPublicKey), /frozen/);
      const { content } = parseLeaf(changed(ada, second, { committed: commitment(ada, second) }).entry) as Json;
      chain.add(9, content);
      assert.throws(() => chain.requireKey(8, ada.signingPublicKey), /frozen/);
      chain.requireKey(10, second.signingPublicKey);

      const unmade = new KeyChain(ada.agentId);
      const elsewhere = `svc-freeze-v1\n${second.agentId}x`;
      for (const forged of [
        { ...freeze, signature: second.sign(text) },
        { ...freeze, signature: null },
        { ...freeze, signedText: elsewhere, signature: ada.sign(elsewhere) },
      ])
        assert.throws(() => unmade.add(5, forged), ProofError);
      unmade.requireKey(6, ada.signingPublicKey);
    });

    it('of the whole log are refused: a registration that its agent has not signed', async () => {
      const ada = await forum.agent();
      const bob = await forum.agent();
      const stranger = new Stranger(forum.url);
      const { size } = await stranger.settled((query) => forum.rows(query));
      const leaves = (await stranger.entries(size)).flatMap((entry) => {
        const leaf = parseLeaf(entry);
        return leaf?.kind === 'agent' ? [leaf.content as Json] : [];
      });
      const [mine, bobs] = [ada, bob].map(({ agentId }) => leaves.find((each) => each.agentId === agentId));
      const verify = (content: Json) => verifyLog(readerOf([plainLeaf('agent', 1, content)]), forgedTrust);
      assert.equal((await verify(mine)).leaves.agent, 1);
      await assert.rejects(verify({ ...mine, signedText: `${mine.signedText}x` }), ProofError);
      await assert.rejects(verify({ ...mine, signature: bobs.signature }), ProofError);
      await assert.rejects(verify({ ...mine, agentId: bob.agentId }), ProofError);
      await assert.rejects(verify({ ...mine, keys: bobs.keys }), ProofError);
      // To which envelopes would be sealed.
      for (const name of ['encryption', 'ownerEncryption'])
        await assert.rejects(verify({ ...mine, keys: { ...mine.keys, [name]: bobs.keys[name] } }), ProofError);
      const signedText = 'Something else';
      await assert.rejects(verify({ ...mine, signedText, signature: ada.sign(signedText) }), ProofError);
    });

    it('of the whole log are refused: a change that does not follow from the one before', async () => {
      const ada = await forum.agent();
      const [second, third] = [ada.withKey(), ada.withKey()];
      const numbered = (parts: readonly Part[]) =>
        parts.map(({ entry }, n) => {
          const leaf = parseLeaf(entry);
          return leaf?.kind === 'key' ? plainLeaf('key', n + 1, leaf.content) : entry;
        });
      const text = `svc-freeze-v1\n${ada.agentId}`;
      const content = { agentId: ada.agentId, change: 'freeze', publicKey: ada.signingPublicKey, signedText: text };
      const frozen: Part = { entry: plainLeaf('key', 1, { ...content, signature: ada.sign(text) }), isKey: true };
      const verify = (...parts: Part[]) => verifyLog(readerOf(numbered(parts)), forgedTrust);
      assert.equal((await verify(changed(ada, second), changed(second, third))).leaves.key, 2);
      const committedTo = { committed: commitment(ada, second) };
      assert.equal((await verify(frozen, changed(ada, second, committedTo))).leaves.key, 2);
      await assert.rejects(verify(changed(ada, second), changed(ada, third)), ProofError);
      await assert.rejects(verify(changed(second, third)), ProofError);
      await assert.rejects(verify(frozen, changed(ada, second)), ProofError);
      await assert.rejects(verify(changed(ada, second), frozen), ProofError);
    });

    function readerOf(entries: readonly Buffer[]) {
      const edge = new TreeEdge(0, []);
      edge.append(entries.map(leafHash));
      const text = checkpointText({ origin: 'forged.example/log', size: entries.length, root: edge.root() });
      const bundle = Buffer.concat(
        entries.flatMap((entry) => [Buffer.from([entry.length >> 8, entry.length & 255]), entry]),
      );
      return async (path: string) => (path === 'checkpoint' ? Buffer.from(`${text}\n${signer.sign(text)}`) : bundle);
    }
  });
});

function hashOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url');
}
