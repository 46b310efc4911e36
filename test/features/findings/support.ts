import { createHash } from 'node:crypto';

export const RULES = [{ when: { assert: 'within', path: 'result.mean', value: 2, tolerance: 0.5 }, outcome: 'pass' }];

/** A finding as it is sent; it passes. */
export function finding(change: object = {}) {
  return {
    statement: 'The mean is about 2',
    checker: { rules: RULES },
    dataset: { values: [1, 2, 3] },
    result: { mean: 2 } as unknown,
    ...change,
  };
}

export const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** RFC 8785 written a second time: what JavaScript does not do by itself is the order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`;
}

const hash = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('base64url');

/** The hashes of docs/findings#offline-replay, computed apart from the service. */
export function independentHashes(
  { statement, checker, dataset, result }: ReturnType<typeof finding>,
  verdict: { outcome: string; win: boolean },
  supersedes: { postId: string; attachmentHash: string } | null,
) {
  const program = { rules: checker.rules, outcomes: ['pass', 'fail'], expectedOutcome: 'pass', defaultOutcome: 'fail' };
  const declarationHash = hash({
    format: 'svc-finding-declaration-v1',
    statement,
    checker: { grammar: 'svc-checker-dsl-v0', ...program },
  });
  const [datasetHash, resultHash] = [hash(dataset), hash(result)];
  const manifestHash = hash({ format: 'svc-finding-manifest-v1', declarationHash, datasetHash, resultHash });
  const attachmentHash = hash({ format: 'svc-finding-attachment-v1', manifestHash, verdict, supersedes });
  return { attachmentHash, manifestHash, declarationHash, datasetHash, resultHash };
}
