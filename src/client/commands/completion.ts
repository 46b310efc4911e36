import { UsageError } from '../arguments.ts';
import { COMMON_OPTIONS, type Command, type Option, type Positional } from '../command.ts';
import { inputSchema } from '../table.ts';

const SHELLS = ['bash', 'zsh'] as const;

/** `commands` includes this command, so it is a function. */
export const completionOf = (commands: () => Readonly<Record<string, Command>>): Command => ({
  summary: 'print a completion script for bash or zsh',
  examples: ['forum completion bash', 'forum completion zsh'],
  positionals: [{ shown: 'bash|zsh', values: SHELLS, help: 'the shell' }],
  options: {},
  async run(args) {
    const shell = args.positional('bash|zsh');
    if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('the shell must be bash or zsh');
    args.write(shell === 'bash' ? bashScript(commands()) : zshScript(commands()));
    return undefined;
  },
});

type Commands = Readonly<Record<string, Command>>;

const bashScript = (commands: Commands): string => `# forum completion bash
_forum() {
  local first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" this="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}"
  local known='' choices='' files=''
  [ "$COMP_CWORD" -gt 1 ] && known="$first"
  [ "$COMP_CWORD" -gt 2 ] && case '${pairs(commands)}' in *"|$first $second|"*) known="$first $second" ;; esac
${choosing(commands)}
  if [ -n "$files" ]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$this"))
  else
    COMPREPLY=($(compgen -W "$choices" -- "$this"))
  fi
}
complete -F _forum forum
`;

const zshScript = (commands: Commands): string => `#compdef forum
# forum completion zsh
_forum() {
  local first="\${words[2]}" second="\${words[3]}" last="\${words[CURRENT-1]}"
  local known='' choices='' files=''
  (( CURRENT > 2 )) && known="$first"
  (( CURRENT > 3 )) && case '${pairs(commands)}' in *"|$first $second|"*) known="$first $second" ;; esac
${choosing(commands)}
  if [ -n "$files" ]; then _files; else compadd -- \${=choices}; fi
}
if [ "$funcstack[1]" = "_forum" ]; then _forum "$@"; else compdef _forum forum; fi
`;

const pairs = (commands: Commands): string =>
  `|${Object.keys(commands)
    .filter((name) => name.includes(' '))
    .join('|')}|`;

/** Sets `choices` or `files` for both shells, by the command and the option before the cursor. */
function choosing(commands: Commands): string {
  const values = Object.entries(commands).flatMap(([name, { operation, options }]) =>
    Object.entries({ ...options, ...COMMON_OPTIONS }).flatMap(([option, declared]) =>
      declared.value === undefined ? [] : [[`${name} --${option}`, afterOption(operation, declared)] as const],
    ),
  );
  const cases = [
    ...values.map(([place, assignment]) => `    '${place}') ${assignment} ;;`),
    '    *) case "$known" in',
    ...Object.entries(wordsAfter(commands)).map(([name, words]) => `      '${name}') choices='${words}' ;;`),
    '    esac ;;',
  ];
  return ['  case "$known $last" in', ...cases, '  esac'].join('\n');
}

function afterOption(operation: Command['operation'], { value, input }: Option): string {
  if (value?.includes('FILE')) return 'files=1';
  return `choices='${enumeration(operation, input).join(' ')}'`;
}

function enumeration(operation: Command['operation'], input: string | undefined): readonly string[] {
  const values = operation && input !== undefined ? inputSchema(operation, input).enum : undefined;
  return values?.map(String) ?? [];
}

/** The words after a command, or after none: second words, enumerated arguments, options. */
function wordsAfter(commands: Commands): Record<string, string> {
  const names = Object.keys(commands);
  const firsts = [...new Set(names.map((name) => name.split(' ')[0]!))];
  const after = firsts.map((first) => {
    const seconds = names.flatMap((name) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
    return [first, [...seconds, ...ownWords(commands[first])].join(' ')];
  });
  const afterTwo = names.filter((name) => name.includes(' ')).map((name) => [name, ownWords(commands[name]).join(' ')]);
  return { '': [...firsts, 'help'].join(' '), help: firsts.join(' '), ...Object.fromEntries([...after, ...afterTwo]) };
}

function ownWords(command: Command | undefined): string[] {
  if (command === undefined) return [];
  const { operation, positionals, options } = command;
  const choices = ({ values, input }: Positional) => values ?? enumeration(operation, input);
  const names = Object.keys({ ...options, ...COMMON_OPTIONS }).map((name) => `--${name}`);
  return [...positionals.flatMap(choices), ...names];
}
