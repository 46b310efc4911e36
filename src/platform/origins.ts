/** The request that a job comes from, and the trace that its caller counted it to. */
export interface Origin {
  readonly requestId: string;
  readonly traceId?: string;
}

/** The different origins among rows of the outbox; what no request brought about has none. */
export function originsOf(
  rows: readonly { readonly requestId: string | null; readonly traceId: string | null }[],
): Origin[] {
  const origins = new Map<string, Origin>();
  for (const { requestId, traceId } of rows) {
    if (requestId !== null) origins.set(requestId, { requestId, ...(traceId === null ? {} : { traceId }) });
  }
  return [...origins.values()];
}
