import { type ErrorToken, Refusal } from '../operation/errors.ts';
import type { CacheRules, Operation, ReadOperation, SignedContext } from '../operation/operation.ts';
import { validate } from '../operation/schemas.ts';
import { SEARCH_WAIT_MS } from './concurrencyLimit.ts';
import type { Run, Server } from './run.ts';
import { tagOf } from './validator.ts';
import type { FreshResponse } from './versionedCache.ts';

export interface Answered {
  readonly status: number;
  /** The answer as JSON, in UTF-8 where it is kept. */
  readonly text: string | Buffer;
  /** Of a refusal. */
  readonly token?: ErrorToken;
  /** Of what a read answered: its weak `ETag`, computed when it is asked for. */
  readonly tag?: () => string;
  /**
   * The text is the same piece of memory for all who are answered so: a copy that is kept, or what was made for those who waited
   * and may be kept or not.
   */
  readonly shared?: 'cached' | 'fresh';
  /** What a read answered, where it was made for this request, so that who shows it need not parse it. */
  readonly fresh?: FreshResponse | undefined;
}

/** Answers a read whose caller is known, or nobody. A search first waits for a slot, and throws `Busy` without one. */
export async function read(run: Run, op: ReadOperation): Promise<Answered> {
  if (op.auth === 'operator') run.requireOperator(run.signed!.caller);
  const input = run.validInput(op);
  if (!op.isSearch) return readInput(run, op, input);
  const leave = await run.kernel.searches.acquire(SEARCH_WAIT_MS);
  try {
    return await readInput(run, op, input);
  } finally {
    leave();
  }
}

/** Answers a read from a copy, the replica or the primary. */
async function readInput(run: Run, op: ReadOperation, input: object): Promise<Answered> {
  const { signed } = run;
  // Who signs reads what was written, whether this operation looks at signatures or not.
  const isOfNobody = !signed && run.request.credentials.signature === undefined;
  const fromReplica = op.primary || !isOfNobody ? undefined : await readFromReplica(run, op, input);
  return fromReplica ?? readFrom(run, op, input, run.primary);
}

/** What one server answers, from a copy where one is kept, and 202 for what has no place in the log yet (docs/log#the-tree). */
async function readFrom(run: Run, op: ReadOperation, input: object, server: Server): Promise<Answered> {
  const cached = op.cache && (await readFromCache(run, { op, rules: op.cache, input }, server));
  if (cached) return cached;
  const body = await op.handle(run.readContext(server), input);
  const text = textOf(run, op, body);
  const pendingSeconds = op.pendingSeconds?.(body, run.now);
  if (pendingSeconds !== undefined) {
    run.headers['retry-after'] = String(pendingSeconds);
    return { status: 202, text };
  }
  return { status: op.status, text, tag: () => tagOf(op, body, text), fresh: { body, json: text } };
}

/**
 * What is kept for everybody, if this caller is one of them. Whether it has something of its own is asked afterwards: what it
 * has not then, it had not when the copy was checked.
 */
async function readFromCache(
  run: Run,
  { op, rules: { version, own }, input }: { op: ReadOperation; rules: CacheRules; input: object },
  server: Server,
): Promise<Answered | undefined> {
  const { kernel, signed } = run;
  if (signed && !own) return undefined;
  const cached = await kernel.cache.get(`${op.name} ${server.name} ${JSON.stringify(input)}`, {
    version: () => version(run.sharedContext(server), input),
    compute: async () => {
      const body = await op.handle(run.sharedContext(server), input);
      const json = textOf(run, op, body);
      const ids = own?.idsIn(body) ?? [];
      return { text: Buffer.from(json), tag: tagOf(op, body, json), ids, fresh: { body, json } };
    },
  });
  if (!cached) return undefined;
  const { text, tag, ids, fresh } = cached;
  const shared = fresh ? 'fresh' : 'cached';
  if (signed && (await own!.has(run.readContext(server) as SignedContext, ids))) return undefined;
  return { status: op.status, text, tag: () => tag, shared, fresh };
}

/**
 * What the replica answers; undefined when there is none, it fails, or does not have what was asked for (yet): then the
 * primary is asked from the beginning, so that no answer is put together from two servers (docs/operations#a-replica).
 */
async function readFromReplica(run: Run, op: ReadOperation, input: object): Promise<Answered | undefined> {
  const { replica, clock } = run.kernel;
  const { asOf } = run.request;
  const db = replica?.current(asOf === undefined ? undefined : clock.now() - asOf);
  if (!replica || !db) return undefined;
  try {
    return await readFrom(run, op, input, { name: 'replica', db });
  } catch (error) {
    if (replica.hasFailed(error) || (error instanceof Refusal && error.token === 'not_found')) return undefined;
    throw error;
  }
}

/** An answer as JSON; in tests it is held against its schema. */
export function textOf({ kernel }: Run, op: Operation, body: object): string {
  const text = JSON.stringify(body);
  if (!kernel.checkOutputs) return text;
  const { error } = validate(op.output, JSON.parse(text));
  if (error) throw new Error(`${op.name} answered what its schema does not allow: ${error.message}`);
  if (!isPlain(body)) throw new Error(`${op.name} answered values that JSON does not have`);
  return text;
}

/** Whether JSON says the same of it to a reader: what is not there may be undefined. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((each) => each !== undefined && isPlain(each));
  if (typeof value !== 'object' || value === null) return !['bigint', 'function', 'symbol'].includes(typeof value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}
