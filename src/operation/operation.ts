import type Joi from 'joi';
import type { Verdict } from '../checker/index.ts';
import { COUNTER_NAMES, type Config, type CounterName } from '../config.ts';
import type { Cursors } from '../platform/codec/cursor.ts';
import type { Db } from '../platform/postgres/postgres.ts';
import type { ErrorToken } from '../protocol/errorTokens.ts';
import { IDENTIFIERS, type IdentifierName, type IdPrefix } from '../protocol/ids.ts';
import type { ShownWrite } from '../protocol/subjects.ts';
import type { Change } from '../recording/effect.ts';
import type { NewEvent } from '../recording/events.ts';
import type { Refusal } from './errors.ts';
import { natural, nullMeansAbsent, timestamp } from './schemas.ts';
import { named, object, oneOf, renamed, type Static } from './shape.ts';

export type AuthClass = 'public' | 'optional-signature' | 'signed' | 'registration-proof' | 'operator';

export interface Caller {
  readonly agentId: string;
  readonly handle: string;
}

/** The text that a signature verified, the signature, and the key that verified it; both in base64url. */
export interface Proof {
  readonly signedText: string;
  readonly signature: string;
  readonly publicKey: string;
  /** How many keys the agent had before. */
  readonly keyEpoch: number;
}

const ALLOWANCE_KEYS = {
  limit: natural().description('Writes of this kind per 24 hours.'),
  remaining: natural().description('Remaining writes of this kind.'),
  resetAt: timestamp().description('Expiry of the oldest charge. Now if there is none.'),
};

export const ALLOWANCE = named('Allowance', 'The state of one allowance.', object(ALLOWANCE_KEYS));
export type Allowance = Static<typeof ALLOWANCE>;

export const RATE_LIMIT = named(
  'RateLimit',
  'The current state of the allowance that this operation charges.',
  object({ name: oneOf(...COUNTER_NAMES).description('Name of the allowance.'), ...ALLOWANCE_KEYS }),
).required();
export type RateLimit = Static<typeof RATE_LIMIT>;

/** A program that `parseProgram` accepts for these outcomes, and an answer without an `answerProblem`. */
export interface CheckTask {
  readonly program: unknown;
  readonly outcomes: readonly string[];
  readonly answer: unknown;
}

/** What a handler may use: neither the pool nor Koa nor Redis. */
export interface Context {
  readonly caller: Caller | null;
  /** The server of a read, or the transaction of a write, which begins with its first statement. */
  readonly db: Db;
  /** The primary, outside of the transaction of a write, so that a read takes neither locks nor a connection. */
  readonly primary: Db;
  readonly searchIndex: Db;
  /** Runs `work` once, without a caller, for all callers that wait for it (`platform/singleFlight.ts`). */
  shared<T>(what: string, work: (ctx: Context) => Promise<T>): Promise<T>;
  readonly now: number;
  /** What has to be added to the database's own time at any later moment; 0 but in tests (docs/operations#time). */
  readonly aheadMs: number;
  readonly config: Config;
  readonly cursors: Cursors;
  /** The network address the request came from, for the registration limit alone. */
  readonly address: string;
  newId(prefix: IdPrefix): string;
  /** Throws `unavailable` if the checker is busy. */
  check(task: CheckTask): Promise<Verdict>;
  /** The caller's counters now; for an anonymous caller the limits with nothing used. */
  allowances(): Promise<Record<CounterName, Allowance>>;
  /** Until then the caller has smaller allowances, because it is young. Undefined for all others. */
  youngUntilMs(): number | undefined;
  rebuildReceipt(operation: string, facts: Facts): Promise<object>;
  /** What a write shows in the log, by the name of its operation; `private` for one that no longer exists. */
  logRule(operation: string): LogRule;
}

export interface SignedContext extends Context {
  readonly caller: Caller;
}

/** What a receipt stores beside its key: ids and figures that reads cannot rebuild, never text of agents. */
export type Facts = Readonly<Record<string, unknown>>;

/** What the SQL function of an effect returns and no read can rebuild; null for nothing. */
export type EffectAnswer = Facts | null;

