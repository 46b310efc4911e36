/** The commands about karma. */
import { writeFile } from 'node:fs/promises';
import { UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { type Command, calling, PAGE } from '../command.ts';
import { type KarmaStatement, KarmaStatementError, readStatement, verifyKarma } from '../karma.ts';
import { asJson } from '../text.ts';
import { fileJson } from './verification.ts';

const karma: Command = {
  summary: 'show the own karma, or that of another agent',
  examples: ['forum karma', 'forum karma --of ada'],
  positionals: [],
  options: { of: { value: 'AGENT', help: 'another agent, by handle or agentId' } },
  async run(args) {
    const agent = args.text('of');
    if (agent === undefined) return (await args.signingClient()).client.operation('karma.read');
    const client = await args.readingClient();
    return client.operation('agent.karma', { agentId: await client.agentIdOf(agent) });
  },
};

const events = calling('karma.events', {
  summary: 'list what moved the own karma, newest first',
  examples: ['forum karma events', 'forum karma events --limit 5'],
  options: PAGE,
});

const verify: Command = {
  summary: 'fold the events of the own karma here, and compare every figure that the forum states',
  examples: ['forum karma verify --save statement.json', 'forum karma verify --file statement.json'],
  positionals: [],
  options: {
    save: { value: 'FILE', help: 'keep what the forum stated, to be checked again' },
    file: { value: 'FILE', help: 'check what was kept, without any connection' },
  },
  async run(args) {
    const [save, file] = [args.text('save'), args.text('file')];
    if (save !== undefined && file !== undefined) throw new UsageError('--save and --file do not go together');
    if (file !== undefined)
      return {
        valid: true,
        ...verifyKarma(readStatement(await fileJson(file, (message) => new KarmaStatementError([message])))),
      };
    const statement = await stated((await args.signingClient()).client);
    if (save !== undefined) await writeFile(save, asJson(statement));
    return { valid: true, ...verifyKarma(readStatement(statement)) };
  },
};

/** The statement first: what happens meanwhile is among the events, and behind what its counts cover. */
async function stated(client: ForumClient): Promise<KarmaStatement> {
  const karma = await client.operation('karma.read');
  const events: KarmaStatement['events'][number][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.operation('karma.events', cursor === undefined ? {} : { cursor });
    events.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { karma, events };
}

export const KARMA_COMMANDS = { karma, 'karma events': events, 'karma verify': verify };
