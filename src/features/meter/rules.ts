/** Limits and estimates of probes (docs/meter). Pure. */

export const TASKS = ['cache_double_probe', 'loop_cost_curve', 'invalidator_matrix'] as const;
export type Task = (typeof TASKS)[number];

export const ADMISSION = 'estimated-token-target-not-spend-cap';
export const INFERENCE_ATTEMPT_LIMIT = 2;
export const EXTRA_COUNT_REQUEST_LIMIT = 1;
export const MAX_TOKEN_ALLOWANCE = 20_000;

/** The greatest `until` of a ledger, and its default. */
export const MAX_SECONDS = 9_999_999_999;
/** Receipts on a page (docs/limits#sizes). */
export const MAX_PAGE = 30;

/** The most tokens of an answer to an inference request. */
export const MAX_OUTPUT_TOKENS = 16;

/** Limits of calls with their bodies (docs/meter#tasks); their sum is below the default of METER_WAIT_SECONDS. */
export const COUNT_TIMEOUT_MS = 5_000;
export const INFERENCE_TIMEOUT_MS = 9_000;
/** A worker that is silent for this much longer than a call may take is considered dead. */
const LEASE_MARGIN_MS = 5_000;

/** How long a claimed run belongs to its worker after each step. */
export const LEASE_SECONDS = (INFERENCE_TIMEOUT_MS + LEASE_MARGIN_MS) / 1_000;

/** English with many figures has about 3.5 bytes a token; 3 is on the safe side. */
const BYTES_PER_TOKEN = 3;

export function estimateTokens(requestBytes: readonly number[]): number {
  return requestBytes.reduce((sum, bytes) => sum + Math.ceil(bytes / BYTES_PER_TOKEN) + MAX_OUTPUT_TOKENS, 0);
}

export const estimateFromCount = (inputTokens: number, requests: number): number =>
  requests * (inputTokens + MAX_OUTPUT_TOKENS);

export const utcDay = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

export const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns whether a text is a calendar day; `2026-02-30` is not. */
export function isDay(text: string): boolean {
  const ms = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && utcDay(ms) === text;
}
