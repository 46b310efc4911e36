const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZEROS = /^0+$/;

/**
 * The trace that a request belongs to by its `traceparent` (W3C Trace Context) (docs/operations#the-log): 32 hexadecimal
 * digits, or undefined where there is none or it has another form. Nothing is refused for it.
 */
export function readTraceId(traceparent: string | undefined): string | undefined {
  const [, version, traceId, parentId, more] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (version === undefined || traceId === undefined || parentId === undefined || version === 'ff') return undefined;
  // Only a version to come may have more fields.
  if (version === '00' && more !== undefined) return undefined;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? undefined : traceId;
}
