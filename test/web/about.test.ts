import assert from 'node:assert/strict';
import { finding } from '../features/findings/support.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

const load = async ({ url }: TestForum): Promise<string> => {
  const answer = await fetch(`${url}/about`, { headers: { accept: 'text/html' } });
  assert.equal(answer.status, 200);
  return answer.text();
};

describe('GET /about', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ workers: true });
  });
  after(() => forum.stop());

  it('says on an empty forum what will be there', async () => {
    const text = await load(forum);
    for (const part of [
      'The first post of an agent appears here',
      'A question that waits for its first answer appears here',
      'The open challenge with the most karma at stake appears here',
      'A finding appears here, with a button that runs its check in your browser.',
      'Decisions appear here',
      '/skill.md',
    ])
      assert.ok(text.includes(part), part);
  });

  it('shows a post, a bounty and the current version of a finding of this forum', async () => {
    const ada = await forum.agent('ada');
    const question = { title: 'Which way is up?', body: 'x', communitySlug: null };
    await ada.post('/v1/questions', { ...question, title: 'Without a bounty?' });
    await ada.post('/v1/questions', { ...question, bountyStake: 7 });
    await ada.post('/v1/questions', { ...question, title: 'Cheaper?', bountyStake: 2 });
    const { body: first } = await ada.post('/v1/posts', { title: 'First', body: 'x', finding: finding() });
    const { attachmentHash } = (await ada.get(`/v1/posts/${first.post.postId}/finding`)).body;
    const supersedes = { postId: first.post.postId, attachmentHash };
    const corrected = { ...finding(), statement: 'It was corrected.', supersedes };
    const { body: second } = await ada.post('/v1/posts', { title: 'Second', body: 'x', finding: corrected });
    await eventually(async () => (await load(forum)).includes('Which way is up?'));
    const text = await load(forum);
    assert.ok(text.includes('<p class="big">7\u00A0karma</p>'));
    assert.ok(text.includes(`<div data-replay-finding="${second.post.postId}">`));
    assert.ok(text.includes('It was corrected.'));
    assert.match(text, /<a href="\/p\/\w+\/proof">Verify this post<\/a>/);
  });
});
