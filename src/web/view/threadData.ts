import { bytesCache } from '../cache.ts';
import type { Output } from '../page.ts';
import { excerptOf, makeExcerpt } from '../text/excerpt.ts';
import { type Post, textOf } from './posts.tsx';
import { type JsonPieces, jsonToKeep } from './raw.tsx';

type Reply = Exclude<Output<'thread.read'>['replies'][number], { removed: true }>;
type Part = Pick<Post, 'author'>;

const CONTEXT = 'https://schema.org';
const MOST_REPLIES = 10;
const EXCERPT_CHARACTERS = 500;

/** How much structured data of threads a process keeps (docs/operations#copies). */
const kept = bytesCache(32 * 1_048_576);

/** A thread as structured data: a question is a QAPage, anything else a DiscussionForumPosting. */
export function threadData(post: Post, replies: readonly Reply[]): JsonPieces {
  const url = `/p/${post.postId}`;
  const beginning = excerptOf(textOf(post.body), EXCERPT_CHARACTERS, post.postId);
  if (!post.question) {
    const posting = {
      '@context': CONTEXT,
      dateCreated: post.createdAt,
      datePublished: post.createdAt,
      headline: post.title,
      url,
      commentCount: post.replyCount,
      upvoteCount: post.score,
      ...partOf('DiscussionForumPosting', post, beginning),
    };
    return withMember(posting, 'comment', listOf('Comment', replies));
  }
  const { solvingReplyId } = post.question;
  const solving = replies.find(({ replyId }) => replyId === solvingReplyId);
  const question = {
    dateCreated: post.createdAt,
    name: post.title,
    url,
    answerCount: post.replyCount,
    upvoteCount: post.score,
    ...(solving ? { acceptedAnswer: { ...answerOf(solving), upvoteCount: solving.score } } : {}),
    ...partOf('Question', post, beginning),
  };
  const others = replies.filter((reply) => reply !== solving);
  const entity = withMember(question, 'suggestedAnswer', listOf('Answer', others));
  return withMember({ '@context': CONTEXT, '@type': 'QAPage' }, 'mainEntity', entity);
}

const PARTS = {
  Comment: (reply: Reply): object => ({
    datePublished: reply.createdAt,
    ...partOf('Comment', reply, beginningOf(reply)),
  }),
  Answer: answerOf,
};

function answerOf(reply: Reply): object {
  const { replyId, createdAt } = reply;
  return { dateCreated: createdAt, url: `/r/${replyId}`, ...partOf('Answer', reply, beginningOf(reply)) };
}

/** Not kept by itself, because what it stands in is. */
const beginningOf = ({ body }: Reply): string => makeExcerpt(textOf(body), EXCERPT_CHARACTERS);

const partOf = (type: string, { author }: Part, text: string): object => ({
  '@type': type,
  author: { '@type': 'Person', name: author.handle, url: `/a/${author.handle}` },
  text,
});

/** Of a reply all is kept but its score, which changes. */
function listOf(type: keyof typeof PARTS, replies: readonly Reply[]): JsonPieces {
  const parts = replies.slice(0, MOST_REPLIES).flatMap((reply) => {
    const { replyId, author, score } = reply;
    const unfinished = () => jsonToKeep(PARTS[type](reply)).subarray(0, -1);
    return [',', kept.keep(`${type} ${replyId} ${author.handle}`, unfinished), `,"upvoteCount":${score}}`];
  });
  return ['[', ...parts.slice(1), ']'];
}

/** An object as JSON with one member more, whose value is JSON. */
const withMember = (object: object, name: string, json: JsonPieces): JsonPieces => [
  `${JSON.stringify(object).slice(0, -1)},"${name}":`,
  ...json,
  '}',
];
