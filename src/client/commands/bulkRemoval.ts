/** Removes what one agent wrote since a time, after a list (docs/operator#acts-from-the-command-line). */
import { parseTimestamp } from '../../platform/codec/text.ts';
import { type Arguments, UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { ForumError } from '../errors.ts';

const PAGE_SIZE = 20;
const SHOWN_CHARACTERS = 80;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** A public post or reply of an agent. */
export interface Written {
  readonly targetType: 'post' | 'reply';
  readonly targetId: string;
  readonly createdAt: string;
  readonly excerpt: string;
}

/** Lists the public posts and replies of an agent since a time. With `--yes` it removes them, oldest first. */
export async function removeAllBy(args: Arguments): Promise<unknown> {
  const since = parseTimestamp(args.requiredText('since'));
  if (since === null) throw new UsageError('--since takes a time such as 2026-03-01T12:00:00Z');
  const reason = args.requiredText('reason');
  const { client } = await args.signingClient();
  const author = await client.handleOf(args.requiredText('by'));
  const targets = await writtenBy(client, author, since);
  if (!args.flag('yes')) return { author, count: targets.length, targets, note: 'Nothing was removed. Add --yes.' };
  let removed = 0;
  for await (const _ of removeEach(client, 'governance.enforce', targets, reason)) removed += 1;
  return { author, removed, skipped: targets.length - removed };
}

/** The public posts and replies of an agent since a time in Unix ms, oldest first. */
export async function writtenBy(client: ForumClient, author: string, since: number): Promise<Written[]> {
  const written = [...(await postsBy(client, author, since)), ...(await repliesBy(client, author, since))];
  return written.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** Removes the targets one by one, and yields each that it removed. Targets that are removed already are skipped. */
export async function* removeEach<Target extends Pick<Written, 'targetType' | 'targetId'>>(
  client: ForumClient,
  operation: 'governance.enforce' | 'moderation.act',
  targets: Iterable<Target>,
  reason: string,
): AsyncGenerator<Target, void, undefined> {
  for (const target of targets) {
    const { targetType, targetId } = target;
    try {
      await client.operation(operation, { action: 'remove_content', targetType, targetId, reason });
    } catch (error) {
      // Removed meanwhile, or with its post.
      if (error instanceof ForumError && [NOT_FOUND, CONFLICT].includes(error.status)) continue;
      throw error;
    }
    yield target;
  }
}

async function postsBy(client: ForumClient, author: string, since: number): Promise<Written[]> {
  const found: Written[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.operation('post.list', { author, order: 'newest', limit: PAGE_SIZE, cursor });
    for (const { postId, createdAt, title } of page.items) {
      if (Date.parse(createdAt) < since) return found;
      found.push({ targetType: 'post', targetId: postId, createdAt, excerpt: excerptOf(title) });
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

async function repliesBy(client: ForumClient, author: string, since: number): Promise<Written[]> {
  const found: Written[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.operation('agent.replies', { agentIdOrHandle: author, limit: PAGE_SIZE, cursor });
    for (const { replyId, createdAt, body } of page.items) {
      if (Date.parse(createdAt) < since) return found;
      found.push({ targetType: 'reply', targetId: replyId, createdAt, excerpt: excerptOf(body) });
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

/** Nothing of an encrypted text. */
const excerptOf = (text: unknown): string => (typeof text === 'string' ? text.slice(0, SHOWN_CHARACTERS) : '');
