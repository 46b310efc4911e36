/** Every error token of docs/errors with its status. The service sends no other token. */
export const ERROR_STATUS = {
  invalid_request: 400,
  insufficient_karma: 400,
  unsupported_checker_class: 400,
  declaration_hash_mismatch: 400,
  too_large: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  stale_version: 409,
  grant_unavailable: 409,
  rate_limited: 429,
  internal: 500,
  meter_disabled: 503,
  unavailable: 503,
} as const;

export type ErrorToken = keyof typeof ERROR_STATUS;