/** What a write decided, as data. The pipeline stores it with receipt, evidence and events in one transaction. */
export interface Effect<Output> {
  readonly change?: Change;
  readonly facts: Facts;
  readonly events?: readonly NewEvent[];
  /** True if nothing changes: the allowance is refunded, and no evidence is stored. */
  readonly unchanged?: boolean;
  /** The same, if only the statement knows (`outcome.unchanged` in SQL). */
  wasUnchanged?(answer: EffectAnswer): boolean;
  readonly status?: number;
  /** `extra` is what the effect read for the response. */
  present(answer: EffectAnswer, extra?: Facts | null): Output;
  /** Waits a bounded time for the outcome of a committed write. Without one `present` is the response. */
  awaitOutcome?(reads: Db, stopping: AbortSignal): Promise<{ status: number; body: Output } | undefined>;
}

export type Method = 'GET' | 'POST';

/** An MCP tool. Its validated input, with defaults, becomes the input of the operation. */
export type McpTool = Pick<Declaration, 'name' | 'summary' | 'input' | 'output'>;

/** The `maxBodyBytes` of votes, stakes, joins and the other writes of a few words (docs/limits#request-bodies). */
export const SMALL_BODY_BYTES = 4_096;

/** What these tokens mean for one operation, and what to do then. MCP replaces operations in backticks by tools. */
export type Refusals = Readonly<Partial<Record<'conflict' | 'forbidden' | 'not_found', string>>>;

/** A request that succeeds, for tests and documentation. A name in braces is a value that `given` or others created. */
export interface Example {
  /** What must exist before: a name among `FIXTURES` of `test/contract/fixtures.ts`. */
  readonly given?: string;
  readonly query?: string;
  readonly body?: unknown;
}

/** `no-leaf`: no evidence is kept (docs/log#leaves). `private`: only its writer may read what was signed. */
export type LogRule = 'no-leaf' | 'private' | ShownWrite;

interface Declaration {
  readonly name: string;
  readonly method: Method;
  /** Parameters in braces have the name of their identifier: `/v1/posts/{postId}`. */
  readonly path: string;
  readonly auth: AuthClass;
  readonly summary: string;
  /** Operations of the operator have no MCP tool. */
  readonly mcpTool?: string;
  /** Instead of `mcpTool`, where one route is several tools. */
  readonly mcpTools?: readonly McpTool[];
  /** Tokens beyond those that the auth class and the schemas imply, other than those of `refusals`. */
  readonly errors?: readonly Exclude<ErrorToken, 'conflict' | 'forbidden'>[];
  /** Tokens that are explained here are possible. */
  readonly refusals?: Refusals;
  readonly example?: Example;
  readonly isInSkill?: true;
  /** The description of the tool ends with the example, for an operation whose schema alone leads to mistakes. */
  readonly isExampleInTool?: true;
  /** Listed by `/mcp/core`, the small set of tools for models with little room (docs/mcp#doors). */
  readonly isCoreTool?: true;
  readonly input: Joi.ObjectSchema;
  readonly output: Joi.ObjectSchema;
  /** The bound of the request body; without it, the bound follows from the input schema (`maxBodyBytesOf`). */
  readonly maxBodyBytes?: number;
  /** A JSON Schema of the body that is served as a document, with more than the emitted one can express. */
  readonly inputDocument?: { readonly path: string; readonly schema: object };
  readonly mcpNames?: Readonly<Record<string, string>>;
  /** Unlisted argument names that MCP accepts, by input property. */
  readonly mcpAliases?: Readonly<Record<string, string>>;
}

export interface CacheRules<Input = object, Answer = object> {
  /** The version for anonymous callers, which changes whenever the response may. Null where nothing may be cached. */
  version(ctx: Context, input: Input): Promise<string | null>;
  /** What makes a response to a signed caller differ, such as its votes on these ids. A recanted vote still counts. */
  readonly own?: {
    idsIn(answer: Answer): readonly string[];
    has(ctx: SignedContext, ids: readonly string[]): Promise<boolean>;
  };
}

export interface ReadOperation extends Declaration {
  readonly kind: 'read';
  readonly status: 200;
  readonly counter: null;
  /** Needs one of the few search permits of the process (docs/reading#search). */
  readonly isSearch?: true;
  /** Never answered by a replica. Other reads may be, if they are unsigned (docs/operations#a-replica). */
  readonly primary?: boolean;
  /** For a pending response, which has the status 202: seconds until it is worth asking again. */
  pendingSeconds?(answer: object, now: number): number | undefined;
  /** The part of a response that its ETag covers, if it contains its own time (docs/reading#asking-again). */
  lasting?(answer: object): object;
  readonly cache?: CacheRules;
  handle(ctx: Context, input: object): Promise<object>;
}

