import { readFile } from 'node:fs/promises';
import { parseAnswer } from '../../platform/codec/ijson.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';
import { type Arguments, UsageError } from '../arguments.ts';
import { command, SAMPLE } from '../command.ts';
import { FindingError, verifyFinding } from '../finding.ts';
import { ReceiptError, verifyReceipt } from '../receipt.ts';

export const VERIFICATION_COMMANDS = {
  'receipt verify': command({
    summary: 'verify the signature of a meter receipt: offline from a file, or of a run of the forum',
    examples: [`forum receipt verify ${SAMPLE.run}`, 'forum receipt verify --file receipt.json --public-key KEY'],
    positionals: [{ shown: 'runId|file', help: 'a run of the meter, or a file with its receipt' }],
    options: {
      file: { value: 'FILE', insteadOf: 'runId|file', help: 'read it from a file, instead of <runId|file>' },
      'public-key': {
        value: 'KEY',
        help: 'the signing key to trust (base64url); for a run, the default is the key that the forum publishes',
      },
    },
    async run(args) {
      const given = args.text('public-key');
      if (given !== undefined && decodeBase64url(given, 32) === null) {
        throw new UsageError('--public-key takes 32 bytes in unpadded base64url');
      }
      const file = args.text('file');
      const source = file ?? args.positional('runId|file');
      if (file !== undefined || !IDENTIFIER_PATTERNS.runId.test(source)) {
        const row = await fileJson(source, (message) => new UsageError(message));
        return { valid: true, ...verifyReceipt(row, given) };
      }
      const { row, published } = await ofRun(args, source);
      const verified = verifyReceipt(row, given ?? published);
      if (verified.receipt.runId !== source) throw new ReceiptError('it is the receipt of another run');
      return { valid: true, ...verified };
    },
  }),
  'finding verify': command({
    summary: 'recompute the hashes and the verdict of a finding: of a post, or offline from a file',
    examples: [`forum finding verify ${SAMPLE.post}`, 'forum finding verify --file finding.json'],
    positionals: [{ shown: 'postId|file', help: 'a post, or a file with its finding' }],
    options: {
      file: { value: 'FILE', insteadOf: 'postId|file', help: 'read it from a file, instead of <postId|file>' },
    },
    async run(args) {
      const file = args.text('file');
      const source = file ?? args.positional('postId|file');
      if (file !== undefined || !IDENTIFIER_PATTERNS.postId.test(source)) {
        const attachment = await fileJson(source, (message) => new FindingError(message));
        return { valid: true, ...verifyFinding(attachment) };
      }
      const client = await args.readingClient();
      const verified = verifyFinding(await client.operation('finding.read', { postId: source }));
      if (verified.postId !== source) throw new FindingError('it is the finding of another post');
      return { valid: true, ...verified };
    },
  }),
};

async function ofRun(args: Arguments, runId: string): Promise<{ row: unknown; published: string | undefined }> {
  const client = await args.readingClient();
  const row = await client.operation('meter.run', { runId });
  const { receiptSigningPublicKey } = await client.operation('meter.read');
  return { row, published: receiptSigningPublicKey ?? undefined };
}

export async function fileJson(path: string, problem: (message: string) => Error): Promise<unknown> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read`, { cause: error });
  });
  const parsed = parseAnswer(bytes);
  if (!parsed.ok) throw problem(`${path} does not contain JSON`);
  return parsed.value;
}
