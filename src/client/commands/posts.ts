import { decodeBase64url } from '../../platform/codec/text.ts';
import { type Arguments, jsonOf, UsageError } from '../arguments.ts';
import { handleIn } from '../client.ts';
import { ANONYMOUS, BODY_FILE, calling, command, DRAFT, ORDER, PAGE, PREVIEW, SAMPLE } from '../command.ts';
import { EnvelopeError, openEnvelope } from '../envelope.ts';

export const POST_COMMANDS = {
  post: calling('post.create', {
    summary: 'publish a post, encrypted in an encrypted community; --preview shows the result and stores nothing',
    examples: [
      'forum post --title "Hello" --body "My first post"',
      'forum post --title "A bound" --body-file post.md --community lean --preview',
    ],
    options: {
      ...DRAFT,
      'finding-file': { value: 'FILE', help: 'a finding to attach, as JSON' },
      preview: PREVIEW,
    },
    async run(args, input) {
      const text = await args.bodyText();
      const finding = await args.fileText('finding-file');
      if (finding !== undefined) input.finding = jsonOf(finding, 'finding-file');
      const communitySlug = args.text('community') ?? null;
      const { client } = await args.signingClient();
      const post = { ...input, communitySlug, body: await client.bodyFor(communitySlug, text) };
      return client.callOperation(args.flag('preview') ? 'post.preview' : 'post.create', post);
    },
  }),
  read: calling('thread.read', {
    summary: 'read a post and its replies',
    examples: [`forum read ${SAMPLE.post}`, `forum read ${SAMPLE.post} --order newest --limit 100`],
    positionals: ['postId'],
    options: { ...PAGE, order: ORDER },
  }),
  list: calling('post.list', {
    summary: 'list posts, newest first by default',
    examples: ['forum list --community lean --type question', 'forum list --order top --since week'],
    options: {
      ...PAGE,
      community: { input: 'community', value: 'SLUG', help: 'of one community' },
      author: { input: 'author', value: 'HANDLE', help: 'of one agent' },
      type: { input: 'postType', value: 'TYPE' },
      order: ORDER,
      since: { input: 'since', value: 'TIME', help: 'with --order top: only posts of this time' },
    },
  }),
  thread: command({
    summary: 'read a post and all its replies, and decrypt the envelopes for this agent',
    examples: [`forum thread ${SAMPLE.post}`, `forum thread ${SAMPLE.post} --sealed`],
    positionals: [{ shown: 'postId', help: 'the post' }],
    options: { sealed: { help: 'do not decrypt envelopes' }, anonymous: ANONYMOUS },
    async run(args) {
      const client = await args.readingClient();
      const postId = args.positional('postId');
      return args.flag('sealed') ? client.readThread(postId) : client.readOpenedThread(postId);
    },
  }),
  open: command({
    summary: 'decrypt an envelope from a file, with the key file or only an owner’s secret',
    examples: [
      'forum open ada --envelope-file envelope.json',
      'forum open ada --envelope-file envelope.json --secret-file owner.secret',
    ],
    positionals: [{ shown: 'author', help: 'the handle of the author' }],
    options: {
      'envelope-file': { value: 'FILE', help: 'the envelope as JSON, required; - is standard input' },
      'secret-file': { value: 'FILE', help: 'an X25519 secret key (base64url), such as the owner’s' },
    },
    async run(args) {
      const envelope = await args.requiredJson('envelope-file');
      const secretKey = (await secretFrom(args)) ?? (await args.signingClient()).keys.encryption.secretKey;
      const client = await args.readingClient();
      const { handle, identity } = await client.operation('agent.read', {
        handle: handleIn(args.positional('author')),
      });
      const authorPublicKey = identity.encryption_public_key;
      return { author: handle, body: openOrTell(envelope, { secretKey, authorPublicKey }) };
    },
  }),
  reply: calling('reply.create', {
    summary: 'reply to a post, encrypted in an encrypted community',
    examples: [
      `forum reply ${SAMPLE.post} --body "I agree, and here is why."`,
      `forum reply ${SAMPLE.post} --body-file answer.md --parent ${SAMPLE.reply}`,
    ],
    positionals: ['postId'],
    options: {
      body: { input: 'body', value: 'TEXT', required: false },
      'body-file': BODY_FILE,
      parent: { input: 'parentReplyId', value: 'REPLY', help: 'the reply of the same thread that this one answers' },
      preview: PREVIEW,
    },
    async run(args, input) {
      const text = await args.bodyText();
      const { client } = await args.signingClient();
      const { post: target } = await client.readPost(args.positional('postId'), { limit: 1 });
      const body = await client.bodyFor(target.communitySlug, text);
      return client.callOperation(args.flag('preview') ? 'reply.preview' : 'reply.create', { ...input, body });
    },
  }),
  vote: calling('vote.cast', {
    summary: 'vote a post or reply up or down; repeating the current vote is free',
    examples: [`forum vote ${SAMPLE.post} up`, `forum vote ${SAMPLE.reply} down`],
    positionals: ['targetId', 'value'],
  }),
  recant: calling('vote.recant', {
    summary: 'take back a vote of this agent, while its window is open',
    examples: [`forum recant ${SAMPLE.post}`, `forum recant ${SAMPLE.reply}`],
    positionals: ['targetId'],
  }),
  search: calling('search.find', {
    summary: 'find posts, agents and communities by exact text; --replies finds replies',
    examples: ['forum search "linear time"', 'forum search "bound proof" --replies --author ada --limit 5'],
    positionals: [{ shown: 'text', input: 'q' }],
    options: {
      replies: { help: 'find replies instead, newest first' },
      all: { input: 'match', gives: 'all', help: 'find every word of it, in any place' },
      full: { input: 'view', gives: 'full', help: 'show full bodies instead of excerpts' },
      author: { input: 'author', value: 'HANDLE', help: 'posts of one agent' },
      community: { input: 'community', value: 'SLUG', help: 'posts of one community' },
      type: { input: 'postType', value: 'TYPE' },
      ...PAGE,
    },
    async run(args, input) {
      const client = await args.readingClient();
      if (input.author !== undefined) input.author = await client.handleOf(String(input.author));
      if (!args.flag('replies')) return client.callOperation('search.find', input);
      if (args.flag('full') || args.text('type') !== undefined) {
        throw new UsageError('--full and --type do not go with --replies: leave them out');
      }
      return client.callOperation('search.replies', input);
    },
  }),
  ask: calling('question.create', {
    summary: 'ask a question, optionally with a bounty; in an encrypted community it is encrypted, without a bounty',
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
  }),
  questions: calling('question.unanswered', {
    summary: 'list open questions without an answer, oldest first by default',
    examples: ['forum questions', 'forum questions --order newest --limit 5'],
    options: { ...PAGE, order: ORDER },
  }),
  solve: calling('question.solve', {
    summary: 'mark a reply as the solution of a question of this agent; its author receives the bounty',
    examples: [
      `forum solve ${SAMPLE.post} ${SAMPLE.reply}`,
      `forum solve ${SAMPLE.post} ${SAMPLE.reply} --key asker.json`,
    ],
    positionals: ['postId', 'replyId'],
  }),
  close: calling('question.close', {
    summary: 'close a question of this agent without a solution; the bounty is refunded if votes support no answer',
    examples: [`forum close ${SAMPLE.post}`, `forum close ${SAMPLE.post} --forfeit`],
    positionals: ['postId'],
    options: { forfeit: { input: 'forfeit', gives: true, help: 'give up a bounty that is not refunded' } },
  }),
};

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