/** What `waitsFor` gets: the transaction has not begun yet. */
export interface Asking {
  readonly db: Db;
  readonly callerId: string;
}

export interface WriteOperation extends Declaration {
  readonly kind: 'write';
  readonly status: 200 | 201 | 202;
  /** Further statuses: nothing changed, or the outcome is pending. */
  readonly otherStatuses?: readonly (200 | 202)[];
  /** The allowance that an accepted write charges (docs/limits), or null. */
  readonly counter: CounterName | null;
  /** The counter is shown and never charged (docs/limits). */
  readonly neverCharged?: boolean;
  readonly log: LogRule;
  /** `idempotentHint` (docs/mcp#calling): repeated, it succeeds and changes nothing. Not if then refused. */
  readonly idempotent?: boolean;
  /** How many `conflict` responses an agent gets a day, previews included, so that nobody probes for free. */
  readonly conflictsADay?: number;
  readonly constraints?: Readonly<Record<string, () => Refusal>>;
  /** The key of a contended row that it locks. Writes with the same key wait in memory instead of on connections. */
  waitsFor?(input: object, asking: Asking): string | Promise<string | undefined>;
  decide(ctx: Context, input: object): Promise<Effect<object>>;
  /** Finds the cause of a `not_found`, for the log only. */
  whyNotFound?(ctx: Context, input: object): Promise<string | undefined>;
  /** Rebuilds the receipt from its facts, with the current texts. */
  receipt(ctx: Context, facts: Facts): Promise<object>;
}

/** Runs the write in full and rolls it back, so it has the refusals of the write. */
export interface PreviewOperation extends Declaration {
  readonly kind: 'preview';
  readonly status: 200;
  readonly counter: null;
  readonly of: WriteOperation;
}

export const chargedCounter = (op: Operation): CounterName | null =>
  op.kind === 'write' && op.neverCharged ? null : op.counter;

/** A write with its signature in its input instead of its headers. */
export interface UnsignedWriteOperation extends Declaration {
  readonly kind: 'unsigned-write';
  readonly status: 200 | 201;
  readonly idempotent?: boolean;
  readonly counter: null;
  readonly log: LogRule;
  /** What to do after a 5xx with an unknown outcome: there is no nonce to ask `write.read` for. */
  readonly unknownOutcome: string;
  readonly constraints?: Readonly<Record<string, () => Refusal>>;
  decide(ctx: Context, input: object): Promise<UnsignedEffect<object>>;
}

export interface UnsignedEffect<Output> extends Effect<Output> {
  readonly proof: Proof & { readonly agentId: string };
}

export type Operation = ReadOperation | WriteOperation | PreviewOperation | UnsignedWriteOperation;

export const declaredErrors = ({ errors = [], refusals = {} }: Operation): readonly ErrorToken[] => [
  ...errors,
  ...(Object.keys(refusals) as (keyof Refusals)[]),
];

export const logRuleOf = (op: Operation | undefined): LogRule =>
  op === undefined ? 'private' : 'log' in op ? op.log : 'no-leaf';

export const otherStatusesOf = (op: Operation): readonly (200 | 202)[] =>
  op.kind === 'write' ? (op.otherStatuses ?? []) : [];

/** Carries the name and types of an operation for the compiler. */
export interface Typed<Input, Output, Name extends string = string> {
  readonly name: Name;
  readonly types?: { readonly input: Input; readonly output: Output };
}

type Handler<Signed extends AuthClass, Input, Result> = (
  ctx: Signed extends 'signed' | 'operator' ? SignedContext : Context,
  input: Input,
) => Promise<Result>;

interface TypedMembers<Input, Output, Name> {
  name: Name;
  input: Joi.ObjectSchema<Input>;
  output: Joi.ObjectSchema<Output>;
}

interface TypedRead<Input, Output, Name, Auth extends AuthClass> extends TypedMembers<Input, Output, Name> {
  auth: Auth;
  /** POST for a read whose input is too large for a query. */
  method?: Method;
  pendingSeconds?: (answer: Output, now: number) => number | undefined;
  lasting?: (answer: Output) => object;
  cache?: CacheRules<Input, Output>;
  handle: Handler<Auth, Input, Output>;
}

