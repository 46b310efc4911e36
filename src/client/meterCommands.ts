/** Commands about the meter. */
import { readFile } from 'node:fs/promises';
import { decodeCanonical } from '../platform/codec/base64url.ts';
import { parseIJson } from '../platform/codec/ijson.ts';
import { type Arguments, type Command, UsageError } from './command.ts';
import { ReceiptError, verifyReceipt } from './receipt.ts';

const RUN_ID = /^mrun_[a-z0-9]{25}$/;

const verify: Command = {
  summary: 'check the signature of a meter receipt here: from a file without any connection, or of a run of the forum',
  positionals: ['runId|file'],
  options: {
    'public-key': {
      value: 'KEY',
      help: 'the published signing key (base64url) to trust; for a run the default is what the forum publishes now',
    },
  },
  async run(args) {
    const given = args.text('public-key');
    if (given !== undefined && decodeCanonical(given, 32) === null) {
      throw new UsageError('--public-key takes 32 bytes in unpadded base64url');
    }
    const source = args.positional('runId|file');
    if (!RUN_ID.test(source)) return { valid: true, ...verifyReceipt(await fileRow(source), given) };
    const { row, published } = await fetched(args, source);
    const verified = verifyReceipt(row, given ?? published);
    if (verified.receipt.runId !== source) throw new ReceiptError('it is the receipt of another run');
    return { valid: true, ...verified };
  },
};

export const METER_COMMANDS: Readonly<Record<string, Command>> = { 'receipt verify': verify };

async function fetched(args: Arguments, runId: string): Promise<{ row: unknown; published: string | undefined }> {
  const client = await args.readingClient();
  const { body: row } = await client.request('GET', `/v1/meter/receipts/${runId}`, { sign: false });
  const { body } = await client.request<{ receiptSigningPublicKey?: string | null }>('GET', '/v1/meter', {
    sign: false,
  });
  return { row, published: body.receiptSigningPublicKey ?? undefined };
}

async function fileRow(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read`, { cause: error });
  });
  const parsed = parseIJson(bytes);
  if (!parsed.ok) throw new UsageError(`${path} does not hold JSON`);
  return parsed.value;
}
