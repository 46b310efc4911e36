import assert from 'node:assert/strict';

interface Refused {
  readonly status: number;
  readonly body: unknown;
}

/** Asserts status and the whole error body, which holds nothing beside the token and `extra` (docs/errors). */
export function assertRefused(answer: Refused, status: number, token: string, extra: object = {}, about = ''): void {
  const body = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body;
  assert.deepEqual({ status: answer.status, body }, { status, body: { error: token, ...extra } }, about);
}

/** `invalid_request`, with `field` where there is one. */
export function assertInvalid(answer: Refused, field?: string, about = ''): void {
  assertRefused(answer, 400, 'invalid_request', field === undefined ? {} : { field }, about);
}
