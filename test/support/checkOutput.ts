import { type Operation, otherStatusesOf } from '../../src/operation/operation.ts';
import { validate } from '../../src/operation/schemas.ts';

/** Throws if a response differs from what its operation declares. */
export function checkOutput(op: Operation, body: object, text: string, status: number): void {
  if ((op.kind === 'write' || op.kind === 'preview') && ![op.status, ...otherStatusesOf(op)].includes(status as 200))
    throw new Error(`${op.name} answered ${status}`);
  const { error } = validate(op.output, JSON.parse(text));
  if (error) throw new Error(`${op.name} returned a body that its schema does not allow: ${error.message}`);
  if (!isPlain(body)) throw new Error(`${op.name} returned values that JSON cannot represent`);
}

/** True if JSON says the same: a property that is absent may be undefined. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((each) => each !== undefined && isPlain(each));
  if (typeof value !== 'object' || value === null) return !['bigint', 'function', 'symbol'].includes(typeof value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}
