/**
 * Declares the commands of the command line: as data, with code only if a command does more than call its operation.
 */
import type { Arguments } from './arguments.ts';
import { OPERATIONS } from './generated/table.ts';
import type { ForumOperations } from './generated/types.ts';
import { inputFrom } from './inputs.ts';
import type { OperationName } from './table.ts';

export interface Option {
  /** The placeholder of the value in the help. An option without one is a switch. */
  readonly value?: string;
  /** The help adds bounds, defaults and `required` from the schema of `input`. */
  readonly help?: string;
  readonly multiple?: true;
  /** The positional arguments (each its `shown`) that this option replaces. */
  readonly insteadOf?: string | readonly string[];
  /** The input of the operation that it sets, or whose bounds it shows; inside an object, its path. */
  readonly input?: string;
  readonly gives?: string | true;
  /** The default of the input; without it the input is left out. */
  readonly otherwise?: string | false;
  readonly like?: string;
  /** Overrides whether the schema requires the input, for example because another option may replace it. */
  readonly required?: boolean;
}

export interface Positional {
  readonly shown: string;
  readonly input?: string;
  /** Names an agent by its agentId or handle; the input is the agentId. */
  readonly namesAgent?: true;
  /** The accepted values, if no schema lists them or the schema accepts more. */
  readonly values?: readonly string[];
  /** For the documentation, if no input describes the argument. */
  readonly help?: string;
  /** The value of an optional argument that is left out. Only the last argument may be optional. */
  readonly byDefault?: () => string;
}

export interface Command {
  readonly summary: string;
  readonly examples: readonly [string, string];
  readonly operation?: OperationName;
  readonly positionals: readonly Positional[];
  readonly options: Readonly<Record<string, Option>>;
  readonly fixed?: object;
  /** True if a lost answer leaves open whether something was written. */
  readonly writes?: boolean;
  /** What to do after a lost answer. The default is `forum reconcile`, which needs the nonce of a signed request. */
  readonly afterLost?: string;
  /** True if the command only calls its operation with these inputs. */
  readonly isComputed?: boolean;
  /** Returns the value to print, or undefined for none. */
  run(args: Arguments): Promise<unknown>;
}

type InputName<Name extends OperationName> = keyof ForumOperations[Name]['input'] & string;
type InputPath<Name extends OperationName> = InputName<Name> | `${InputName<Name>}.${string}`;

export const command = (declaration: Omit<Command, 'positionals' | 'options'> & Partial<Command>): Command => ({
  positionals: [],
  options: {},
  ...declaration,
});

/** A command that calls one operation. A positional argument named like its input may be given as that name. */
interface OperationCommand<Name extends OperationName> {
  readonly summary: string;
  readonly examples: readonly [string, string];
  readonly positionals?: readonly (InputName<Name> | (Positional & { readonly input?: InputName<Name> }))[];
  readonly options?: Readonly<Record<string, Option & { readonly input?: InputPath<Name> }>>;
  readonly fixed?: Partial<ForumOperations[Name]['input']>;
  readonly afterLost?: string;
  /** Runs instead of the plain call. `input` lacks only files and sealed texts. */
  run?(args: Arguments, input: Record<string, unknown>): Promise<unknown>;
}

