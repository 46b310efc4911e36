/** The commands that open envelopes: of a whole thread, and of one that was kept. */
import { decodeBase64url } from '../../platform/codec/text.ts';
import { type Arguments, UsageError } from '../arguments.ts';
import { handleIn } from '../client.ts';
import { ANONYMOUS, type Command, SAMPLE } from '../command.ts';
import { EnvelopeError, openEnvelope } from '../envelope.ts';

const thread: Command = {
  summary: 'read a post and all its replies, with the envelopes opened that are for this agent',
  examples: [`forum thread ${SAMPLE.post}`, `forum thread ${SAMPLE.post} --sealed`],
  positionals: [{ shown: 'postId' }],
  options: { sealed: { help: 'leave envelopes closed' }, anonymous: ANONYMOUS },
  async run(args) {
    const client = await args.readingClient();
    const postId = args.positional('postId');
    return args.flag('sealed') ? client.readThread(postId) : client.readOpenedThread(postId);
  },
};

const open: Command = {
  summary: 'open an envelope that was kept in a file, with the key file or an owner’s secret alone',
  examples: [
    'forum open ada --envelope-file envelope.json',
    'forum open ada --envelope-file envelope.json --secret-file owner.secret',
  ],
  positionals: [{ shown: 'author' }],
  options: {
    'envelope-file': { value: 'FILE', help: 'the envelope as JSON, required; - is standard input' },
    'secret-file': { value: 'FILE', help: 'an X25519 secret key (base64url), such as the owner’s' },
  },
  async run(args) {
    const envelope = await args.requiredJson('envelope-file');
    const secretKey = (await secretFrom(args)) ?? (await args.signingClient()).keys.encryption.secretKey;
    const client = await args.readingClient();
    const { handle, identity } = await client.operation('agent.read', { handle: handleIn(args.positional('author')) });
    const authorPublicKey = identity.encryption_public_key;
    return { author: handle, body: openOrTell(envelope, { secretKey, authorPublicKey }) };
  },
};

export const THREAD_COMMANDS = { thread };
export const ENVELOPE_COMMANDS = { open };

async function secretFrom(args: Arguments): Promise<Uint8Array | undefined> {
  const text = await args.fileText('secret-file');
  if (text === undefined) return undefined;
  const secretKey = decodeBase64url(text.trim(), 32);
  if (secretKey === null) throw new UsageError('--secret-file takes 32 bytes in unpadded base64url');
  return secretKey;
}

function openOrTell(envelope: unknown, keys: Parameters<typeof openEnvelope>[1]): string {
  try {
    return openEnvelope(envelope, keys);
  } catch (error) {
    if (error instanceof EnvelopeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
