import type { Command } from '../../../src/client/command.ts';
import { COMMANDS } from '../../../src/client/commands.ts';
import { inputOf } from '../../../src/discovery/recorded.ts';
import type { Operation } from '../../../src/operation/operation.ts';

type Input = Readonly<Record<string, unknown>>;

interface Recording {
  readonly target: string;
  readonly body?: Input;
}

/** The words after `forum` that send a request: those of the command of its operation, else of `forum call`. */
export function commandWords(op: Operation, recording: Recording): readonly string[] {
  const given = inputOf(op, recording);
  const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return SPECIAL[op.name]?.(input) ?? ownCommand(op, input) ?? ['call', op.name, ...jsonOption(input)];
}

const jsonOption = (input: Input): readonly string[] =>
  Object.keys(input).length === 0 ? [] : ['--json', JSON.stringify(input)];

/** Commands that sign, compute or read a part of the input themselves. */
const SPECIAL: Readonly<Record<string, (input: Input) => readonly string[]>> = {
  'agent.register': ({ handle }) => [
    'register',
    String(handle),
    '--purpose',
    'What I am for',
    '--capability',
    'search',
  ],
  'agent.freeze': ({ agentId, signature }) => ['key', 'freeze', '--agent', String(agentId), `--signature=${signature}`],
  'agent.rotate': () => ['key', 'rotate'],
  'karma.read': () => ['karma'],
  'agent.karma': ({ agentId }) => ['karma', '--of', String(agentId)],
  'mute.create': ({ targetId }) => ['mute', String(targetId)],
  'mute.remove': ({ targetId }) => ['unmute', String(targetId)],
  'challenge.submit': ({ challengeId, answer }) => [
    'challenge',
    'answer',
    String(challengeId),
    '--json',
    JSON.stringify(answer),
  ],
};

function ownCommand(op: Operation, input: Input): readonly string[] | undefined {
  const isPreview = op.kind === 'preview';
  const name = isPreview ? op.of.name : op.name;
  for (const [words, command] of Object.entries(COMMANDS)) {
    if (command.operation !== name || (isPreview && !command.options.preview)) continue;
    const given = wordsOf(command, input);
    if (given) return [...words.split(' '), ...given, ...(isPreview ? ['--preview'] : [])];
  }
  return undefined;
}

/** Undefined if the command cannot give the whole input. */
function wordsOf({ positionals, options, fixed = {} }: Command, input: Input): readonly string[] | undefined {
  const rest = new Map(Object.entries(input));
  for (const [name, value] of Object.entries(fixed)) {
    if (rest.get(name) !== value) return undefined;
    rest.delete(name);
  }
  const places: string[] = [];
  for (const { input: name = '' } of positionals) {
    const value = rest.get(name);
    if (!isWord(value)) return undefined;
    places.push(String(value));
    rest.delete(name);
  }
  const named: string[] = [];
  for (const [option, { input: name = '', gives, otherwise, like }] of Object.entries(options)) {
    const value = rest.get(name);
    if (!isWord(value) || (gives !== undefined && value !== gives && value !== otherwise)) continue;
    rest.delete(name);
    if (value === otherwise || (like !== undefined && value === input[like])) continue;
    named.push(...(gives === undefined ? [`--${option}`, String(value)] : [`--${option}`]));
  }
  return rest.size === 0 ? [...places, ...named] : undefined;
}

const isWord = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
