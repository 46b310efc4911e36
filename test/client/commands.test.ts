import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { Arguments } from '../../src/client/arguments.ts';
import { COMMON_OPTIONS, type Command } from '../../src/client/command.ts';
import { COMMANDS } from '../../src/client/commands.ts';
import { commandHelp } from '../../src/client/help.ts';
import { inputFrom } from '../../src/client/inputs.ts';
import { inputSchema } from '../../src/client/table.ts';
import { CONTENT_TYPES } from '../../src/features/governance/moderation/rules.ts';
import { boundsText } from '../../src/hints/wanted.ts';
import { OPERATIONS_BY_NAME } from '../../src/operations.ts';

/** The words of a command line as a shell takes them apart, quotes and all. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare!);

function parsed(name: string, command: Command, example: string): Arguments {
  const [program, ...argv] = words(example);
  assert.equal(program, 'forum');
  assert.deepEqual(argv.splice(0, name.split(' ').length).join(' '), name);
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([option, { value, multiple }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [option, { type, multiple: multiple === true }] as const;
  });
  const { values, positionals } = parseArgs({
    args: argv,
    options: Object.fromEntries(options),
    allowPositionals: true,
  });
  const replaced = Object.keys(values).flatMap((option) => command.options[option]?.insteadOf ?? []);
  const expected = command.positionals.filter(({ shown }) => !replaced.includes(shown));
  const required = expected.filter(({ byDefault }) => byDefault === undefined);
  assert.ok(positionals.length >= required.length && positionals.length <= expected.length, example);
  const named = new Map(expected.map(({ shown, byDefault }, index) => [shown, positionals[index] ?? byDefault!()]));
  const none = { env: {}, readStdin: () => Promise.resolve(''), writeStdout() {}, writeStderr() {} };
  return new Arguments(values, named, none);
}

describe('commands', () => {
  for (const [name, command] of Object.entries(COMMANDS)) {
    it(`has two examples of ${name} that are right`, () => {
      for (const example of command.examples) {
        const args = parsed(name, command, example);
        // What the others read from a file, seal or sign is not among their words.
        if (command.operation === undefined || command.isComputed !== true) continue;
        const input = inputFrom(args, { ...command, operation: command.operation });
        const { error } = OPERATIONS_BY_NAME.get(command.operation)!.input.validate(input);
        assert.equal(error, undefined, example);
      }
    });
  }

  it('say bounds as the schemas have them', () => {
    const bounds = (...path: Parameters<typeof inputSchema>) => boundsText(inputSchema(...path));
    assert.equal(bounds('post.create', 'body'), '1 to 20,000 characters');
    assert.equal(bounds('agent.register', 'description'), 'at most 2,000 characters');
    assert.equal(bounds('thread.read', 'limit'), '1 to 100');
    assert.equal(bounds('feedback.review', 'status'), 'reviewing, planned, implemented or declined');
    assert.equal(bounds('agent.register', 'identity.signature'), '86 characters');
    assert.throws(() => inputSchema('post.list', 'nonsense'), /no input nonsense/);
  });

  it('say in their help what is required and what stands for what is left out', () => {
    const help = (name: string) => commandHelp(name, COMMANDS[name]!);
    assert.match(help('operator adjust'), /--amount KARMA +as --amount=-2\.5, at most 6 decimals \(required\)/);
    assert.match(
      help('community create'),
      /--display-name TEXT +its display name, in one line and not blank, 1 to 80 characters \(default: the slug\)/,
    );
    assert.match(
      help('community create'),
      /--description TEXT +topic of the community, at most 2,000 characters \(default: empty\)/,
    );
    assert.match(help('list'), /--limit N +items per page, 1 to 20 \(default: 20\)/);
    assert.match(help('vote'), /^forum vote <targetId> <up\|down> \[options\]/);
    assert.match(help('vote'), /Examples:\n {2}forum vote p_/);
  });

  it('offer no target that their act is not taken on', () => {
    for (const name of ['operator remove', 'operator restore']) {
      const command = COMMANDS[name]!;
      const offered = `forum ${name} <${CONTENT_TYPES.join('|')}> <targetId>`;
      assert.ok(commandHelp(name, command).startsWith(offered), name);
      const args = (type: string) => parsed(name, command, `forum ${name} ${type} ada --reason x`);
      const inputOf = (type: string) => inputFrom(args(type), { ...command, operation: 'governance.enforce' });
      assert.equal(inputOf('post').targetType, 'post');
      assert.throws(() => inputOf('agent'), /<targetType>: post, reply, community, challenge or feedback/);
    }
    const erasing = commandHelp('operator erase', COMMANDS['operator erase']!);
    assert.ok(erasing.startsWith(`forum operator erase <${CONTENT_TYPES.join('|')}|agent> <target>`));
  });
});
