/** `forum`: JSON on standard output, errors as JSON on standard error, and exit codes that scripts can use. */
import { parseArgs } from 'node:util';
import { Arguments, type Io, UsageError } from './arguments.ts';
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { COMMANDS } from './commands.ts';
import { ArgumentError, type Attempt, ForumError, ForumNetworkError } from './errors.ts';
import { FindingError } from './finding.ts';
import { commandHelp, generalHelp, groupHelp, synopsis } from './help.ts';
import { KeyFileError } from './keys.ts';
import { ProofError } from './proof.ts';
import { ReceiptError } from './receipt.ts';

export const EXIT = { ok: 0, refused: 1, usage: 2, network: 3 } as const;

/** Control and bidirectional characters that JSON.stringify leaves alone: a post must not steer the terminal. */
const UNSAFE_IN_TERMINAL = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Runs one command line (without the program's name) and answers its exit code. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const { name, rest } = namedCommand(argv);
  if (name === undefined || name === '--help' || name === 'help') {
    io.writeStdout(generalHelp(COMMANDS));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const group = command === undefined ? commandsOf(name) : {};
  if (Object.keys(group).length > 0 && ['--help', 'help'].includes(rest[0] ?? '')) {
    io.writeStdout(groupHelp(name, group));
    return EXIT.ok;
  }
  try {
    if (command === undefined) throw unknownCommand(name, rest[0], group);
    return await runCommand(name, command, rest, io);
  } catch (error) {
    const { exitCode, report } = describe(error, command);
    io.writeStderr(asJson(report));
    return exitCode;
  }
}

/** The first word, or the first two where a command is named by both. */
function namedCommand(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const both = argv.slice(0, 2).join(' ');
  const words = argv.length > 1 && Object.hasOwn(COMMANDS, both) ? 2 : 1;
  return { name: words === 2 ? both : argv[0], rest: argv.slice(words) };
}

/** The commands whose first word it is. */
function commandsOf(word: string): Readonly<Record<string, Command>> {
  return Object.fromEntries(Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${word} `)));
}

function unknownCommand(
  name: string,
  second: string | undefined,
  group: Readonly<Record<string, Command>>,
): UsageError {
  if (Object.keys(group).length === 0) return new UsageError(`no command ${name}`);
  const message =
    second === undefined ? `${name} is the first word of several commands` : `no command ${name} ${second}`;
  const commands = Object.fromEntries(Object.entries(group).map(([each, { summary }]) => [each, summary]));
  return new UsageError(message, { hint: `forum ${name} --help`, commands });
}

async function runCommand(name: string, command: Command, argv: readonly string[], io: Io): Promise<number> {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const { values, positionals } = parse(argv, options);
  if (values.help === true) {
    io.writeStdout(commandHelp(name, command));
    return EXIT.ok;
  }
  if (positionals.length !== command.positionals.length) {
    throw new UsageError(`usage: ${synopsis(name, command)}`);
  }
  const named = new Map(command.positionals.map(({ shown }, index) => [shown, positionals[index]!]));
  const answer = await command.run(new Arguments(values, named, io));
  if (answer !== undefined) io.writeStdout(asJson(answer));
  return EXIT.ok;
}

function parse(argv: readonly string[], options: Readonly<Record<string, Option>>) {
  const config = Object.entries(options).map(([name, { value, multiple }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: multiple === true }] as const;
  });
  try {
    return parseArgs({ args: [...argv], options: Object.fromEntries(config), allowPositionals: true, strict: true });
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
      throw new UsageError(error.message, { cause: error });
    }
    throw error;
  }
}

interface Failure {
  exitCode: number;
  report: Record<string, unknown>;
}

/** Throws what is none of the expected failures: that is a bug, and its stack should be seen. */
function describe(error: unknown, command: Command | undefined): Failure {
  if (error instanceof UsageError || error instanceof ArgumentError) {
    const { hint = 'forum --help', commands }: Partial<UsageError> = error instanceof UsageError ? error : {};
    return { exitCode: EXIT.usage, report: { error: 'usage', message: error.message, commands, hint } };
  }
  if (error instanceof KeyFileError) {
    const hint = error.reason === 'missing' ? 'forum keygen' : undefined;
    return { exitCode: EXIT.usage, report: { error: 'key_file', message: error.message, hint } };
  }
  if (error instanceof FindingError) {
    const { message, comparisons } = error;
    return { exitCode: EXIT.refused, report: { error: 'finding', message, comparisons } };
  }
  if (error instanceof ReceiptError) {
    return { exitCode: EXIT.refused, report: { error: 'receipt', message: error.message } };
  }
  if (error instanceof ProofError) {
    return { exitCode: EXIT.refused, report: { error: 'proof', message: error.message } };
  }
  if (error instanceof ForumNetworkError) {
    const { message, timedOut, attempt } = error;
    const report = { error: 'network', message, timedOut, ...attempt, hint: reconcileHint(command, attempt) };
    return { exitCode: EXIT.network, report };
  }
  if (error instanceof ForumError) return describeRefusal(error, command);
  throw error;
}

function describeRefusal(error: ForumError, command: Command | undefined): Failure {
  const { status, field, maxBytes, requestId, retryAfterSeconds, attempt } = error;
  const isForum = error.token !== 'unexpected_response' && error.token !== 'redirect_refused';
  const hint = error.token === 'unauthorized' ? unauthorizedHint(error) : undefined;
  const isFault = status >= 500 || error.token === 'internal' || error.token === 'unavailable';
  const lost = isFault || !isForum ? reconcileHint(command, attempt) : undefined;
  return {
    exitCode: isForum ? EXIT.refused : EXIT.network,
    report: {
      error: error.token,
      status,
      field,
      maxBytes,
      requestId,
      retryAfterSeconds,
      ...attempt,
      hint: hint ?? lost,
    },
  };
}

function unauthorizedHint({ serverTimeMs, attempt }: ForumError): string {
  const clock =
    serverTimeMs === undefined || attempt === null
      ? 'the clock'
      : `the clock (${Math.round(serverTimeMs / 1000 - attempt.timestamp)} s behind the server, 300 are allowed)`;
  return `check ${clock}, the address, and that this key is registered here (forum whoami)`;
}

function reconcileHint(command: Command | undefined, attempt: Attempt | null): string | undefined {
  if (command?.writes !== true || attempt === null) return undefined;
  const { nonce, timestamp } = attempt;
  return `it may have been applied; before sending it again: forum reconcile --timestamp ${timestamp} -- ${nonce}`;
}

function asJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(UNSAFE_IN_TERMINAL, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
