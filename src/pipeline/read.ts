import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../operation/errors.ts';
import type { ReadOperation, SignedContext } from '../operation/operation.ts';
import type { ErrorToken } from '../protocol/errorTokens.ts';
import type { Run, Server } from './run.ts';
import type { FreshResponse } from './versionedCache.ts';

/**
 * How many searches wait for a permit, and how long each of them waits (docs/reading#search). They cost the database
 * more than other reads, and anyone can send them.
 */
export const MAX_WAITING_SEARCHES = 32;
const SEARCH_WAIT_MS = 2_000;

const MAX_INPUT_CHARACTERS = 1_048_576;
/** Validated inputs by operation and raw input: a repeated request skips the schema, 8 % of a cached read. */
const validInputs = new LRUCache<string, object>({
  maxSize: MAX_INPUT_CHARACTERS,
  sizeCalculation: (_input, key) => key.length,
});

export interface ReadResponse {
  readonly status: number;
  /** JSON. In UTF-8 it is shared: several callers get the same object, cached or computed for those who waited. */
  readonly text: string | Buffer;
  readonly token?: ErrorToken;
  readonly tag?: () => string;
  /** The body before it is bytes, where it was computed for this request, so that the site need not parse it. */
  readonly fresh?: FreshResponse | undefined;
}

/** Reads from cache, replica or primary. A response never mixes two servers (docs/operations#a-replica). */
export async function read(run: Run, op: ReadOperation): Promise<ReadResponse> {
  const { services, request } = run;
  if (op.auth === 'operator') run.requireOperator();
  const raw = request.input();
  const key = `${op.name} ${JSON.stringify(raw)}`;
  const input = validInputs.get(key) ?? Object.freeze(run.validInput(op, raw));
  validInputs.set(key, input);
  const leave = op.isSearch ? await services.searches.acquire(SEARCH_WAIT_MS) : undefined;
  try {
    // A signer reads its own writes, whether or not this operation looks at signatures.
    const isUnsigned = !run.signed && request.credentials.signature === undefined;
    const agoMs = request.asOf === undefined ? undefined : services.clock.now() - request.asOf;
    const db = op.primary || !isUnsigned ? undefined : services.replica?.current(agoMs);
    if (db) {
      try {
        return await readFrom(run, op, input, { name: 'replica', db });
      } catch (error) {
        const isMissing = error instanceof Refusal && error.token === 'not_found';
        if (!isMissing && !services.replica!.hasFailed(error)) throw error;
      }
    }
    return await readFrom(run, op, input, run.primary);
  } finally {
    leave?.();
  }
}

/** The response of one server, cached where possible, and 202 for a pending one (docs/log#the-tree). */
async function readFrom(run: Run, op: ReadOperation, input: object, server: Server): Promise<ReadResponse> {
  const { cache: rules, status } = op;
  if (rules && (!run.signed || rules.own)) {
    const cached = await run.services.cache.get(`${op.name} ${server.name} ${JSON.stringify(input)}`, {
      version: () => rules.version(run.context(server, { isShared: true }), input),
      compute: async () => {
        const body = await op.handle(run.context(server, { isShared: true }), input);
        const json = run.textOf(op, body);
        const ids = rules.own?.idsIn(body) ?? [];
        return { text: Buffer.from(json), tag: tagOf(op, body, json), ids, fresh: { body, json } };
      },
    });
    // Asked after the version was checked: what the caller does not have now, it did not have then.
    const isOwn = cached && run.signed && (await rules.own!.has(run.context(server) as SignedContext, cached.ids));
    if (cached && !isOwn) {
      const { text, tag, fresh } = cached;
      return { status, text, tag: () => tag, fresh };
    }
  }
  const body = await op.handle(run.context(server), input);
  const text = run.textOf(op, body);
  const pendingSeconds = op.pendingSeconds?.(body, run.now);
  if (pendingSeconds !== undefined) {
    run.headers['retry-after'] = String(pendingSeconds);
    return { status: 202, text };
  }
  return { status, text, tag: () => tagOf(op, body, text), fresh: { body, json: text } };
}

/** A hash of the lasting part of a response, the same in every process (docs/reading#asking-again). */
const tagOf = ({ lasting }: ReadOperation, body: object, text: string): string =>
  `W/"${hash('sha256', lasting ? JSON.stringify(lasting(body)) : text, 'base64url').slice(0, 22)}"`;