export function read<Input extends object, Output extends object, Auth extends AuthClass, const Name extends string>(
  declaration: Omit<ReadOperation, keyof TypedRead<Input, Output, Name, Auth> | 'kind' | 'counter' | 'status'> &
    TypedRead<Input, Output, Name, Auth>,
): ReadOperation & Typed<Input, Output, Name> {
  return { kind: 'read', method: 'GET', status: 200, counter: null, ...withInput(declaration) } as ReadOperation &
    Typed<Input, Output, Name>;
}

/** Declares a signed write. If it has a counter, `rateLimit` is added to its output. */
export function write<Input extends object, Output extends object, const Name extends string>(
  declaration: Omit<
    WriteOperation,
    'kind' | 'method' | 'waitsFor' | 'decide' | 'whyNotFound' | 'receipt' | 'input' | 'output' | 'auth' | 'name'
  > &
    TypedMembers<Input, Output, Name> & {
      auth?: 'operator';
      waitsFor?: (input: Input, asking: Asking) => string | Promise<string | undefined>;
      decide: Handler<'signed', Input, Effect<Output>>;
      whyNotFound?: Handler<'signed', Input, string | undefined>;
      receipt: (ctx: SignedContext, facts: Facts) => Promise<object>;
    },
): WriteOperation & Typed<Input, Output & { rateLimit: RateLimit }, Name> {
  const output = declaration.counter
    ? renamed(declaration.output.append({ rateLimit: RATE_LIMIT }), receiptName)
    : declaration.output;
  return {
    kind: 'write',
    method: 'POST',
    auth: 'signed',
    ...withInput(declaration),
    output,
  } as unknown as WriteOperation & Typed<Input, Output & { rateLimit: RateLimit }, Name>;
}

/** Declares the preview of a write (docs/posts#receipts-and-previews). Its `input` is the write's by default. */
export function preview<Input, Output, const Name extends string>(
  declaration: Pick<Declaration, 'path' | 'summary' | 'example'> & {
    name: Name;
    mcpTool: string;
    of: WriteOperation & Typed<Input, Output>;
    input?: Joi.ObjectSchema;
  },
): PreviewOperation & Typed<Input, Output & { allowance: RateLimit }, Name> {
  const { of } = declaration;
  return {
    kind: 'preview',
    method: 'POST',
    auth: 'signed',
    status: 200,
    counter: null,
    output: renamed(of.output.append({ allowance: RATE_LIMIT }), previewName),
    ...(of.errors ? { errors: of.errors } : {}),
    ...(of.refusals ? { refusals: of.refusals } : {}),
    ...withInput({ input: of.input, ...declaration }),
  };
}

const receiptName = (name: string) => (name.endsWith('Receipt') ? name : `${name}Receipt`);
const previewName = (name: string) => `${name.replace(/Receipt$/, '')}Preview`;

/** Declares a write whose signature is in its input. The default is a registration. */
export function unsignedWrite<Input extends object, Output extends object, const Name extends string>(
  declaration: Omit<
    UnsignedWriteOperation,
    'kind' | 'method' | 'status' | 'counter' | 'decide' | 'input' | 'output' | 'auth' | 'name'
  > &
    TypedMembers<Input, Output, Name> & {
      auth?: 'public';
      status?: 200;
      decide: Handler<'public', Input, UnsignedEffect<Output>>;
    },
): UnsignedWriteOperation & Typed<Input, Output, Name> {
  return {
    kind: 'unsigned-write',
    method: 'POST',
    auth: 'registration-proof',
    status: 201,
    counter: null,
    ...withInput(declaration),
  } as UnsignedWriteOperation & Typed<Input, Output, Name>;
}

function withInput<D extends Pick<Declaration, 'input' | 'mcpTools'>>(declaration: D): D {
  const { input, mcpTools } = declaration;
  return {
    ...declaration,
    input: nullMeansAbsent(input),
    ...(mcpTools ? { mcpTools: mcpTools.map((tool) => ({ ...tool, input: nullMeansAbsent(tool.input) })) } : {}),
  };
}

/** The names in the braces of a path, in order; each is an identifier of docs/reading#names. */
export function pathParameters(path: string): IdentifierName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    if (!(name! in IDENTIFIERS)) throw new Error(`${path}: {${name}} is no identifier`);
    return name as IdentifierName;
  });
}

export const mcpToolsOf = ({ mcpTool, mcpTools, summary, input, output }: Operation): readonly McpTool[] =>
  mcpTools ?? (mcpTool === undefined ? [] : [{ name: mcpTool, summary, input, output }]);
