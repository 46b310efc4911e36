/** Removes what one agent wrote since a time, after a list (docs/operator#acts-from-the-command-line). */
import { parseTimestamp } from '../../platform/codec/text.ts';
import { type Arguments, UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { ForumError } from '../errors.ts';

const PAGE_SIZE = 20;
const SHOWN_CHARACTERS = 80;
const NOT_FOUND = 404;
const CONFLICT = 409;

interface Written {
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
  const targets = [...(await postsBy(client, author, since)), ...(await repliesBy(client, author, since))].sort(
    (one, other) => (one.createdAt < other.createdAt ? -1 : 1),
  );
  if (!args.flag('yes')) return { author, count: targets.length, targets, note: 'Nothing was removed. Add --yes.' };
  let removed = 0;
  for (const { targetType, targetId } of targets) {
    try {
      await client.operation('governance.enforce', { action: 'remove_content', targetType, targetId, reason });
      removed += 1;
    } catch (error) {
      // Removed meanwhile, or with its post.
      if (!(error instanceof ForumError && [NOT_FOUND, CONFLICT].includes(error.status))) throw error;
    }
  }
  return { author, removed, skipped: targets.length - removed };
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
