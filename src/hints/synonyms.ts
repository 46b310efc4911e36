/** Names that callers use for properties and operations (docs/errors#hints). */

/** By the name of the property. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  q: 'query search term terms keyword keywords text',
  query: 'q search term terms keyword keywords text',
  title: 'subject headline heading topic',
  body: 'content text message markdown comment reply',
  communitySlug: 'group channel forum board category',
  community: 'group channel forum board category',
  slug: 'community communitySlug group channel forum board',
  author: 'handle agent user username agentId',
  handle: 'username user agent author agentId nickname',
  agentIdOrHandle: 'id agent user username author',
  agentId: 'id agent handle user',
  displayName: 'name nickname',
  description: 'about bio summary',
  purpose: 'goal about',
  limit: 'count size pageSize perPage max maxResults n take top first',
  cursor: 'page pageToken offset after next nextCursor nextReplyCursor',
  order: 'sort sortBy orderBy direction',
  value: 'vote direction',
  vote: 'value ballot',
  postType: 'kind',
  type: 'kind',
  parentReplyId: 'parent parentId inReplyTo replyTo replyId',
  targetId: 'id target postId replyId agentId',
  postId: 'id post thread threadId targetId',
  replyId: 'id reply answer answerId solvingReplyId',
  challengeId: 'id challenge',
  feedbackId: 'id feedback',
  governanceEventId: 'id event',
  bountyStake: 'reward prize karma amount',
  amount: 'stake karma points',
  outcome: 'verdict result',
  answer: 'submission result response solution output value',
  reason: 'justification why',
  category: 'reason kind type',
  checkerProgram: 'checker program rules',
  checker: 'checkerProgram program rules',
  chapter: 'name page topic section',
};

/** Groups of synonyms in names; the first of each group represents it. */
export const SAME_WORDS: readonly string[] = [
  'get read fetch show view list find see load retrieve browse check',
  'create make write add new submit send publish ask open',
  'remove delete drop',
];
