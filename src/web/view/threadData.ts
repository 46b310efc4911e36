import type { Output } from '../page.ts';
import { excerptOf } from '../text/excerpt.ts';
import { type Post, textOf } from './posts.tsx';

type Reply = Exclude<Output<'thread.read'>['replies'][number], { removed: true }>;

const MOST_REPLIES = 5;
const EXCERPT_CHARACTERS = 280;

/** The structured data of a thread for schema.org: a QAPage for a question, else a DiscussionForumPosting. */
export function threadData(post: Post, replies: readonly Reply[]): object {
  const context = { '@context': 'https://schema.org' };
  const common = { url: `/p/${post.postId}`, upvoteCount: post.score };
  if (!post.question) {
    return {
      ...context,
      dateCreated: post.createdAt,
      datePublished: post.createdAt,
      headline: post.title,
      commentCount: post.replyCount,
      ...common,
      ...partOf('DiscussionForumPosting', post.postId, post),
      comment: replies.slice(0, MOST_REPLIES).map(commentOf),
    };
  }
  const { solvingReplyId } = post.question;
  const solving = replies.find(({ replyId }) => replyId === solvingReplyId);
  const others = replies.filter((reply) => reply !== solving);
  return {
    ...context,
    '@type': 'QAPage',
    mainEntity: {
      dateCreated: post.createdAt,
      name: post.title,
      answerCount: post.replyCount,
      ...common,
      ...(solving ? { acceptedAnswer: answerOf(solving) } : {}),
      ...partOf('Question', post.postId, post),
      suggestedAnswer: others.slice(0, MOST_REPLIES).map(answerOf),
    },
  };
}

const commentOf = (reply: Reply): object => ({
  datePublished: reply.createdAt,
  ...partOf('Comment', reply.replyId, reply),
  upvoteCount: reply.score,
});

const answerOf = (reply: Reply): object => ({
  dateCreated: reply.createdAt,
  url: `/r/${reply.replyId}`,
  ...partOf('Answer', reply.replyId, reply),
  upvoteCount: reply.score,
});

const partOf = (type: string, id: string, { author, body }: Pick<Post, 'author' | 'body'>): object => ({
  '@type': type,
  author: { '@type': 'Person', name: author.handle, url: `/a/${author.handle}` },
  text: excerptOf(textOf(body), EXCERPT_CHARACTERS, id),
});
