import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { FindingError, verifyFinding } from '../../../src/client/finding.ts';
import type { Attachment } from '../../../src/features/findings/schemas.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { finding, independentHashes } from './support.ts';

describe('finding verify', () => {
  let forum: TestForum;
  let directory: string;
  let postId: string;
  let attachment: Attachment;
  before(async () => {
    forum = await startForum();
    directory = await mkdtemp(join(tmpdir(), 'finding-'));
    const ada = await forum.agent();
    const body = { title: 'A finding', body: 'x', finding: finding() };
    postId = (await ada.post('/v1/posts', body)).body.post.postId;
    attachment = (await ada.anonymous('GET', `/v1/posts/${postId}/finding`)).body;
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  async function verify(source: string) {
    const surroundings = { env: { HOME: directory }, stdin: Readable.from([]) };
    const { code, answer } = await runForJson(['finding', 'verify', source, '--url', forum.url], surroundings);
    return { exitCode: code, report: answer };
  }

  async function verifyBundle(content: unknown) {
    const path = join(directory, 'bundle.json');
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return verify(path);
  }

  it('says what agrees, of a post and of a file', async () => {
    for (const { exitCode, report } of [await verify(postId), await verifyBundle(attachment)]) {
      assert.equal(exitCode, 0);
      assert.equal(report.valid, true);
      assert.equal(report.attachmentHash, attachment.attachmentHash);
      assert.deepEqual(report.verdict, { outcome: 'pass', win: true });
      assert.deepEqual(
        report.comparisons.map(({ name, agrees }: { name: string; agrees: boolean }) => [name, agrees]),
        [
          'declaration',
          'verdict',
          'declarationHash',
          'datasetHash',
          'resultHash',
          'manifestHash',
          'attachmentHash',
        ].map((name) => [name, true]),
      );
    }
  });

  const withAll = (part: string) => [part, 'manifestHash', 'attachmentHash'];
  const forgeries: [string, string, unknown, string[]][] = [
    ['another result', 'result.mean', 2.25, withAll('resultHash')],
    ['other data', 'dataset.values.3', 4, withAll('datasetHash')],
    ['another verdict', 'verdict', { outcome: 'fail', win: false }, ['verdict']],
    ['another statement', 'declaration.statement', 'The mean is 2', withAll('declarationHash')],
    ['laxer rules', 'declaration.checker.rules.0.when.tolerance', 1, withAll('declarationHash')],
    ['another default', 'declaration.checker.defaultOutcome', 'pass', ['declaration', ...withAll('declarationHash')]],
    [
      'an invented predecessor',
      'supersedes',
      { available: true, postId: `p_${'0'.repeat(25)}`, attachmentHash: 'A'.repeat(43) },
      ['attachmentHash'],
    ],
    ['a missing hash', 'datasetHash', undefined, ['datasetHash']],
    ['a changed hash', 'manifestHash', 'A'.repeat(43), ['manifestHash']],
  ];
  for (const [name, path, value, wrong] of forgeries) {
    it(`fails for ${name}`, async () => {
      const { exitCode, report } = await verifyBundle(changed(path, value));
      assert.equal(exitCode, 9);
      assert.equal(report.error, 'finding');
      const disagreeing = report.comparisons.filter(({ agrees }: { agrees: boolean }) => !agrees);
      assert.deepEqual(
        disagreeing.map((comparison: { name: string }) => comparison.name),
        wrong,
      );
    });
  }

  /** The attachment with another value at a path. */
  function changed(path: string, value: unknown): unknown {
    const copy: unknown = structuredClone(attachment);
    const keys = path.split('.');
    const holder = keys.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], copy);
    (holder as Record<string, unknown>)[keys.at(-1)!] = value;
    return copy;
  }

  it('recomputes the verdict: a result that fails cannot pass with fresh hashes', async () => {
    const forged = (await forum.operator.anonymous('POST', '/v1/findings/preview', { body: finding({ result: null }) }))
      .body;
    const bundle = { ...attachment, ...forged, format: attachment.format, result: null, verdict: attachment.verdict };
    const { exitCode, report } = await verifyBundle(bundle);
    assert.equal(exitCode, 9);
    assert.equal(report.message, 'does not agree: verdict');
  });

  it('fails for a predecessor whose names only read like those that the hash covers', () => {
    const named = { postId: `p_${'0'.repeat(25)}`, attachmentHash: 'A'.repeat(43) };
    const { attachmentHash } = independentHashes(finding(), { outcome: 'pass', win: true }, named);
    const supersedes = { available: true, ...named };
    assert.ok(verifyFinding({ ...attachment, attachmentHash, supersedes }));
    for (const name of ['postId', 'attachmentHash'] as const) {
      const disguised = { ...supersedes, [name]: [named[name]] };
      assert.throws(() => verifyFinding({ ...attachment, attachmentHash, supersedes: disguised }), FindingError);
    }
  });

  it('reports that it cannot verify the hash over a withheld predecessor', () => {
    const { comparisons } = verifyFinding({ ...attachment, supersedes: { available: false } });
    assert.deepEqual(comparisons.at(-1), {
      name: 'attachmentHash',
      agrees: null,
      stated: attachment.attachmentHash,
      recomputed: null,
    });
  });

  it('fails for input that is not a finding', async () => {
    for (const content of ['{', '[]', '{}', 'null', '['.repeat(100)]) {
      assert.equal((await verifyBundle(content)).exitCode, 9, content);
    }
    const deep = { ...attachment, result: JSON.parse('['.repeat(40) + ']'.repeat(40)) };
    for (const broken of [deep, { ...attachment, declaration: null }, { ...attachment, result: undefined }]) {
      assert.throws(() => verifyFinding(broken), FindingError);
    }
    assert.throws(() => verifyFinding(changed('declaration.checker.rules', [])), FindingError);
    assert.equal((await verify(join(directory, 'missing.json'))).exitCode, 2);
    assert.equal((await verify(`p_${'0'.repeat(25)}`)).exitCode, 5);
  });
});
