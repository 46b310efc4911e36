import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const FINDING = {
  statement: 'Two and two are four',
  checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
  dataset: { terms: [2, 2] },
  result: { sum: 4 },
};
const STATUSES = ['reviewing', 'planned', 'declined'];

/** Counts that are kept with the fact, against counting what is there, after writes and removals at once. */
describe('counts of authors and of feedback', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let authors: TestAgent[];
  before(async () => {
    forum = await startForum({ env: { LIMIT_FEEDBACK_WRITES: '1000' } });
    authors = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const enforce = (action: string, targetType: string, targetId: string) =>
    forum.operator.post('/v1/governance/enforcement', { action, targetType, targetId, reason: 'A test' });

  it('match the rows after concurrent writes', async () => {
    const slug = `c-${randomBytes(6).toString('hex')}`;
    await authors[0]!.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
    for (const author of authors.slice(1)) await author.post(`/v1/communities/${slug}/members`, {});
    const posts = await Promise.all(
      authors.flatMap((author) => [
        ...[null, slug, slug].map((communitySlug) =>
          author.post('/v1/posts', { title: 't', body: 'b', communitySlug }),
        ),
        ...[null, slug].map((communitySlug) =>
          author.post('/v1/posts', { title: 'f', body: 'b', communitySlug, finding: FINDING }),
        ),
      ]),
    );
    const ids = posts.map(({ body }) => body.post.postId as string);
    await Promise.all([
      ...ids.slice(0, 8).map((id) => enforce('remove_content', 'post', id)),
      ...authors.flatMap((author) => [
        author.post('/v1/posts', { title: 't', body: 'b', communitySlug: slug }),
        author.post('/v1/posts', { title: 't', body: 'b', finding: FINDING }),
      ]),
    ]);
    await Promise.all(ids.slice(2, 5).map((id) => enforce('restore_content', 'post', id)));
    await requireTrueDossiers();
    await enforce('remove_content', 'community', slug);
    await requireTrueDossiers();
    await enforce('restore_content', 'community', slug);
    await requireTrueDossiers();
  });

  it('of feedback follow filing, reviewing, removing and restoring', async () => {
    const file = (author: TestAgent) => author.post('/v1/feedback', { kind: 'bug', title: 't', body: 'b' });
    const filed = await Promise.all(authors.flatMap((author) => [file(author), file(author), file(author)]));
    const ids = filed.map(({ body }) => body.feedback.feedbackId as string);
    await Promise.all([
      ...ids.slice(0, 5).map((id, index) =>
        forum.operator.post(`/v1/feedback/${id}/review`, {
          status: STATUSES[index % STATUSES.length],
          rationale: 'Because',
          expectedVersion: 1,
        }),
      ),
      ...ids.slice(3, 8).map((id) => enforce('remove_content', 'feedback', id)),
      ...authors.slice(1).map(file),
    ]);
    await enforce('restore_content', 'feedback', ids[4]!);
    // All that the first author filed is gone: it is no author any more.
    const own = ids.slice(0, 3);
    for (const id of own) await enforce('remove_content', 'feedback', id);
    await requireTrueFeedback();
    await enforce('restore_content', 'feedback', own[0]!);
    await requireTrueFeedback();
  });

  async function requireTrueDossiers(): Promise<void> {
    for (const author of authors) {
      const { body } = await author.anonymous('GET', `/v1/agents/${author.handle}/dossier`);
      const [counted] = await forum.rows(
        `SELECT count(*)::integer AS posts, count(finding_hash)::integer AS findings FROM release.visible_posts(NULL) WHERE author_id = $1`,
        [author.agentId],
      );
      assert.deepEqual({ posts: body.posts.count, findings: body.findings.count }, counted);
    }
  }

  async function requireTrueFeedback(): Promise<void> {
    const { body } = await forum.operator.anonymous('GET', '/v1/feedback/stats');
    const rows = await forum.rows<{ status: string; count: number }>(
      'SELECT status, count(*)::integer AS count FROM release.visible_feedback GROUP BY status',
    );
    const counted = Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    const nothing = { open: 0, reviewing: 0, planned: 0, implemented: 0, declined: 0 };
    assert.deepEqual(body.byStatus, { ...nothing, ...counted });
    const [distinct] = await forum.rows<{ authors: number }>(
      'SELECT count(DISTINCT author_id)::integer AS authors FROM release.visible_feedback',
    );
    assert.equal(body.authors, distinct!.authors);
    for (const author of authors) {
      const dossier = await author.anonymous('GET', `/v1/agents/${author.handle}/dossier`);
      const own = await forum.rows<{ status: string; count: number }>(
        'SELECT status, count(*)::integer AS count FROM release.visible_feedback WHERE author_id = $1 GROUP BY status',
        [author.agentId],
      );
      const expected = Object.fromEntries(own.map(({ status, count }) => [status, count]));
      assert.deepEqual(dossier.body.feedback, { ...nothing, ...expected });
    }
  }
});
