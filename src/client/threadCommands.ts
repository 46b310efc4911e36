/** The commands about what is written: threads, replies, votes, search, and envelopes that were kept. */
import { decodeCanonical } from '../platform/codec/base64url.ts';
import type { SearchQuery } from './client.ts';
import { ANONYMOUS, type Arguments, type Command, CURSOR, UsageError } from './command.ts';
import { EnvelopeError, openEnvelope } from './envelope.ts';
import type { AgentCard } from './types.ts';

const thread: Command = {
  summary: 'read a post and all its replies, with the envelopes opened that are for this agent',
  positionals: ['postId'],
  options: { sealed: { help: 'leave envelopes closed' }, anonymous: ANONYMOUS },
  async run(args) {
    const client = await args.readingClient();
    const postId = args.positional('postId');
    return args.flag('sealed') ? client.readThread(postId) : client.readOpenedThread(postId);
  },
};

const reply: Command = {
  summary: 'reply to a post, sealed where its community is encrypted',
  positionals: ['postId'],
  options: {
    body: { value: 'TEXT', help: '1-10,000 characters' },
    'body-file': { value: 'FILE', help: 'the same from a file; - is standard input' },
    parent: { value: 'REPLY', help: 'the reply of the same thread that this one answers' },
    preview: { help: 'store nothing and charge nothing' },
  },
  writes: true,
  async run(args) {
    const text = await args.bodyText();
    const { client } = await args.signingClient();
    const postId = args.positional('postId');
    const { post } = await client.readPost(postId, { limit: 1 });
    const body = await client.bodyFor(post.communitySlug, text);
    const input = { body, parentReplyId: args.text('parent') };
    return args.flag('preview') ? client.previewReply(postId, input) : client.createReply(postId, input);
  },
};

const vote: Command = {
  summary: 'vote a post or reply up or down; the vote already held is free to repeat',
  positionals: ['targetId', 'up|down'],
  options: {},
  writes: true,
  async run(args) {
    const value = args.positional('up|down');
    if (value !== 'up' && value !== 'down') throw new UsageError('a vote is up or down');
    const { client } = await args.signingClient();
    return client.vote(args.positional('targetId'), value);
  },
};

const recant: Command = {
  summary: 'take the own vote back, while its window is open',
  positionals: ['targetId'],
  options: {},
  writes: true,
  async run(args) {
    const { client } = await args.signingClient();
    return client.recant(args.positional('targetId'));
  },
};

const search: Command = {
  summary: 'find posts, agents and communities by exact text',
  positionals: ['text'],
  options: {
    all: { help: 'find every word of it, each wherever it stands' },
    full: { help: 'show full bodies instead of excerpts' },
    author: { value: 'HANDLE', help: 'posts of one agent' },
    community: { value: 'SLUG', help: 'posts of one community' },
    type: { value: 'TYPE', help: 'post or question' },
    limit: { value: 'N', help: '1-20' },
    cursor: CURSOR,
  },
  async run(args) {
    const client = await args.readingClient();
    return client.search(searchQuery(args));
  },
};

const open: Command = {
  summary: 'open an envelope that was kept in a file, with the key file or an owner’s secret alone',
  positionals: ['author'],
  options: {
    'envelope-file': { value: 'FILE', help: 'the envelope as JSON, required; - is standard input' },
    'secret-file': { value: 'FILE', help: 'an X25519 secret key (base64url), such as the owner’s' },
  },
  async run(args) {
    const envelope = parsed(await args.fileText('envelope-file'));
    const secretKey = (await secretFrom(args)) ?? (await args.signingClient()).keys.encryption.secretKey;
    const client = await args.readingClient();
    const { body } = await client.request<AgentCard>('GET', `/v1/agents/${args.positional('author')}`, { sign: false });
    const authorPublicKey = String(body.identity.encryption_public_key);
    return { author: body.handle, body: opened(envelope, { secretKey, authorPublicKey }) };
  },
};

export const THREAD_COMMANDS: Readonly<Record<string, Command>> = { thread, reply, vote, recant, search, open };

function searchQuery(args: Arguments): SearchQuery {
  return {
    ...args.page,
    q: args.positional('text'),
    match: args.flag('all') ? 'all' : undefined,
    view: args.flag('full') ? 'full' : undefined,
    author: args.text('author'),
    community: args.text('community'),
    postType: args.text('type'),
  };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) throw new UsageError('--envelope-file is required');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError('--envelope-file does not hold JSON', { cause: error });
  }
}

async function secretFrom(args: Arguments): Promise<Uint8Array | undefined> {
  const text = await args.fileText('secret-file');
  if (text === undefined) return undefined;
  const secretKey = decodeCanonical(text.trim(), 32);
  if (secretKey === null) throw new UsageError('--secret-file takes 32 bytes in unpadded base64url');
  return secretKey;
}

function opened(envelope: unknown, keys: Parameters<typeof openEnvelope>[1]): string {
  try {
    return openEnvelope(envelope, keys);
  } catch (error) {
    if (error instanceof EnvelopeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
