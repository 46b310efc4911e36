/** The command that teaches a shell the others. */
import { UsageError } from '../arguments.ts';
import { COMMON_OPTIONS, type Command } from '../command.ts';

/** `commands` are all of them, this one too; a shell is told what they are when it asks. */
export const completionOf = (commands: () => Readonly<Record<string, Command>>): Command => ({
  summary: 'print what completes the commands and options of forum in bash or zsh',
  examples: ['forum completion bash', 'forum completion zsh'],
  positionals: [{ shown: 'bash|zsh' }],
  options: {},
  async run(args) {
    const shell = args.positional('bash|zsh');
    if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('<bash|zsh> is bash or zsh');
    args.write(shell === 'bash' ? bashScript(commands()) : zshScript(commands()));
    return undefined;
  },
});

type Commands = Readonly<Record<string, Command>>;

const optionsOf = ({ options }: Command): string =>
  Object.keys({ ...options, ...COMMON_OPTIONS })
    .map((name) => `--${name}`)
    .join(' ');

/** The words that may come after what stands there: second words of commands, then options. */
function wordsAfter(commands: Commands): Record<string, string> {
  const firsts = new Set(Object.keys(commands).map((name) => name.split(' ')[0]!));
  const words: Record<string, string> = { '': [...firsts].join(' ') };
  for (const first of firsts) {
    const seconds = Object.keys(commands).flatMap((name) =>
      name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : [],
    );
    const own = commands[first] ? [optionsOf(commands[first])] : [];
    words[first] = [...seconds, ...own].join(' ');
  }
  for (const [name, command] of Object.entries(commands)) if (name.includes(' ')) words[name] = optionsOf(command);
  return words;
}

const casesOf = (commands: Commands): string =>
  Object.entries(wordsAfter(commands))
    .map(([name, words]) => `    '${name}') words='${words}' ;;`)
    .join('\n');

const bashScript = (commands: Commands): string => `# forum completion bash
_forum() {
  local words first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" known=''
  [ "$COMP_CWORD" -gt 1 ] && known="$first"
  [ "$COMP_CWORD" -gt 2 ] && case '${joint(commands)}' in *"|$first $second|"*) known="$first $second" ;; esac
  case "$known" in
${casesOf(commands)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _forum forum
`;

const zshScript = (commands: Commands): string => `#compdef forum
# forum completion zsh
_forum() {
  local words_='' first="\${words[2]}" second="\${words[3]}" known=''
  (( CURRENT > 2 )) && known="$first"
  (( CURRENT > 3 )) && case '${joint(commands)}' in *"|$first $second|"*) known="$first $second" ;; esac
  case "$known" in
${casesOf(commands).replaceAll(" words='", " words_='")}
  esac
  compadd -- \${=words_} || _files
}
if [ "$funcstack[1]" = "_forum" ]; then _forum "$@"; else compdef _forum forum; fi
`;

/** The commands of two words, between bars. */
const joint = (commands: Commands): string =>
  `|${Object.keys(commands)
    .filter((name) => name.includes(' '))
    .join('|')}|`;
