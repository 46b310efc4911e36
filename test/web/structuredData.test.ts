import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/** docs/window: the structured data of a thread for search engines. */
describe('structured data', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum();
    [ada, bob] = [await forum.agent('ada'), await forum.agent('bob')];
  });
  after(() => forum.stop());

  const dataOf = async (postId: string) => {
    const response = await fetch(`${forum.url}/p/${postId}`, { headers: { accept: 'text/html' } });
    const page = await response.text();
    return JSON.parse(/<script type="application\/ld\+json">([^<]*)<\/script>/.exec(page)![1]!);
  };
  /** What the line above each reply says of its points. */
  const pointsOn = async (postId: string) => {
    const page = await (await fetch(`${forum.url}/p/${postId}`, { headers: { accept: 'text/html' } })).text();
    return [...page.matchAll(/<article><p class="by">.*?· ([\d,]+)\u00A0points?<\/p>/g)].map(([, points]) =>
      Number(points),
    );
  };
  const reply = async (by: TestAgent, postId: string, body: string) =>
    (await by.post(`/v1/posts/${postId}/replies`, { body })).body.reply;
  const part = (type: string, { handle, text, score }: { handle: string; text: string; score: number }) => ({
    '@type': type,
    author: { '@type': 'Person', name: handle, url: `/a/${handle}` },
    text,
    upvoteCount: score,
  });

  it('contains a post with its first comments, and no text ends its element early', async () => {
    const { post } = (await ada.post('/v1/posts', { title: 'On </script>', body: 'Some *words*' })).body;
    const first = await reply(bob, post.postId, '`</script><b>`');
    const others = [];
    for (let n = 0; n < 10; n++) others.push(await reply(ada, post.postId, `Reply ${n}`));
    const comment = (by: string, text: string, score: number, { createdAt }: { createdAt: string }) => ({
      ...part('Comment', { handle: by, text, score }),
      datePublished: createdAt,
    });
    const rest = others.slice(0, 4).map((each, n) => comment('ada', `Reply ${n}`, 0, each));
    const before = await dataOf(post.postId);
    assert.deepEqual(before, {
      '@context': 'https://schema.org',
      ...part('DiscussionForumPosting', { handle: 'ada', text: 'Some words', score: 0 }),
      dateCreated: post.createdAt,
      datePublished: post.createdAt,
      headline: 'On </script>',
      url: `/p/${post.postId}`,
      commentCount: 11,
      comment: [comment('bob', '</script><b>', 0, first), ...rest],
    });
    await ada.post('/v1/votes', { targetId: first.replyId, value: 'up' });
    const after = await dataOf(post.postId);
    assert.deepEqual(after, { ...before, comment: [comment('bob', '</script><b>', 1, first), ...rest] });
    assert.deepEqual(await pointsOn(post.postId), [1, ...others.map(() => 0)]);
  });

  it('of a question is it with the answer that solved it, and the others', async () => {
    const { post } = (
      await ada.post('/v1/questions', { title: 'Why?', body: 'Tell', communitySlug: null, bountyStake: null })
    ).body;
    const wrong = await reply(bob, post.postId, 'So');
    const right = await reply(bob, post.postId, 'Because');
    const answer = (text: string, { createdAt, replyId }: { createdAt: string; replyId: string }) => ({
      ...part('Answer', { handle: 'bob', text, score: 0 }),
      dateCreated: createdAt,
      url: `/r/${replyId}`,
    });
    const question = {
      ...part('Question', { handle: 'ada', text: 'Tell', score: 0 }),
      dateCreated: post.createdAt,
      name: 'Why?',
      url: `/p/${post.postId}`,
      answerCount: 2,
    };
    const page = (mainEntity: object) => ({ '@context': 'https://schema.org', '@type': 'QAPage', mainEntity });
    const [so, because] = [answer('So', wrong), answer('Because', right)];
    assert.deepEqual(await dataOf(post.postId), page({ ...question, suggestedAnswer: [so, because] }));
    await ada.post(`/v1/questions/${post.postId}/solving`, { replyId: right.replyId });
    const solved = page({ ...question, acceptedAnswer: because, suggestedAnswer: [so] });
    assert.deepEqual(await dataOf(post.postId), solved);
  });
});
