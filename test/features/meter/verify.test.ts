import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../../src/client/commandLine.ts';
import { ReceiptError, verifyReceipt } from '../../../src/client/receipt.ts';
import { sealReceipt } from '../../../src/features/meter/receipts.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import { grantedAgent, type MeterForum, probe, SIGNING_SEED, startMeter } from './support/meter.ts';

const RUN = {
  runId: `mrun_${'0'.repeat(25)}`,
  agentId: `ag1-${'A'.repeat(22)}`,
  day: '2026-03-01',
  task: 'loop_cost_curve',
  model: 'm',
  fixtureHash: '0'.repeat(64),
  tokenAllowance: 5,
} as const;
const PROGRESS = { estimatedTokens: 9, countRequest: null, attempts: [] };

/** A row as the service would answer it. */
function rowOf(seed: string | undefined, change: object = {}) {
  const sealed = sealReceipt(RUN, PROGRESS, 'refused', Date.UTC(2026, 2, 1), seed);
  return {
    agentId: RUN.agentId,
    day: RUN.day,
    runId: RUN.runId,
    receiptSignature: sealed.signature,
    receiptSigningPublicKey: sealed.signingPublicKey,
    receipt: JSON.parse(sealed.text),
    ...change,
  };
}

describe('a receipt checked offline', () => {
  const good = rowOf(SIGNING_SEED);
  const key = good.receiptSigningPublicKey!;
  const other = rowOf(Buffer.alloc(32, 9).toString('base64url'));

  it('is valid with its properties in any order', () => {
    assert.deepEqual(verifyReceipt(good, key), {
      receipt: good.receipt,
      signingPublicKey: key,
      keyIsTrusted: true,
    });
    const turned = Object.fromEntries(Object.entries(good.receipt).toReversed());
    assert.equal(verifyReceipt({ ...good, receipt: turned }).keyIsTrusted, false);
  });

  it('is refused when anything was changed', () => {
    for (const name of Object.keys(good.receipt)) {
      const receipt = { ...good.receipt, [name]: 'changed' };
      assert.throws(() => verifyReceipt({ ...good, receipt }, key), ReceiptError, name);
    }
    const cases: object[] = [
      { ...good, receipt: { ...good.receipt, more: 1 } },
      { ...good, runId: `mrun_${'1'.repeat(25)}` },
      { ...good, agentId: `ag1-${'B'.repeat(22)}` },
      { ...good, day: '2026-03-02' },
      { ...good, receiptSignature: other.receiptSignature },
      { ...good, receiptSignature: `${good.receiptSignature!}=` },
      { ...good, receiptSignature: null },
      { ...good, receiptSigningPublicKey: Buffer.alloc(32).toString('base64url') },
      rowOf(undefined),
      other,
      { ...good, receipt: null },
      [good],
    ];
    for (const row of cases) assert.throws(() => verifyReceipt(row, key), ReceiptError, JSON.stringify(row));
  });
});

describe('forum receipt verify', () => {
  let meter: MeterForum;
  let directory: string;
  before(async () => {
    meter = await startMeter();
    directory = await mkdtemp(join(tmpdir(), 'forum-receipt-'));
  });
  after(async () => {
    await meter.stop();
    await rm(directory, { recursive: true });
  });

  async function run(...argv: string[]): Promise<{ code: number; output: Record<string, unknown> }> {
    const { code, answer } = await runForJson(['receipt', 'verify', ...argv], {
      env: { FORUM_URL: meter.forum.url, HOME: directory },
    });
    return { code, output: answer };
  }

  it('checks a run of the forum, and the same from a file without it', async () => {
    const { body } = await probe(meter.forum, await grantedAgent(meter.forum));
    const byRun = await run(body.runId);
    assert.deepEqual([byRun.code, byRun.output.valid, byRun.output.keyIsTrusted], [EXIT.ok, true, true]);

    const file = join(directory, 'receipt.json');
    await writeFile(file, JSON.stringify(body));
    const offline = ['--url', 'http://127.0.0.1:1'];
    const trusting = await run(file, ...offline);
    assert.deepEqual([trusting.code, trusting.output.keyIsTrusted], [EXIT.ok, false]);
    // With the sign of equality, because a key may begin with a dash.
    const key = body.receiptSigningPublicKey;
    assert.equal((await run(file, ...offline, `--public-key=${key}`)).output.keyIsTrusted, true);
    const another = rowOf(Buffer.alloc(32, 9).toString('base64url')).receiptSigningPublicKey!;
    assert.equal((await run(file, ...offline, `--public-key=${another}`)).code, EXIT.unproven);

    body.receipt.attempts[0].usage.input_tokens += 1;
    await writeFile(file, JSON.stringify(body));
    const changed = await run(file, ...offline);
    assert.deepEqual([changed.code, changed.output.error], [EXIT.unproven, 'receipt']);
  });

  it('distinguishes wrong usage and unknown runs', async () => {
    assert.equal((await run(join(directory, 'nothing.json'))).code, EXIT.usage);
    await writeFile(join(directory, 'text'), 'no JSON');
    assert.equal((await run(join(directory, 'text'))).code, EXIT.usage);
    assert.equal((await run(RUN.runId, '--public-key', 'short')).code, EXIT.usage);
    const unknown = await run(RUN.runId);
    assert.deepEqual([unknown.code, unknown.output.error], [EXIT.notFound, 'not_found']);
  });
});
