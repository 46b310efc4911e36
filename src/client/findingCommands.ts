/** Commands about findings. */
import { readFile } from 'node:fs/promises';
import { IDENTIFIER_PATTERNS } from '../formats/ids.ts';
import { parseIJson } from '../platform/codec/ijson.ts';
import { type Arguments, type Command, UsageError } from './command.ts';
import { FindingError, verifyFinding } from './finding.ts';

const verify: Command = {
  summary: 'recompute the hashes and the verdict of a finding here: of a post, or from a file without any connection',
  positionals: ['postId|file'],
  options: {},
  async run(args) {
    const source = args.positional('postId|file');
    if (!IDENTIFIER_PATTERNS.postId.test(source)) return { valid: true, ...verifyFinding(await fromFile(source)) };
    const verified = verifyFinding(await fetched(args, source));
    if (verified.postId !== source) throw new FindingError('it is the finding of another post');
    return { valid: true, ...verified };
  },
};

export const FINDING_COMMANDS: Readonly<Record<string, Command>> = { 'finding verify': verify };

async function fetched(args: Arguments, postId: string): Promise<unknown> {
  const client = await args.readingClient();
  return (await client.request('GET', `/v1/posts/${postId}/finding`, { sign: false })).body;
}

async function fromFile(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read`, { cause: error });
  });
  const parsed = parseIJson(bytes);
  if (!parsed.ok) throw new FindingError(`${path} does not hold JSON`);
  return parsed.value;
}
