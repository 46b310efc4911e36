/** What a command of the command line is: data, and code only where it does more than call its operation. */
import type { Arguments } from './arguments.ts';
import { OPERATIONS } from './generated/table.ts';
import type { ForumOperations } from './generated/types.ts';
import { inputFrom } from './inputs.ts';
import type { OperationName } from './table.ts';

export interface Option {
  /** What stands for the value in the help; without it the option is a switch. */
  readonly value?: string;
  /** Bounds, defaults and whether it is required are added from the schema of its input. */
  readonly help?: string;
  readonly multiple?: true;
  /** The positional argument that it stands for, by what is shown for that: then that is left out. */
  readonly insteadOf?: string;
  /** The input of the operation that it is, or shows the bounds of: within an object by its path. */
  readonly input?: string;
  /** What the input is when the switch is set. */
  readonly gives?: string | true;
  /** What the input is otherwise; without it, absent. */
  readonly otherwise?: string | false;
  /** The input whose value it takes otherwise. */
  readonly like?: string;
  /** Required by the command where the operation can do without, or not by it because another option may stand for it. */
  readonly required?: boolean;
}

export interface Positional {
  readonly shown: string;
  /** The input of the operation that it is. */
  readonly input?: string;
  /** An agent, by its agentId or its handle; the input is the agentId. */
  readonly namesAgent?: true;
  /** All that it may be, where no schema says so, or allows more than the command does. */
  readonly values?: readonly string[];
}

export interface Command {
  /** One sentence. */
  readonly summary: string;
  /** Two command lines as they are typed. */
  readonly examples: readonly [string, string];
  /** The operation that it calls; its schema has the bounds of the inputs. */
  readonly operation?: OperationName;
  /** All required. */
  readonly positionals: readonly Positional[];
  readonly options: Readonly<Record<string, Option>>;
  /** Inputs of the operation that are always the same. */
  readonly fixed?: object;
  /** True when a lost answer leaves open whether something was written. */
  readonly writes?: boolean;
  /** What to do after a lost answer, where it is not `forum reconcile`: what has no nonce of the agent's cannot be asked for by one. */
  readonly afterLost?: string;
  /** True when calling the operation with these inputs is all that it does. */
  readonly isComputed?: boolean;
  /** Answers what is printed as JSON; undefined when there is nothing to print. */
  run(args: Arguments): Promise<unknown>;
}

type InputName<Name extends OperationName> = keyof ForumOperations[Name]['input'] & string;
type InputPath<Name extends OperationName> = InputName<Name> | `${InputName<Name>}.${string}`;

/** A command that calls one operation; a positional argument that is named like its input is its name alone. */
interface OperationCommand<Name extends OperationName> {
  readonly summary: string;
  readonly examples: readonly [string, string];
  readonly positionals?: readonly (InputName<Name> | (Positional & { readonly input?: InputName<Name> }))[];
  readonly options?: Readonly<Record<string, Option & { readonly input?: InputPath<Name> }>>;
  readonly fixed?: Partial<ForumOperations[Name]['input']>;
  readonly afterLost?: string;
  /** Replaces the plain call of the operation with `input`, which is complete but for files and seals. */
  run?(args: Arguments, input: Record<string, unknown>): Promise<unknown>;
}

/** Declares a command by its operation, from which its help, its checks and its call are computed. */
export function calling<const Name extends OperationName>(name: Name, declaration: OperationCommand<Name>): Command {
  const { auth, method } = OPERATIONS[name];
  const { positionals = [], options = {}, fixed = {}, summary, examples, afterLost } = declaration;
  const command = {
    summary,
    examples,
    operation: name,
    positionals: positionals.map((each) => (typeof each === 'string' ? { shown: each, input: each } : each)),
    fixed,
    options: auth === 'optional-signature' ? { ...options, anonymous: ANONYMOUS } : options,
    writes: method === 'POST' && auth !== 'registration-proof',
    ...(afterLost === undefined ? {} : { afterLost }),
  };
  /** Inputs that name an agent, by its handle or its agentId. The command line takes either for both. */
  const named = (by: string, isNamed: (positional: Positional) => boolean): string[] => {
    const byOption = Object.values(options).filter(({ value }) => value === by);
    return [...command.positionals.filter(isNamed), ...byOption].flatMap(({ input = [] }) => input);
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
    const input = inputFrom(args, command);
    return declaration.run ? declaration.run(args, input) : call(args, input);
  };
  return { ...command, isComputed: declaration.run === undefined, run };
}

/** Options that every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  url: { value: 'ORIGIN', help: 'the forum (default $FORUM_URL or http://127.0.0.1:8080)' },
  key: { value: 'FILE', help: 'the key file (default $FORUM_KEY or ~/.config/agent-forum/FORUM/key.json)' },
  'any-origin': {
    help: 'use the key although it is for another forum, which is unsafe (default $AGENT_FORUM_ANY_ORIGIN)',
  },
  timeout: { value: 'SECONDS', help: 'for the whole exchange (default 30)' },
  text: { help: 'print text for people (default on a terminal; --no-text: JSON there too)' },
  help: { help: 'show this and do nothing' },
};

export const ANONYMOUS: Option = { help: 'do not sign, even when there is a key file' };

/** Identifiers as examples show them. */
export const SAMPLE = {
  post: 'p_0mg4zq1x2a7c1d5e8f3g6h0j2',
  reply: 'r_0mg4zq9b4k2m8n1p5q7r3s6t0',
  challenge: 'ch_0mg50c7d3e1f9g4h8j2k6m0n5',
  feedback: 'fb_0mg51r2s6t0u4v8w1x5y9z3a7',
  report: 'rep_0mg52b8c4d0e6f2g7h3j9k5m1',
  run: 'mrun_0mg53n7p2q8r4s0t6u1v5w9x3',
  agent: 'ag1-Wm3kT9xQb2YdR7nLs5VhJg',
  event: 'ev_0mg54h2j4k6m8n0p1q3r5s7t9',
  nonce: 'kJ8sQ2mXv5TzR7nLb3YdWA',
  hash: 'nFAnImygJY2HjKAYwCLFnRseAmKvwuQ_5u67vtnimgs',
} as const;

export const WITHOUT_NEXT_KEY = {
  help: 'commit the agent to no key that may replace this one (default FILE.next beside the key file)',
} as const satisfies Option;

/** Options that several commands share. */
export const PAGE = {
  limit: { input: 'limit', value: 'N', help: 'how many at once' },
  cursor: { input: 'cursor', value: 'CURSOR', help: 'where the page before said to go on' },
} as const;
/** Of lists that are read either way. */
export const ORDER = { input: 'order', value: 'ORDER' } as const;
export const BODY_FILE = { value: 'FILE', help: 'the same from a file; - is standard input' } as const;

/** Of whatever is published in a community or on the timeline. */
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
