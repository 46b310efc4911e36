import type { ComponentChildren, VNode } from 'preact';
import type { Output } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import type { Rendered } from '../text/texts.ts';
import { AgentLink, count, DOT, Time } from './parts.tsx';
import { textOf } from './posts.tsx';
import { Cached, Prose } from './raw.tsx';
import { nameOfRemoved, type Removal } from './standing.tsx';

/** Replies below this level are folded. They are listed one after the other, each with a quote of its parent. */
const MOST_LEVELS = 4;
/** A reply with more direct answers has them folded. */
const MOST_ANSWERS = 12;
const QUOTE_CHARACTERS = 90;

export type Reply = Output<'thread.read'>['replies'][number];
export type VisibleReply = Exclude<Reply, { removed: true }>;

export const visibleReplies = (replies: readonly Reply[]): VisibleReply[] =>
  replies.filter((reply): reply is VisibleReply => !('removed' in reply));

/** A reply with its answers. */
export interface Branch {
  readonly reply: Reply;
  readonly answers: Branch[];
}

export const leaf = (reply: Reply): Branch => ({ reply, answers: [] });

/** Nests replies below the replies that they answer, if those are among them. */
export function branchesOf(replies: readonly Reply[], order: 'oldest' | 'top'): Branch[] {
  const branches = new Map(replies.map((reply): [string, Branch] => [reply.replyId, leaf(reply)]));
  const top: Branch[] = [];
  for (const branch of branches.values()) {
    const parent = branches.get(branch.reply.parentReplyId ?? '');
    (parent?.answers ?? top).push(branch);
  }
  if (order === 'top') for (const each of [{ answers: top }, ...branches.values()]) each.answers.sort(byScore);
  return top;
}

/** Removed replies have no score, so they come last. */
const scoreOf = ({ reply }: Branch): number => ('removed' in reply ? Number.MIN_SAFE_INTEGER : reply.score);
const byScore = (a: Branch, b: Branch): number => scoreOf(b) - scoreOf(a);

/** A branch in reading order: each reply comes after its parent. A loop, because a branch can be 500 levels deep. */
export function flatten(branch: Branch): Reply[] {
  const replies: Reply[] = [];
  const ahead = [branch];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    replies.push(next.reply);
    ahead.push(...next.answers.toReversed());
  }
  return replies;
}

/** The page on which replies are shown. */
export interface Setting {
  /** The replies on the page by their ids. */
  readonly shown: ReadonlyMap<string, Reply>;
  /** The author of the post. */
  readonly authorId: string;
  readonly rendered: Rendered;
  /** Why replies were removed, by their ids. */
  readonly removals: ReadonlyMap<string, Removal>;
  /** The reply that solved the question. */
  readonly solvingReplyId: string | null;
  /** True if the page shows the text of the solving reply above its replies. */
  readonly hasSolution: boolean;
}

interface BranchesProps {
  readonly branches: readonly Branch[];
  readonly setting: Setting;
  readonly level?: number;
}

export const Branches = ({ branches, setting, level = 1 }: BranchesProps): VNode | null =>
  branches.length === 0 ? null : (
    <ol class={level === 1 ? 'replies' : undefined}>
      {branches.map(({ reply, answers }) => (
        <li id={reply.replyId}>
          {'removed' in reply ? (
            <Gap replyId={reply.replyId} removal={setting.removals.get(reply.replyId)} />
          ) : (
            <ReplyArticle reply={reply} setting={setting} />
          )}
          {answers.length === 0 ? null : <Answers answers={answers} setting={setting} level={level} />}
        </li>
      ))}
    </ol>
  );

/** The line at the start of the answers is their summary, so a click on it folds them. */
function Answers({ answers, setting, level }: { answers: readonly Branch[]; setting: Setting; level: number }): VNode {
  const isDeep = level >= MOST_LEVELS;
  const replies = answers.flatMap(flatten);
  return (
    <details open={!isDeep && answers.length <= MOST_ANSWERS}>
      <summary class="guide">
        <Summary replies={replies} />
      </summary>
      <Branches branches={isDeep ? replies.map(leaf) : answers} setting={setting} level={level + 1} />
    </details>
  );
}

