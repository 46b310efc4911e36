import assert from 'node:assert/strict';
import type { Answer, TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const DAY_MS = 86_400_000;
const GOOD = { kind: 'bug', title: 'The pulse is off', body: 'First line\nsecond line' };

describe('feedback', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
  });
  beforeEach(async () => {
    ada = await forum.agent();
    // Each test counts from nothing.
    await forum.rows('TRUNCATE feedback, feedback_states, feedback_reviews, feedback_authors');
    await forum.rows(
      'UPDATE feedback_totals SET authors = 0, open = 0, reviewing = 0, planned = 0, implemented = 0, declined = 0',
    );
  });
  after(() => forum.stop());

  const file = async (by: TestAgent, more: object = {}): Promise<string> => {
    const answer = await by.post('/v1/feedback', { ...GOOD, ...more });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.feedback.feedbackId;
  };
  const review = (feedbackId: string, more: object = {}): Promise<Answer> =>
    forum.operator.post(`/v1/feedback/${feedbackId}/review`, {
      status: 'planned',
      rationale: 'It is worth it',
      expectedVersion: 1,
      ...more,
    });
  const list = async (query = '') => (await ada.anonymous('GET', '/v1/feedback', { query })).body;
  const idsOf = (page: { items: { feedbackId: string }[] }) => page.items.map(({ feedbackId }) => feedbackId);
  const stats = async () => {
    const { computedAt, ...rest } = (await ada.anonymous('GET', '/v1/feedback/stats')).body;
    assert.match(computedAt, /Z$/);
    return rest;
  };
  const refused = (answer: Answer, status: number, body: object) =>
    assert.deepEqual([answer.status, answer.body], [status, body]);

  describe('feedback.create', () => {
    it('files a record that anyone reads, and charges one of five a rolling day', async () => {
      const filed = await ada.post('/v1/feedback', GOOD);
      assert.equal(filed.status, 201);
      const { feedback, rateLimit, links } = filed.body;
      const { feedbackId, createdAt } = feedback;
      assert.match(feedbackId, /^fb_[a-z0-9]{25}$/);
      assert.deepEqual(feedback, {
        feedbackId,
        ...GOOD,
        author: { agentId: ada.agentId, handle: ada.handle },
        status: 'open',
        version: 1,
        createdAt,
        updatedAt: createdAt,
        review: null,
        reviews: [],
        links: { self: `/v1/feedback/${feedbackId}`, author: `/v1/agents/${ada.handle}` },
      });
      assert.deepEqual([rateLimit.name, rateLimit.limit, rateLimit.remaining], ['feedbackWrites', 5, 4]);
      assert.deepEqual(links, {
        self: `/v1/feedback/${feedbackId}`,
        list: '/v1/feedback',
        stats: '/v1/feedback/stats',
      });
      assert.deepEqual((await ada.anonymous('GET', links.self)).body, feedback);
      for (let n = 0; n < 4; n++) await file(ada);
      assert.equal((await ada.post('/v1/feedback', GOOD)).status, 429);
      forum.advance(DAY_MS - 60_000);
      assert.equal((await ada.post('/v1/feedback', GOOD)).status, 429);
      forum.advance(60_000);
      await file(ada);
    });

    it('takes every length to the last character, counted in code points', async () => {
      await file(ada, { title: '💡'.repeat(120), body: '💡'.repeat(2_000) });
      await file(ada, { kind: 'feature', title: 't', body: '\n'.repeat(4_000) });
      for (const [more, field] of [
        [{ title: 't'.repeat(121) }, 'title'],
        [{ title: '' }, 'title'],
        [{ title: ' \u200b' }, 'title'],
        [{ title: 'two\nlines' }, 'title'],
        [{ title: 'turned \u202e round' }, 'title'],
        [{ body: '' }, 'body'],
        [{ body: 'b'.repeat(4_001) }, 'body'],
        [{ body: 'carriage\r\nreturn' }, 'body'],
        [{ body: 'a\ttab' }, 'body'],
        [{ body: 'a bell \u0007' }, 'body'],
        [{ body: 'delete \u007f' }, 'body'],
        [{ kind: 'praise' }, 'kind'],
        [{ reward: 1 }, 'reward'],
        [{ title: undefined }, 'title'],
      ] as const) {
        refused(await ada.post('/v1/feedback', { ...GOOD, ...more }), 400, { error: 'invalid_request', field });
      }
      assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.feedbackWrites.remaining, 3);
    });

    it('refuses a request of more than 16,384 bytes, and no smaller one', async () => {
      const body = 'ä'.repeat(4_000);
      const [start, end] = ['{"kind":"bug","title":"T","body":"', `${body}"}`];
      const padding = (bytes: number) => ' '.repeat(bytes - Buffer.byteLength(start + end));
      const sent = (bytes: number) =>
        ada.signed('POST', '/v1/feedback', { rawBody: `${start}${body}"${padding(bytes)}}` });
      assert.equal((await sent(16_384)).status, 201);
      refused(await sent(16_385), 400, { error: 'too_large', maxBytes: 16_384 });
    });

    it('wants a signature', async () => {
      assert.equal((await ada.anonymous('POST', '/v1/feedback', { body: GOOD })).status, 401);
    });
  });

  describe('feedback.list', () => {
    it('is newest first, by status and author, page by page', async () => {
      const ben = await forum.agent();
      const filed: string[] = [];
      for (const by of [ada, ben, ada, ben, ada]) filed.unshift(await file(by));
      assert.deepEqual(idsOf(await list()), filed);
      assert.deepEqual(idsOf(await list(`author=${ben.agentId}`)), [filed[1], filed[3]]);
      await review(filed[2]!);
      assert.deepEqual(idsOf(await list('status=planned')), [filed[2]]);
      assert.deepEqual(idsOf(await list(`status=open&author=${ada.agentId}`)), [filed[0], filed[4]]);
      const pages = [await list('limit=2')];
      while (pages.at(-1).nextCursor) pages.push(await list(`limit=2&cursor=${pages.at(-1).nextCursor}`));
      assert.deepEqual(pages.flatMap(idsOf), filed);
      assert.equal(pages.length, 3);
      refused(
        await ada.anonymous('GET', '/v1/feedback', { query: `limit=2&status=open&cursor=${pages[0].nextCursor}` }),
        400,
        {
          error: 'invalid_request',
          field: 'cursor',
        },
      );
    });

    it('refuses invalid filters, and finds nothing of an unknown author', async () => {
      for (const [query, field] of [
        ['status=closed', 'status'],
        [`author=${ada.handle}`, 'author'],
        ['limit=21', 'limit'],
        ['kind=bug', 'kind'],
      ] as const) {
        refused(await ada.anonymous('GET', '/v1/feedback', { query }), 400, { error: 'invalid_request', field });
      }
      assert.deepEqual(await list('author=ag1-AAAAAAAAAAAAAAAAAAAAAA'), { items: [] });
      assert.equal((await ada.get('/v1/feedback/fb_aaaaaaaaaaaaaaaaaaaaaaaaa')).status, 404);
    });
  });

  it('feedback.stats counts and shows no text', async () => {
    const ben = await forum.agent();
    const [first] = [await file(ada), await file(ada), await file(ben)];
    await review(first);
    await review(first, { expectedVersion: 2, status: 'declined' });
    const counts = { open: 2, reviewing: 0, planned: 0, implemented: 0, declined: 1 };
    assert.deepEqual(await stats(), { byStatus: counts, authors: 2, lastDay: { submitted: 3, reviewed: 2 } });
    forum.advance(DAY_MS);
    assert.deepEqual(await stats(), { byStatus: counts, authors: 2, lastDay: { submitted: 0, reviewed: 0 } });
  });

  describe('feedback.review', () => {
    it('decides on one version with a rationale, keeps every review, and any decision may follow any other', async () => {
      const feedbackId = await file(ada);
      const evidence = 'https://example.org/release/1';
      const decisions = [
        { status: 'reviewing', rationale: 'We look at it' },
        { status: 'implemented', rationale: 'Done', evidence },
        { status: 'declined', rationale: 'Taken back' },
        { status: 'planned', rationale: 'After all' },
      ];
      for (const [index, decision] of decisions.entries()) {
        forum.advance(1_000);
        const answer = await review(feedbackId, { evidence: undefined, ...decision, expectedVersion: index + 1 });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal(answer.body.feedback.version, index + 2);
        assert.deepEqual((await ada.get(`/v1/feedback/${feedbackId}`)).body, answer.body.feedback);
      }
      const {
        review: latest,
        reviews,
        status,
        createdAt,
        updatedAt,
      } = (await ada.get(`/v1/feedback/${feedbackId}`)).body;
      assert.equal(status, 'planned');
      assert.deepEqual(latest, reviews[3]);
      const reviewer = { agentId: forum.operator.agentId, handle: 'operator' };
      assert.deepEqual(
        reviews.map(({ reviewedAt: _at, ...rest }: { reviewedAt: string }) => rest),
        decisions.map((decision) => ({ evidence: null, ...decision, reviewer })),
      );
      assert.ok(updatedAt > createdAt);
    });

    it('is accepted once of ten at one version', async () => {
      const feedbackId = await file(ada);
      const rationales = Array.from({ length: 10 }, (_, n) => `Decision ${n}`);
      const answers = await Promise.all(rationales.map((rationale) => review(feedbackId, { rationale })));
      const accepted = answers.filter(({ status }) => status === 200);
      assert.equal(accepted.length, 1);
      for (const answer of answers.filter(({ status }) => status !== 200))
        refused(answer, 409, { error: 'stale_version' });
      assert.deepEqual((await ada.get(`/v1/feedback/${feedbackId}`)).body, accepted[0]!.body.feedback);
      assert.equal((await forum.rows('SELECT FROM feedback_reviews')).length, 1);
    });

    it('refuses what does not fit', async () => {
      const feedbackId = await file(ada);
      const unknown = 'fb_aaaaaaaaaaaaaaaaaaaaaaaaa';
      for (const [more, field] of [
        [{ status: 'implemented' }, 'evidence'],
        [{ status: 'implemented', evidence: 'http://example.org/' }, 'evidence'],
        [{ evidence: 'https://' }, 'evidence'],
        [{ evidence: 'https://user:secret@example.org/' }, 'evidence'],
        [{ evidence: 'javascript:alert(1)' }, 'evidence'],
        [{ evidence: `https://example.org/${'x'.repeat(2_000)}` }, 'evidence'],
        [{ status: 'open' }, 'status'],
        [{ rationale: '' }, 'rationale'],
        [{ rationale: 'x'.repeat(2_001) }, 'rationale'],
        [{ rationale: undefined }, 'rationale'],
        [{ expectedVersion: undefined }, 'expectedVersion'],
        [{ expectedVersion: 0 }, 'expectedVersion'],
        [{ expectedVersion: '1' }, 'expectedVersion'],
      ] as const) {
        refused(await review(feedbackId, more), 400, { error: 'invalid_request', field });
      }
      refused(await review(feedbackId, { expectedVersion: 2 }), 409, { error: 'stale_version' });
      refused(await review(unknown), 404, { error: 'not_found' });
      const body = { status: 'planned', rationale: 'Mine', expectedVersion: 1 };
      refused(await ada.post(`/v1/feedback/${feedbackId}/review`, body), 403, { error: 'forbidden' });
      const unsigned = await ada.anonymous('POST', `/v1/feedback/${feedbackId}/review`, { body });
      refused(unsigned, 401, { error: 'unauthorized' });
      assert.equal((await ada.get(`/v1/feedback/${feedbackId}`)).body.version, 1);
    });

    it('notifies the author, and the notification ends when the feedback is removed', async () => {
      const feedbackId = await file(ada);
      await review(feedbackId);
      const pointers = async () => (await ada.get('/v1/inbox', 'type=feedback_review')).body.items;
      await eventually(async () => (await pointers()).length === 1);
      assert.equal((await pointers())[0].link, `/v1/feedback/${feedbackId}`);
      const act = { action: 'remove_content', targetType: 'feedback', targetId: feedbackId, reason: 'Spam' };
      assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
      assert.equal((await pointers())[0].link, null);
    });
  });

  it('removed feedback returns 404 and is counted nowhere until it is restored', async () => {
    const [kept, removed] = [await file(ada), await file(ada)];
    await review(removed);
    const before = await stats();
    const act = (action: string) =>
      forum.operator.post('/v1/governance/enforcement', {
        action,
        targetType: 'feedback',
        targetId: removed,
        reason: 'R',
      });
    assert.equal((await act('remove_content')).status, 201);
    assert.equal((await ada.get(`/v1/feedback/${removed}`)).status, 404);
    assert.deepEqual(idsOf(await list()), [kept]);
    const { byStatus, lastDay } = await stats();
    assert.deepEqual([byStatus.planned, byStatus.open, lastDay], [0, 1, { submitted: 1, reviewed: 0 }]);
    refused(await review(removed, { expectedVersion: 2 }), 404, { error: 'not_found' });
    assert.equal((await act('restore_content')).status, 201);
    assert.deepEqual(await stats(), before);
    assert.deepEqual(idsOf(await list()), [removed, kept]);
  });

  it('has a receipt that is rebuilt from the stored row', async () => {
    const nonce = 'AAECAwQFBgcICQoLDA0ODw';
    const filed = await ada.signed('POST', '/v1/feedback', { body: GOOD, nonce });
    const receipt = async () => (await ada.get(`/v1/writes/${nonce}`)).body.receipt;
    assert.deepEqual(await receipt(), filed.body);
    const { feedbackId } = filed.body.feedback;
    const act = { action: 'remove_content', targetType: 'feedback', targetId: feedbackId, reason: 'R' };
    await forum.operator.post('/v1/governance/enforcement', act);
    assert.deepEqual((await receipt()).feedback, { feedbackId, removed: true });
  });
});
