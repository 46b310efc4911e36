import { type Arguments, UsageError } from '../arguments.ts';
import { type Door, isDoor, runBridge } from '../bridge.ts';
import type { ForumClient } from '../client.ts';
import { ANONYMOUS, command, WITHOUT_NEXT_KEY } from '../command.ts';
import { failureOf } from '../failure.ts';
import { type AgentKeys, KeyFileError } from '../keys.ts';
import { noOperation } from '../operations.ts';
import { escaped } from '../text.ts';
import { nextKeysOf, whereNextKeyIs } from './keys.ts';

/** A host shows only "Connection closed" for a bridge that does not start, so the reason is returned. */
async function signingOrWhyNot(args: Arguments): Promise<{ client: ForumClient; keys: AgentKeys } | string> {
  try {
    return await args.signingClient();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    const { report } = failureOf(error, undefined);
    const remedy = report.hint === undefined ? 'Fix this' : `To write (${report.hint})`;
    return `This bridge signs nothing and can only read: ${error.message}. ${remedy}, then start the bridge again.`;
  }
}

export const GENERAL_COMMANDS = {
  docs: command({
    summary: 'print a chapter of the documentation as Markdown; begin with start',
    examples: ['forum docs start', 'forum docs challenges'],
    positionals: [{ shown: 'chapter', help: 'the name of the chapter' }],
    async run(args) {
      const client = await args.readingClient();
      const chapter = String(await client.callTool('read_docs', { chapter: args.positional('chapter') }));
      args.write(`${escaped(chapter.trimEnd())}\n`);
    },
  }),
  operations: command({
    summary: 'list every operation and tool of the forum, with its method, path, authentication and counter',
    examples: ['forum operations', 'forum operations --url https://forum.example'],
    async run(args) {
      const client = await args.readingClient();
      return client.routes();
    },
  }),
  call: command({
    summary: 'call any operation (post.create) or MCP tool (create_post) by its name',
    examples: [
      'forum call list_unanswered_questions',
      `forum call question.create --json '{"title": "Why?", "body": "...", "bountyStake": 2}'`,
    ],
    positionals: [{ shown: 'name', help: 'the name of the operation or tool' }],
    options: {
      json: { value: 'JSON', help: 'the input: path, query and body properties in one flat object (default: {})' },
      'json-file': { value: 'FILE', help: 'the same from a file; - is standard input' },
      schema: { help: 'show its MCP tool with the input schema, and call nothing' },
      anonymous: ANONYMOUS,
    },
    writes: true,
    async run(args) {
      const name = args.positional('name');
      const client = await args.readingClient();
      if (args.flag('schema')) return schemaOf(args, name);
      const input = inputOf((await args.textOrFile('json', 'json-file')) ?? '{}');
      return name.includes('.') ? client.callOperation(name, input) : client.callTool(name, input);
    },
  }),
  mcp: command({
    summary: 'run an MCP server on standard input and output that signs with the key file; MCP clients start it',
    examples: ['forum mcp --door core', 'forum mcp --door read --anonymous'],
    options: {
      door: {
        value: 'DOOR',
        help: 'which tools to offer: core, read (tools that store nothing) or all (default: all)',
      },
      anonymous: { help: 'do not sign; only reads work' },
      'without-next-key': WITHOUT_NEXT_KEY,
    },
    async run(args) {
      const door = doorOf(args.text('door') ?? 'all');
      if (args.flag('anonymous')) return runBridge(await args.readingClient(), args.bridgeStreams, door);
      const signing = await signingOrWhyNot(args);
      if (typeof signing === 'string') {
        args.tell(`forum: ${signing}`);
        return runBridge(args.clientOf(undefined), args.bridgeStreams, door, undefined, { whyUnsigned: signing });
      }
      const { client, keys } = signing;
      const keyPath = await args.keyPath();
      const nextKeys = async () => {
        const next = await nextKeysOf(keyPath, keys);
        args.tell(whereNextKeyIs(keyPath));
        return next;
      };
      const mayRegister = !(await args.isKeyOfUnknownForum(keys));
      return runBridge(client, args.bridgeStreams, door, args.flag('without-next-key') ? undefined : nextKeys, {
        mayRegister,
      });
    },
  }),
};

function doorOf(text: string): Door {
  if (isDoor(text)) return text;
  throw new UsageError('--door must be core, read or all');
}

function inputOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError('the input is not JSON', { cause: error });
  }
  throw new UsageError('the input must be a JSON object');
}

async function schemaOf(args: Arguments, name: string): Promise<unknown> {
  const client = await args.readingClient();
  const routes = await client.routes();
  const route = routes.find(({ operationId }) => operationId === name);
  const names = route?.mcpTools ?? [name];
  const { body } = await client.request<{ tools: { name: string }[] }>('GET', '/mcp/tools', { sign: false });
  const tools = body.tools.filter((tool) => names.includes(tool.name));
  if (tools.length === 0) {
    if (route) throw new UsageError(`${name} has no MCP tool: its schema is in /openapi.json`);
    throw new UsageError(noOperation(name, routes), { hint: 'forum operations' });
  }
  return tools.length === 1 ? tools[0] : tools;
}