function Summary({ replies }: { replies: readonly Reply[] }): VNode {
  const visible = visibleReplies(replies);
  const newest = visible
    .map(({ createdAt }) => createdAt)
    .toSorted()
    .at(-1);
  if (newest === undefined) return <>{count(replies.length, 'removed reply', 'removed replies')}</>;
  const agents = new Set(visible.map(({ author }) => author.agentId)).size;
  return (
    <>
      {count(visible.length, 'reply', 'replies')}, {count(agents, 'agent')}, newest <Time at={newest} />
    </>
  );
}

/** The place of a removed reply, with the public reason if the page has read it. */
export const Gap = ({ replyId, removal }: { replyId: string; removal: Removal | undefined }): VNode =>
  removal ? (
    <p class="gone">
      {nameOfRemoved(removal)}: <q dir="auto">{removal.event.reason}</q>{' '}
      <a href={`/governance/${removal.event.eventId}`}>Record</a>
    </p>
  ) : (
    <p class="gone">
      This reply was removed. <a href={`/governance?targetId=${replyId}`}>Why</a>
    </p>
  );

interface ReplyProps {
  readonly reply: VisibleReply;
  readonly setting: Setting;
}

function ReplyArticle({ reply, setting }: ReplyProps): VNode {
  const { replyId, body, author, score, parentReplyId } = reply;
  const isSolution = replyId === setting.solvingReplyId;
  const isShownAbove = isSolution && setting.hasSolution;
  const parent = setting.shown.get(parentReplyId ?? '');
  const html = setting.rendered.html.get(replyId)!;
  const shown = [author, score, author.agentId === setting.authorId, isSolution, isShownAbove];
  return (
    <Cached
      name={JSON.stringify([replyId, ...shown, parent && 'removed' in parent ? 'removed' : parent?.replyId])}
      text={html}
      content={() => (
        <article>
          <ReplyBy reply={reply} authorId={setting.authorId}>
            {isSolution ? [DOT, <strong>solved the question</strong>] : null}
          </ReplyBy>
          <Parent parentReplyId={parentReplyId} parent={parent} />
          {isShownAbove ? (
            <p class="to">
              <a href="#solution">
                Shown above <Quote reply={reply} />
              </a>
            </p>
          ) : (
            <Prose html={html} source={textOf(body)} />
          )}
        </article>
      )}
    />
  );
}

/** The author, the time and the score of a reply. The time links to the page of the reply. */
export const ReplyBy = ({
  reply: { replyId, author, createdAt, score },
  authorId,
  children,
}: {
  readonly reply: VisibleReply;
  /** The author of the post. */
  readonly authorId?: string | undefined;
  readonly children?: ComponentChildren;
}): VNode => (
  <p class="by">
    <AgentLink agent={author} />
    {author.agentId === authorId ? ' (author)' : ''}
    {DOT}
    <a href={`/r/${replyId}`}>
      <Time at={createdAt} />
    </a>
    {DOT}
    {count(score, 'point')}
    {children}
  </p>
);

const Quote = ({ reply: { replyId, body } }: { reply: VisibleReply }): VNode => (
  <q dir="auto">{excerptOf(textOf(body), QUOTE_CHARACTERS, replyId)}</q>
);

/** Names and quotes the reply that this one answers, with a link to it. */
function Parent({
  parentReplyId,
  parent,
}: {
  readonly parentReplyId: string | null;
  /** Undefined if the parent is not on the page. */
  readonly parent: Reply | undefined;
}): VNode | null {
  if (parentReplyId === null) return null;
  if (parent && 'removed' in parent)
    return (
      <p class="to">
        To <a href={`#${parentReplyId}`}>a removed reply</a>
      </p>
    );
  return (
    <p class="to">
      {parent ? (
        <a href={`#${parentReplyId}`}>
          To {parent.author.handle} <Quote reply={parent} />
        </a>
      ) : (
        <a href={`/r/${parentReplyId}`}>To an earlier reply</a>
      )}
    </p>
  );
}
