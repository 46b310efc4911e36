/** Runs `forum`. Answers are JSON, errors JSON or one line; the exit code is the kind of error (docs/client#forum). */
import { parseArgs } from 'node:util';
import { didYouMean } from '../hints/nearest.ts';
import { oneOf } from '../hints/words.ts';
import { VERSION } from '../protocol/service.ts';
import { Arguments, type Io, UsageError } from './arguments.ts';
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, failureOf, lineOf } from './failure.ts';
import { commandHelp, generalHelp, groupHelp, synopsis } from './help.ts';
import { asJson, asText } from './text.ts';

export { EXIT };

/** Only words of this form are repeated in messages. */
const WORD = /^[A-Za-z][\w.-]{0,31}$/;

export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const { name, rest } = namedCommand(asked(argv));
  if (name === undefined || name === '--help') {
    io.writeStdout(generalHelp(COMMANDS));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === 'version') {
    io.writeStdout(`${VERSION}\n`);
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const group = command === undefined ? commandsOf(name) : {};
  if (Object.keys(group).length > 0 && ['--help', 'help'].includes(rest[0] ?? '')) {
    io.writeStdout(groupHelp(name, group));
    return EXIT.ok;
  }
  try {
    if (command === undefined) throw unknownCommand(name, rest[0]?.startsWith('-') ? undefined : rest[0], group);
    return await runCommand(name, command, rest, io);
  } catch (error) {
    if (io.env.FORUM_DEBUG) throw error;
    const { exitCode, report } = failureOf(error, command && { ...command, name }, io.env);
    io.writeStderr(io.isForPeople || rest.includes('--text') ? `${lineOf(report)}\n` : asJson(report));
    return exitCode;
  }
}

/** `help post` and `post -h` are `post --help`. */
function asked(argv: readonly string[]): readonly string[] {
  const words = argv.map((word) => (word === '-h' ? '--help' : word));
  return words[0] === 'help' ? [...words.slice(1), '--help'] : words;
}

function namedCommand(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const both = argv.slice(0, 2).join(' ');
  const words = argv.length > 1 && Object.hasOwn(COMMANDS, both) ? 2 : 1;
  return { name: words === 2 ? both : argv[0], rest: argv.slice(words) };
}

function commandsOf(word: string): Readonly<Record<string, Command>> {
  return Object.fromEntries(Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${word} `)));
}

function unknownCommand(
  name: string,
  second: string | undefined,
  group: Readonly<Record<string, Command>>,
): UsageError {
  if (Object.keys(group).length === 0)
    return new UsageError(
      noCommand(
        name,
        Object.keys(COMMANDS).flatMap((each) => [each, each.split(' ')[0]!]),
      ),
    );
  const names = Object.keys(group);
  const message =
    second === undefined ? `${name} needs a second word: ${oneOf(names)}` : noSecondWord(name, second, names);
  const commands = Object.fromEntries(Object.entries(group).map(([each, { summary }]) => [each, summary]));
  return new UsageError(message, { hint: `forum ${name} --help`, commands });
}

function noSecondWord(name: string, second: string, names: readonly string[]): string {
  return noCommand(`${name} ${second}`, Object.hasOwn(COMMANDS, second) ? [second] : names);
}

function noCommand(name: string, names: readonly string[]): string {
  return name.split(' ').every((word) => WORD.test(word))
    ? `no command ${name}${didYouMean(name, names)}`
    : 'no such command';
}

async function runCommand(name: string, command: Command, argv: readonly string[], io: Io): Promise<number> {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const { values, positionals } = parse(argv, options);
  if (values.help === true) {
    io.writeStdout(commandHelp(name, command, commandsOf(name)));
    return EXIT.ok;
  }
  const given = Object.entries(options).filter(([option]) => values[option] !== undefined);
  const replaced = given.flatMap(([, { insteadOf = [] }]) => insteadOf);
  const expected = command.positionals.filter(({ shown }) => !replaced.includes(shown));
  const required = expected.filter(({ byDefault }) => byDefault === undefined);
  if (positionals.length < required.length || positionals.length > expected.length) {
    const [second] = positionals;
    const others = Object.keys(commandsOf(name));
    const isOther = second !== undefined && positionals.length > expected.length && others.length > 0;
    throw new UsageError(isOther ? noSecondWord(name, second, others) : `usage: ${synopsis(name, command)}`);
  }
  const named = new Map(
    expected.map(({ shown, byDefault }, index) => [shown, positionals[index] ?? byDefault?.() ?? '']),
  );
  const args = new Arguments(values, named, io);
  const answer = await command.run(args);
  if (answer !== undefined) io.writeStdout(args.isText ? asText(answer) : asJson(answer));
  return EXIT.ok;
}

function parse(argv: readonly string[], options: Readonly<Record<string, Option>>) {
  const config = Object.entries(options).map(([name, { value, multiple }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: multiple === true }] as const;
  });
  try {
    const parsed = parseArgs({
      args: [...argv],
      options: Object.fromEntries(config),
      allowPositionals: true,
      strict: true,
      allowNegative: true,
      tokens: true,
    });
    if (parsed.values.help !== true) requireOnce(parsed.tokens, options);
    return parsed;
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
      throw new UsageError(optionProblem(error.message, options), { cause: error });
    }
    throw error;
  }
}

/** Throws UsageError if an option without `multiple` is repeated, because all but the last would be ignored. */
function requireOnce(
  tokens: readonly { readonly kind: string; readonly name?: string }[],
  options: Readonly<Record<string, Option>>,
): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === 'option' && name !== undefined ? [name] : []));
  const again = names.find((name, index) => names.indexOf(name) !== index && options[name]?.multiple !== true);
  if (again !== undefined) throw new UsageError(`--${again}: given more than once`);
}

/** Node's message quotes the option. */
function optionProblem(message: string, options: Readonly<Record<string, Option>>): string {
  const [, option = ''] = /'--?([A-Za-z][\w-]*)/.exec(message) ?? [];
  if (!WORD.test(option)) return 'no such option';
  const known = Object.hasOwn(options, option) ? options[option] : undefined;
  if (known?.value !== undefined) return `--${option}: the value is missing, as in --${option}=${known.value}`;
  if (known !== undefined) return `--${option}: takes no value`;
  const names = Object.keys(options).map((name) => `--${name}`);
  return `no option --${option}${didYouMean(`--${option}`, names)}`;
}
