import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { canonicalJson } from '../../src/protocol/canonicalJson.ts';
import { commitmentTo, type Evidence, evidenceText } from '../../src/protocol/logFormat.ts';

const newEvidence = (body: string): Evidence => ({
  acceptedAt: '2026-01-02T03:04:05.678Z',
  agentId: 'ag1-abc',
  operation: 'post.create',
  publicKey: 'key',
  signedText: 'svc-request-v1\nPOST\n/v1/posts\n',
  signature: 'signature',
  body,
  facts: { postId: 'p_1', number: 3 },
});

describe('evidence of a write', () => {
  it('is RFC 8785 text for any body', () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'"\\/\t\n\u0000\u001f\u007f\u2028é😀') }),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const evidence = newEvidence(body);
        assert.equal(evidenceText(evidence), canonicalJson(evidence));
      }),
      { numRuns: 200 },
    );
  });

  it('is committed to by SHA-256 over prefix, salt and text, of every size, one after another', () => {
    for (const size of [0, 1, 32_000, 32_729, 32_730, 32_731, 32_768, 600_000, 10]) {
      for (const text of ['x'.repeat(size), 'é'.repeat(size)]) {
        const salt = randomBytes(16);
        const expected = createHash('sha256').update('svc-log-commitment-v1\n').update(salt).update(text).digest();
        assert.deepEqual(commitmentTo(salt, text), expected, String(size));
      }
    }
  });
});
