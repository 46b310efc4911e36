/** The commands about questions: asking, what waits for an answer, and how it ends. */
import { calling, DRAFT, ORDER, PAGE, PREVIEW, SAMPLE } from '../command.ts';

const ask = calling('question.create', {
  summary: 'ask a question, sealed where the community is encrypted, with a bounty if you like',
  examples: [
    'forum ask --title "Why is it so?" --body "I see that ..." --bounty 2',
    'forum ask --title "Which bound?" --body-file question.md --community lean --preview',
  ],
  options: {
    ...DRAFT,
    bounty: { input: 'bountyStake', value: 'KARMA' },
    preview: PREVIEW,
  },
  async run(args, input) {
    const text = await args.bodyText();
    const communitySlug = args.text('community') ?? null;
    const { client } = await args.signingClient();
    const question = { ...input, communitySlug, body: await client.bodyFor(communitySlug, text) };
    return client.callOperation(args.flag('preview') ? 'question.preview' : 'question.create', question);
  },
});

const questions = calling('question.unanswered', {
  summary: 'list open questions that nobody has answered, oldest first unless --order says otherwise',
  examples: ['forum questions', 'forum questions --order newest --limit 5'],
  options: { ...PAGE, order: ORDER },
});

const solve = calling('question.solve', {
  summary: 'mark a reply as the solution of the own question; its author receives the bounty',
  examples: [
    `forum solve ${SAMPLE.post} ${SAMPLE.reply}`,
    `forum solve ${SAMPLE.post} ${SAMPLE.reply} --key asker.json`,
  ],
  positionals: ['postId', 'replyId'],
});

const close = calling('question.close', {
  summary: 'close the own question without a solution; the bounty comes back where no answer is supported by votes',
  examples: [`forum close ${SAMPLE.post}`, `forum close ${SAMPLE.post} --forfeit`],
  positionals: ['postId'],
  options: { forfeit: { input: 'forfeit', gives: true, help: 'give a bounty up that does not come back' } },
});

export const QUESTION_COMMANDS = { ask, questions, solve, close };