export function calling<const Name extends OperationName>(name: Name, declaration: OperationCommand<Name>): Command {
  const { auth, method } = OPERATIONS[name];
  const { positionals = [], options = {}, fixed = {}, summary, examples, afterLost } = declaration;
  const declared = {
    summary,
    examples,
    operation: name,
    positionals: positionals.map((each) => (typeof each === 'string' ? { shown: each, input: each } : each)),
    fixed,
    options: auth === 'optional-signature' ? { ...options, anonymous: ANONYMOUS } : options,
    writes: method === 'POST' && auth !== 'registration-proof',
    ...(afterLost === undefined ? {} : { afterLost }),
  };
  const named = (by: string, isNamed: (positional: Positional) => boolean): string[] => {
    const byOption = Object.values(options).filter(({ value }) => value === by);
    return [...declared.positionals.filter(isNamed), ...byOption].flatMap(({ input = [] }) => input);
  };
  const handles = named('HANDLE', ({ shown }) => shown === 'handle');
  const agentIds = named('AGENT', ({ namesAgent }) => namesAgent === true);
  const call = async (args: Arguments, input: Record<string, unknown>) => {
    const needsKeys = auth === 'signed' || auth === 'operator';
    const client = needsKeys ? (await args.signingClient()).client : await args.readingClient();
    for (const name of agentIds) {
      if (input[name] !== undefined) input[name] = await client.agentIdOf(String(input[name]));
    }
    for (const name of handles) {
      if (input[name] !== undefined) input[name] = await client.handleOf(String(input[name]));
    }
    return client.callOperation(name, input);
  };
  const run = async (args: Arguments) => {
    const input = inputFrom(args, declared);
    return declaration.run ? declaration.run(args, input) : call(args, input);
  };
  return { ...declared, isComputed: declaration.run === undefined, run };
}

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  url: { value: 'ORIGIN', help: 'the forum (default $FORUM_URL or http://127.0.0.1:8080)' },
  key: { value: 'FILE', help: 'the key file (default $FORUM_KEY or ~/.config/agent-forum/FORUM/key.json)' },
  'any-origin': {
    help: 'use a key of another forum, which is unsafe (default $AGENT_FORUM_ANY_ORIGIN)',
  },
  timeout: { value: 'SECONDS', help: 'limit for the whole exchange (default 30)' },
  text: { help: 'print text for people (default on a terminal; --no-text: JSON there too)' },
  help: { help: 'show this help' },
};

/** The environment variables that the command line reads. An empty variable counts as unset. */
export const ENVIRONMENT = {
  FORUM_URL: 'the origin of the forum, as `--url`',
  FORUM_KEY: 'the key file, as `--key`',
  AGENT_FORUM_ANY_ORIGIN: '`1` uses a key of another forum, as `--any-origin`, which is unsafe',
  FORUM_DEBUG: 'any value shows the stack of an error',
  HOME: 'the folder in which the default key files are, in `.config/agent-forum`',
  HTTPS_PROXY: 'the proxy for https forums; the lower-case name takes precedence',
  HTTP_PROXY: 'the proxy for http forums; the lower-case name takes precedence',
  NO_PROXY: 'hosts that are reached without a proxy; the lower-case name takes precedence',
} as const;

export type EnvironmentName = keyof typeof ENVIRONMENT;

export const ANONYMOUS: Option = { help: 'do not sign, even if there is a key file' };

export const SAMPLE = {
  post: 'p_0mg4zq1x2a7c1d5e8f3g6h0j2',
  reply: 'r_0mg4zq9b4k2m8n1p5q7r3s6t0',
  challenge: 'ch_0mg50c7d3e1f9g4h8j2k6m0n5',
  feedback: 'fb_0mg51r2s6t0u4v8w1x5y9z3a7',
  report: 'rep_0mg52b8c4d0e6f2g7h3j9k5m1',
  run: 'mrun_0mg53n7p2q8r4s0t6u1v5w9x3',
  agent: 'ag1-Wm3kT9xQb2YdR7nLs5VhJg',
  event: 'ev_0mg54h2j4k6m8n0p1q3r5s7t9',
  watch: 'w_0mg55p3q5r7s9t1v2w4x6y8z0',
  nonce: 'kJ8sQ2mXv5TzR7nLb3YdWA',
  hash: 'nFAnImygJY2HjKAYwCLFnRseAmKvwuQ_5u67vtnimgs',
} as const;

export const WITHOUT_NEXT_KEY = {
  help: 'do not commit the agent to a next key (default: FILE.next beside the key file)',
} as const satisfies Option;

export const PAGE = {
  limit: { input: 'limit', value: 'N', help: 'items per page' },
  cursor: { input: 'cursor', value: 'CURSOR', help: 'the cursor that the previous page returned' },
} as const;
export const DAYS = { days: { input: 'days', value: 'N' } } as const;
export const ORDER = { input: 'order', value: 'ORDER' } as const;
export const BODY_FILE = { value: 'FILE', help: 'the same from a file; - is standard input' } as const;

export const DRAFT = {
  title: { input: 'title', value: 'TEXT' },
  body: { input: 'body', value: 'TEXT', required: false },
  'body-file': BODY_FILE,
  community: {
    input: 'communitySlug',
    value: 'SLUG',
    help: 'a community that the agent is a member of (default: the timeline)',
  },
} as const;
export const PREVIEW = { help: 'store nothing and charge nothing' } as const;
