import assert from 'node:assert/strict';
import { type Operation, pathParameters } from '../../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../../src/operations.ts';
import type { TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { accepted, act, allEvents, hashOf, propose } from './support/scenes.ts';

const MARKER = 'zzremovedzz';
const SECRET_DETAILS = 'zzdetailszz';

/** Every operation that reads without any identity. */
const PUBLIC_READS = OPERATIONS.filter(
  ({ auth, method, kind }) =>
    kind === 'read' && method === 'GET' && (auth === 'public' || auth === 'optional-signature'),
);

describe('what moderation hides', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let reporter: TestAgent;
  /** What can fill the braces of a path, by name. */
  let known: Record<string, string[]>;
  let removed: [string, string][];
  before(async () => {
    forum = await startForum();
    [ada, reporter] = await Promise.all([forum.agent(), forum.agent('a-reporter')]);
    const text = { title: `Title ${MARKER}`, body: `Body ${MARKER}` };
    const slug = 'a-removed-place';
    const place = { slug, displayName: MARKER, description: MARKER, visibility: 'public' };
    accepted(await ada.post('/v1/communities', place));
    const inside = accepted(await ada.post('/v1/posts', { ...text, communitySlug: slug })).post.postId;
    const kept = accepted(await ada.post('/v1/posts', { title: 'Kept', body: 'Kept' })).post.postId;
    const replyId = accepted(await ada.post(`/v1/posts/${kept}/replies`, { body: MARKER })).reply.replyId;
    const gone = accepted(await ada.post('/v1/posts', { ...text, finding: finding() })).post.postId;
    const question = accepted(await ada.post('/v1/questions', { ...text, bountyStake: 1 })).post.postId;
    const amendment = await propose(forum, ada, `Text ${MARKER}`);
    const feedback = accepted(await ada.post('/v1/feedback', { kind: 'bug', ...text })).feedback.feedbackId;
    const challenge = accepted(await ada.post('/v1/challenges', declaration())).challengeId;
    known = {
      date: [new Date(forum.api.clock.now()).toISOString().slice(0, 10)],
      handle: [ada.handle],
      agentId: [ada.agentId],
      agentIdOrHandle: [ada.handle, ada.agentId],
      slug: [slug],
      postId: [inside, kept, gone, question, amendment],
      replyId: [replyId],
      challengeId: [challenge],
      feedbackId: [feedback],
      governanceEventId: (await allEvents(forum)).map(({ eventId }) => eventId),
      runId: ['mrun_aaaaaaaaaaaaaaaaaaaaaaaaa'],
      // Nothing is sequenced here: what the log withholds is seen in its own tests.
      index: ['0'],
    };
    removed = [
      ['reply', replyId],
      ['post', gone],
      ['post', question],
      ['post', amendment],
      ['feedback', feedback],
      ['challenge', challenge],
      ['community', slug],
    ];
  });
  after(() => forum.stop());

  const finding = () => ({
    statement: MARKER,
    checker: { rules: [{ when: { assert: 'exists', path: 'result' }, outcome: 'pass' }] },
    dataset: MARKER,
    result: MARKER,
  });
  const declaration = () => ({
    prompt: MARKER,
    checkerProgram: { expectedOutcome: 'yes', rules: [{ when: { assert: 'exists', path: 'a' }, outcome: 'yes' }] },
    outcomes: ['yes', 'no'],
    award: 1,
    stakingOpensAt: new Date(forum.api.clock.now() + 3_600_000).toISOString(),
    scoringAt: new Date(forum.api.clock.now() + 7_200_000).toISOString(),
  });

  function pathsOf({ path }: Operation): string[] {
    return pathParameters(path).reduce(
      (paths, name) => paths.flatMap((each) => (known[name] ?? []).map((value) => each.replace(`{${name}}`, value))),
      [path],
    );
  }

  /** Queries that could show more than none does. */
  const queriesOf = ({ name }: Operation): string[] => {
    if (name === 'search.find') return ['', `q=${MARKER}`, `q=${MARKER}&view=full`, `author=${ada.handle}`];
    if (name === 'search.replies') return [`q=${MARKER}`, `q=${MARKER}&view=full`];
    if (name === 'constitution.read') return ['', `hash=${hashOf(`Text ${MARKER}`)}`];
    if (name === 'post.list') return ['', `author=${ada.handle}`, 'community=a-removed-place'];
    return [''];
  };

  /** All that is public, request by request, without the times at which it was computed. */
  async function everythingPublic(): Promise<Map<string, string>> {
    const seen = new Map<string, string>();
    for (const op of PUBLIC_READS) {
      for (const path of pathsOf(op)) {
        for (const query of queriesOf(op)) {
          const { status, body } = await ada.anonymous('GET', path, { query });
          assert.ok(status < 500, path);
          seen.set(`${op.name} ${path}?${query}`, `${status} ${JSON.stringify(body)}`);
        }
      }
    }
    return seen;
  }
  const timeless = (seen: Map<string, string>) =>
    [...seen].map(([request, answer]) => [
      request,
      answer.replaceAll(/"(computedAt|serverTime|asOf|resetAt|nextDecayAt|validUntil)":"[^"]*"/g, ''),
    ]);

  it('is looked for through every public read, and would be found', async () => {
    const seen = await everythingPublic();
    const names = new Set([...seen.keys()].map((request) => request.split(' ')[0]));
    assert.deepEqual([...names].toSorted(), PUBLIC_READS.map(({ name }) => name).toSorted());
    const showing = new Set(
      [...seen].filter(([, answer]) => answer.includes(MARKER)).map(([key]) => key.split(' ')[0]),
    );
    for (const name of ['post.list', 'thread.read', 'search.find', 'feedback.read', 'challenge.read', 'community.read'])
      assert.ok(showing.has(name), name);
  });

  it('is no report and no reporter: nothing public changes when one is filed, acted on or dismissed', async () => {
    const before = timeless(await everythingPublic());
    for (const [targetType, targetId] of removed.slice(0, 3)) {
      const body = { targetType, targetId, category: 'abuse', details: SECRET_DETAILS };
      const { reportId } = accepted(await reporter.post('/v1/reports', body));
      const dismissal = { action: 'dismiss_report', reportId, reason: SECRET_DETAILS };
      accepted(await forum.operator.post('/v1/governance/enforcement', dismissal));
    }
    assert.deepEqual(timeless(await everythingPublic()), before);
    const [targetType, targetId] = removed[3]!;
    accepted(await reporter.post('/v1/reports', { targetType, targetId, category: 'abuse', details: SECRET_DETAILS }));
    await act(forum, 'remove_content', targetType, targetId);
    const { items } = (await ada.anonymous('GET', '/v1/governance/events')).body;
    assert.equal(items[0].kind, 'remove_content');
    const told = JSON.stringify(items);
    for (const secret of [reporter.agentId, reporter.handle, SECRET_DETAILS]) assert.ok(!told.includes(secret), secret);
    await act(forum, 'restore_content', targetType, targetId);
  });

  it('is no removed text, in no byte of any public read', async () => {
    for (const [type, id] of removed) await act(forum, 'remove_content', type, id);
    for (const [request, answer] of await everythingPublic()) {
      // A search says nothing of what was asked for.
      assert.ok(!answer.includes(MARKER), `${request}: ${answer}`);
      assert.ok(!answer.includes(SECRET_DETAILS), request);
    }
  });
});
