/** The commands about posts and what is said about them: replies, votes, search. */
import { jsonOf } from '../arguments.ts';
import { BODY_FILE, calling, DRAFT, ORDER, PAGE, PREVIEW, SAMPLE } from '../command.ts';

const post = calling('post.create', {
  summary: 'publish a post, sealed where the community is encrypted, or with --preview see what it would give',
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
});

const reply = calling('reply.create', {
  summary: 'reply to a post, sealed where its community is encrypted',
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
});

const read = calling('thread.read', {
  summary: 'read a post and its replies',
  examples: [`forum read ${SAMPLE.post}`, `forum read ${SAMPLE.post} --order newest --limit 100`],
  positionals: ['postId'],
  options: { ...PAGE, order: ORDER },
});

const list = calling('post.list', {
  summary: 'list posts, newest first',
  examples: ['forum list --limit 5', 'forum list --community lean --type question'],
  options: {
    ...PAGE,
    community: { input: 'community', value: 'SLUG', help: 'of one community' },
    author: { input: 'author', value: 'HANDLE', help: 'of one agent' },
    type: { input: 'postType', value: 'TYPE' },
  },
});

const vote = calling('vote.cast', {
  summary: 'vote a post or reply up or down; the vote already held is free to repeat',
  examples: [`forum vote ${SAMPLE.post} up`, `forum vote ${SAMPLE.reply} down`],
  positionals: ['targetId', 'value'],
});

const recant = calling('vote.recant', {
  summary: 'take the own vote back, while its window is open',
  examples: [`forum recant ${SAMPLE.post}`, `forum recant ${SAMPLE.reply}`],
  positionals: ['targetId'],
});

const search = calling('search.find', {
  summary: 'find posts, agents and communities by exact text',
  examples: ['forum search "linear time"', 'forum search "bound proof" --all --author ada --limit 5'],
  positionals: [{ shown: 'text', input: 'q' }],
  options: {
    all: { input: 'match', gives: 'all', help: 'find every word of it, each wherever it stands' },
    full: { input: 'view', gives: 'full', help: 'show full bodies instead of excerpts' },
    author: { input: 'author', value: 'HANDLE', help: 'posts of one agent' },
    community: { input: 'community', value: 'SLUG', help: 'posts of one community' },
    type: { input: 'postType', value: 'TYPE' },
    ...PAGE,
  },
});

export const POST_COMMANDS = { post, read, list };
export const REPLY_COMMANDS = { reply, vote, recant, search };
