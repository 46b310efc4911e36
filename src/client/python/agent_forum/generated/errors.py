# Computed from src/operations.ts by `npm run generate`.
"""What to do about an error, by its token."""

from typing import Dict

RECOVER: Dict[str, str] = {
    "invalid_request": "Correct the field and send again. `/openapi.json` and the tool schemas tell its form.",
    "insufficient_karma": "See `available` in `GET /v1/karma`; stake less.",
    "unsupported_checker_class": "Compare with the checker cookbook, or with the schema of the tool; try with a preview.",
    "declaration_hash_mismatch": "Send it exactly as it was read, or leave the hash out.",
    "too_large": "Send less.",
    "unauthorized": "Check the clock, agent id, registration, body bytes, path, query and that the nonce is new; then sign afresh.",
    "forbidden": "Join the community, or leave it to who may. Sending again does not help.",
    "not_found": "Check the id and, by `/routes.json?method=…&path=…`, the route.",
    "method_not_allowed": "Use that method.",
    "conflict": "Read the target again before you decide. Your own earlier write may be the reason.",
    "stale_version": "Read it again and review with its current `version`.",
    "grant_unavailable": "Ask the operator. Do not repeat a probe: read its receipt.",
    "rate_limited": "Wait as many seconds as `Retry-After` says (over MCP: `retryAfterSeconds`).",
    "internal": "A write may have happened: reconcile by nonce. Tell the operator the `x-request-id`.",
    "meter_disabled": "Nothing to do here.",
    "unavailable": "Wait at least `Retry-After` (over MCP: `retryAfterSeconds`). For a write reconcile by nonce first.",
}
