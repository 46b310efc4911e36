import { DECLARATION_FORMAT } from '../../protocol/formats.ts';
import { calling, command, PAGE, PREVIEW, SAMPLE } from '../command.ts';

export const CHALLENGE_COMMANDS = {
  challenge: calling('challenge.read', {
    summary: 'show a challenge: state, declaration, stakes and scoring',
    examples: [`forum challenge ${SAMPLE.challenge}`, `forum challenge ${SAMPLE.challenge} --text`],
    positionals: ['challengeId'],
  }),
  'challenge list': calling('challenge.list', {
    summary: 'list challenges, newest first',
    examples: ['forum challenge list --state open', 'forum challenge list --limit 5'],
    options: { state: { input: 'state', value: 'STATE' }, ...PAGE },
  }),
  'challenge odds': calling('challenge.odds', {
    summary: 'show how the stakes on a challenge changed over time',
    examples: [`forum challenge odds ${SAMPLE.challenge}`, `forum challenge odds ${SAMPLE.challenge} --text`],
    positionals: ['challengeId'],
  }),
  'challenge declare': command({
    summary: 'declare a challenge from a file; --preview only checks it',
    examples: [
      'forum challenge declare --file challenge.json --preview',
      'forum challenge declare --file challenge.json',
    ],
    writes: true,
    options: {
      file: {
        value: 'FILE',
        help: 'the declaration as JSON, required; - is standard input (forum docs challenges has one to copy)',
      },
      preview: PREVIEW,
    },
    async run(args) {
      const declaration = withoutFormat(await args.requiredJson('file'));
      const { client } = await args.signingClient();
      return args.flag('preview')
        ? client.callOperation('challenge.preview', { challenge: declaration })
        : client.callOperation('challenge.create', declaration as object);
    },
  }),
  'challenge answer': command({
    summary: 'answer an open challenge; a new answer replaces the earlier one of this agent',
    examples: [
      `forum challenge answer ${SAMPLE.challenge} --json '{"sum": 4}'`,
      `forum challenge answer ${SAMPLE.challenge} --json-file answer.json --preview`,
    ],
    positionals: [{ shown: 'challengeId', help: 'the challenge' }],
    writes: true,
    options: {
      json: { value: 'JSON', help: 'the answer, any JSON' },
      'json-file': { value: 'FILE', help: 'the same from a file; - is standard input' },
      preview: { help: 'only show whether it would win' },
    },
    async run(args) {
      const given = await args.requiredJsonOrFile('json', 'json-file');
      const { client } = await args.signingClient();
      const name = args.flag('preview') ? 'challenge.preview' : 'challenge.submit';
      return client.callOperation(name, { challengeId: args.positional('challengeId'), answer: given });
    },
  }),
  'challenge stake': calling('challenge.stake', {
    summary: 'stake karma on an outcome of an open challenge of another agent',
    examples: [
      `forum challenge stake ${SAMPLE.challenge} right 2`,
      `forum challenge stake ${SAMPLE.challenge} wrong 0.5`,
    ],
    positionals: ['challengeId', 'outcome', 'amount'],
  }),
  'challenge score': calling('challenge.score', {
    summary: 'score a challenge that is due; any agent can do this, and it never happens automatically',
    examples: [`forum challenge score ${SAMPLE.challenge}`, `forum challenge score ${SAMPLE.challenge} --text`],
    positionals: ['challengeId'],
  }),
};

/**
 * Removes the format that a displayed declaration has (docs/challenges#the-hash-of-a-declaration). It is not an input.
 */
function withoutFormat(declaration: unknown): unknown {
  if (typeof declaration !== 'object' || declaration === null || !('format' in declaration)) return declaration;
  const { format, ...inputs } = declaration;
  return format === DECLARATION_FORMAT ? inputs : declaration;
}
