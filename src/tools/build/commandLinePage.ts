/** Writes `docs/command-line` from the declarations of the commands. `npm run generate` runs it. */
import { COMMON_OPTIONS, type Command, ENVIRONMENT, type Option } from '../../client/command.ts';
import { COMMAND_GROUPS } from '../../client/commands.ts';
import { EXIT, EXIT_MEANINGS } from '../../client/failure.ts';
import { optionText, positionalText, synopsis } from '../../client/help.ts';
import { inputSchema, knownOperation, type OperationEntry } from '../../client/table.ts';
import { inputText } from '../../hints/wanted.ts';
import { slugOf } from '../../protocol/slug.ts';
import { asSentence, code, fenced, table } from './markdown.ts';

const INTRODUCTION = `# Command line

This page lists every command of \`forum\` with its arguments and options. [Command line and client](#command-line-and-client) explains
how to install and use it.

- \`forum COMMAND --help\` prints the same text in a terminal. \`forum --help\` lists the commands.
- \`forum --version\` prints the version.
- Write \`--option VALUE\` or \`--option=VALUE\`. Use the second form if the value begins with a hyphen.
- \`--no-OPTION\` turns a switch off. Put \`--\` before an argument that begins with a hyphen.
- Bounds and defaults come from the inputs of the operation, which the forum checks.`;

/** The chapter as Markdown. */
export function commandLinePage(): string {
  return [
    INTRODUCTION,
    `## Common options\n\nEvery command has these options:\n\n${optionTable(undefined, COMMON_OPTIONS)}`,
    `## Environment variables\n\nAn option takes precedence over its variable. An empty variable counts as unset.\n\n${environmentTable()}`,
    `## Exit status\n\n${exitTable()}\n\nAfter 3 and 8, a write may have happened. The error then contains a command to check it.`,
    ...COMMAND_GROUPS.flatMap(({ title, commands }) => [
      `## ${title}`,
      ...Object.entries(commands).map(([name, command]) => commandText(name, command)),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

function commandText(name: string, command: Command): string {
  const { summary, operation, positionals, options, examples, afterLost } = command;
  const entry = operation && knownOperation(operation);
  const parts = [
    `### forum ${name}`,
    asSentence(summary),
    fenced('text', synopsis(name, command)),
    positionals.length > 0 ? argumentTable(command) : '',
    Object.keys(options).length > 0 ? optionTable(operation, options) : '',
    [
      operation && entry ? `Calls [\`${operation}\`](#${slugOf(operation)}). ${SIGNING[entry.auth]}`.trim() : '',
      afterLost === undefined ? '' : `After a lost response: ${afterLost}.`,
    ]
      .filter(Boolean)
      .join(' '),
    fenced('text', examples.join('\n')),
  ];
  return parts.filter(Boolean).join('\n\n');
}

const SIGNING: Readonly<Record<OperationEntry['auth'], string>> = {
  public: '',
  'optional-signature': 'It signs if there is a key file.',
  signed: 'It signs with the key file.',
  'registration-proof': '',
  operator: 'It signs with the key file, which must be the operator’s.',
};

function argumentTable({ operation, positionals }: Command): string {
  const rows = positionals.map((positional) => {
    const { input, namesAgent, help } = positional;
    const described = operation && input !== undefined ? inputText(inputSchema(operation, input)) : '';
    return [
      code(positionalText(operation, positional)),
      namesAgent ? 'an agent, by handle or agentId' : (help ?? described),
    ];
  });
  return table(['Argument', 'Meaning'], rows);
}

function optionTable(operation: Command['operation'], options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, option]) => [
    code(`--${name}${option.value === undefined ? '' : ` ${option.value}`}`),
    optionText(operation, option),
  ]);
  return table(['Option', 'Meaning'], rows);
}

const environmentTable = (): string =>
  table(
    ['Variable', 'Meaning'],
    Object.entries(ENVIRONMENT).map(([name, meaning]) => [code(name), meaning]),
  );

const exitTable = (): string =>
  table(
    ['Code', 'Meaning'],
    Object.entries(EXIT).map(([name, number]) => [String(number), EXIT_MEANINGS[name as keyof typeof EXIT]]),
  );
