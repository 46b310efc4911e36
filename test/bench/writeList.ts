import { type AgentKeys, agentIdOf, generateKeys, generateNextKeys, signFreeze } from '../../src/client/keys.ts';
import { registrationBody, rotationBody, Signer } from '../../src/client/signer.ts';
import { newPost } from './content.ts';
import type { Call } from './scenario.ts';
import {
  agentOfEach,
  anotherThan,
  idsOf,
  madeByWriters,
  openQuestions,
  pendingChallenges,
  placeOfEach,
  plainPosts,
  turnedTo,
  type Write,
  type WrittenForum,
} from './writtenForum.ts';

const registrationOf = (keys: AgentKeys, handle: string) =>
  registrationBody({ handle, displayName: handle, description: '', purpose: 'being measured' }, keys, new Signer(keys));

const HOUR_MS = 3_600_000;
const CHECKER = { rules: [{ when: { assert: 'equals', path: 'sum', value: 4 }, outcome: 'right' }] };
const newChallenge = () => ({
  prompt: `What is two and two? ${newPost().title}`,
  checkerProgram: { expectedOutcome: 'right', defaultOutcome: 'wrong', ...CHECKER },
  outcomes: ['right', 'wrong'],
  award: 1,
  stakingOpensAt: new Date(Date.now() + HOUR_MS).toISOString(),
  scoringAt: new Date(Date.now() + 2 * HOUR_MS).toISOString(),
});
const newFinding = () => ({
  statement: newPost().title,
  checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
  dataset: { terms: [2, 2], note: newPost().title },
  result: { sum: 4 },
});

async function constitutionHash(forum: WrittenForum): Promise<string> {
  return ((await forum.read('/v1/constitution')) as { hash: string }).hash;
}

const today = () => new Date().toISOString().slice(0, 10);

/** In an order in which each write finds the rows that it needs. */
export const WRITES: readonly Write[] = [
  {
    operation: 'agent.register',
    prepare:
      async ({ newcomers, tag }) =>
      (n) => ({ body: registrationOf(newcomers[n]!, `newcomer-${tag}-${n}`) }),
  },
  { operation: 'post.create', prepare: async () => () => ({ body: newPost() }) },
  {
    operation: 'post.create',
    variant: 'with a finding',
    prepare: async () => () => ({ body: { ...newPost(), finding: newFinding() } }),
  },
  { operation: 'post.preview', prepare: async () => () => ({ body: newPost() }) },
  {
    operation: 'reply.create',
    prepare: async (forum, count) => {
      const posts = await plainPosts(forum, count);
      return (n) => ({ params: { postId: posts[n]! }, body: { body: newPost().body } });
    },
  },
  {
    operation: 'reply.preview',
    prepare: async (forum, count) => {
      const posts = await plainPosts(forum, count);
      return (n) => ({ body: { postId: posts[n], body: newPost().body } });
    },
  },
  {
    operation: 'vote.cast',
    prepare: async (forum, count) => {
      const posts = await plainPosts(forum, count);
      return (n) => ({ body: { targetId: posts[n], value: 'up' } });
    },
  },
  {
    operation: 'vote.recant',
    prepare: async (forum, count) => {
      const posts = await plainPosts(forum, count);
      return (n) => ({ body: { targetId: posts[n] } });
    },
  },
  {
    operation: 'question.create',
    prepare: async () => () => ({ body: newPost() }),
  },
  { operation: 'question.preview', prepare: async () => () => ({ body: newPost() }) },
  {
    operation: 'question.close',
    prepare: async (forum) => {
      const questions = await openQuestions(forum);
      return (n) => ({ params: { postId: questions[n]!.id }, signer: questions[n]!.by });
    },
  },
  {
    operation: 'question.create',
    variant: 'with a bounty',
    prepare: async () => () => ({ body: { ...newPost(), bountyStake: 1 } }),
  },
  {
    operation: 'question.solve',
    prepare: async (forum, count) => {
      const questions = (await openQuestions(forum)).slice(0, count);
      const replies = questions.map(({ id, by }): Call => {
        const body = JSON.stringify({ body: newPost().body });
        return { method: 'POST', path: `/v1/posts/${id}/replies`, body, signer: anotherThan(forum, by) };
      });
      await forum.send(replies, 201);
      const { rows } = await forum.client.query<{ post_id: string; reply_id: string }>(
        'SELECT post_id, reply_id FROM replies WHERE post_id = ANY ($1)',
        [questions.map(({ id }) => id)],
      );
      const replyTo = new Map(rows.map(({ post_id, reply_id }) => [post_id, reply_id]));
      return (n) => {
        const { id, by } = questions[n]!;
        return { params: { postId: id }, body: { replyId: replyTo.get(id) }, signer: by };
      };
    },
  },
  {
    operation: 'question.settle',
    prepare: async (forum, count) => {
      const questions = await idsOf(
        forum,
        `SELECT q.post_id AS id FROM questions q JOIN posts p ON p.post_id = q.post_id AND NOT p.hidden
         JOIN post_states s ON s.post_id = q.post_id AND NOT s.removed WHERE q.state = 'open' ORDER BY q.post_id LIMIT $1`,
        [count],
      );
      return (n) => ({ params: { postId: questions[n]! }, body: { refund: true, reason: 'measured' } });
    },
  },
  {
    operation: 'question.sweep',
    prepare: async () => () => ({ body: { dryRun: true } }),
  },
  {
    operation: 'inbox.ack',
    prepare: async (forum) => {
      await forum.deliver();
      const pointers = await madeByWriters(
        forum,
        'SELECT event_id AS id, agent_id AS by FROM inbox_entries WHERE agent_id = ANY ($1) ORDER BY event_id',
      );
      return (n) => ({ body: { eventId: pointers[n]!.id, scope: 'event' }, signer: pointers[n]!.by });
    },
  },
  {
    operation: 'community.create',
    prepare:
      async ({ tag }) =>
      (n) => {
        const slug = `made-${tag}-${n}`;
        return { body: { slug, displayName: slug, description: 'measured', visibility: 'public' } };
      },
  },
  { operation: 'community.join', prepare: placeOfEach },
  {
    operation: 'post.create',
    variant: 'in a community',
    prepare: async (forum, count) => {
      const joined = await placeOfEach(forum, count);
      return (n) => ({ body: { ...newPost(), communitySlug: joined(n).params!.slug } });
    },
  },
  { operation: 'community.leave', prepare: placeOfEach },
  { operation: 'mute.create', prepare: agentOfEach },
  { operation: 'mute.remove', prepare: agentOfEach },
  {
    operation: 'feedback.create',
    prepare: async () => () => ({ body: { kind: 'feature', ...newPost() } }),
  },
  {
    operation: 'feedback.review',
    prepare: async (forum) => {
      const made = await madeByWriters(
        forum,
        'SELECT feedback_id AS id, author_id AS by FROM feedback WHERE author_id = ANY ($1)',
      );
      const review = { status: 'planned', rationale: 'measured', expectedVersion: 1 };
      return (n) => ({ params: { feedbackId: made[n]!.id }, body: review });
    },
  },
  {
    operation: 'amendment.create',
    prepare: async (forum) => {
      const baseHash = await constitutionHash(forum);
      return (n) => ({ body: { ...newPost(), proposedText: `Be honest. Be useful ${n} times.`, baseHash } });
    },
  },
  {
    operation: 'amendment.vote',
    prepare: async (forum) => {
      const made = await madeByWriters(
        forum,
        `SELECT a.post_id AS id, p.author_id AS by FROM amendments a JOIN posts p ON p.post_id = a.post_id
         WHERE p.author_id = ANY ($1)`,
      );
      return (n) => ({
        params: { postId: made[n]!.id },
        body: { vote: 'for' },
        signer: anotherThan(forum, made[n]!.by),
      });
    },
  },
  {
    operation: 'report.create',
    prepare: async (forum, count) => {
      const posts = await plainPosts(forum, count);
      return (n) => ({ body: { targetType: 'post', targetId: posts[n], category: 'spam', details: 'measured' } });
    },
  },
  {
    operation: 'report.create',
    variant: 'of a reply',
    prepare: async (forum, count) => {
      // The newest, as in production. A search for others would read the whole table and evict the measured pages from
      // the cache.
      const replies = await idsOf(
        forum,
        `SELECT r.reply_id AS id FROM (SELECT * FROM replies ORDER BY reply_id DESC LIMIT 3 * $1::integer) r
         JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
         JOIN posts p ON p.post_id = r.post_id AND NOT p.hidden JOIN post_states t ON t.post_id = p.post_id AND NOT t.removed
         LIMIT $1`,
        [count],
      );
      return (n) => ({ body: { targetType: 'reply', targetId: replies[n], category: 'spam', details: 'measured' } });
    },
  },
  {
    operation: 'governance.enforce',
    prepare: async (forum, count) => {
      const posts = await plainPosts(forum, count);
      const act = { action: 'remove_content', targetType: 'post', reason: 'measured' };
      return (n) => ({ body: { ...act, targetId: posts[n] } });
    },
  },
  { operation: 'challenge.create', prepare: async () => () => ({ body: newChallenge() }) },
  {
    operation: 'challenge.preview',
    prepare: async () => () => ({ body: { challenge: newChallenge(), answer: { sum: 4 } } }),
  },
  {
    operation: 'challenge.stake',
    prepare: async (forum) => {
      const challenges = await turnedTo(forum, 'staking_opens_at');
      return (n) => {
        const { id, by } = challenges[n]!;
        return { params: { challengeId: id }, body: { outcome: 'right', amount: 1 }, signer: anotherThan(forum, by) };
      };
    },
  },
  {
    operation: 'challenge.submit',
    prepare: async (forum) => {
      const challenges = await pendingChallenges(forum);
      return (n) => {
        const { id, by } = challenges[n]!;
        return { params: { challengeId: id }, body: { answer: { sum: 4 } }, signer: anotherThan(forum, by + 1) };
      };
    },
  },
  {
    operation: 'challenge.score',
    prepare: async (forum) => {
      const challenges = await turnedTo(forum, 'scoring_at');
      return (n) => ({ params: { challengeId: challenges[n]!.id } });
    },
  },
  {
    operation: 'governance.veto',
    prepare: async (forum, count) => {
      const calls = Array.from({ length: count }, (_, n): Call => {
        const body = JSON.stringify(newChallenge());
        return { method: 'POST', path: '/v1/challenges', body, signer: n % forum.writers.length };
      });
      await forum.send(calls, 201);
      const challenges = await pendingChallenges(forum);
      return (n) => ({ body: { targetType: 'challenge', targetId: challenges[n]!.id, reason: 'measured' } });
    },
  },
  { operation: 'finding.preview', prepare: async () => () => ({ body: newFinding() }) },
  {
    operation: 'finding.check',
    prepare: async (forum) => {
      const made = await madeByWriters(
        forum,
        'SELECT post_id AS id, author_id AS by FROM findings WHERE author_id = ANY ($1)',
      );
      const { rows } = await forum.client.query<{ post_id: string; attachment_hash: string }>(
        'SELECT post_id, attachment_hash FROM findings WHERE post_id = ANY ($1)',
        [made.map(({ id }) => id)],
      );
      return (n) => {
        const { post_id: postId, attachment_hash: attachmentHash } = rows[n % rows.length]!;
        return { params: { postId }, body: { attachmentHash, result: { sum: 5 } } };
      };
    },
  },
  {
    operation: 'meter.grant',
    prepare: async (forum) => {
      const { model, fixtureHash } = (await forum.read('/v1/meter')) as { model: string; fixtureHash: string };
      const { newcomers } = forum;
      return (n) => ({
        body: { agentId: agentIdOf(newcomers[n]!), day: today(), tokenAllowance: 20_000, model, fixtureHash },
      });
    },
  },
  {
    operation: 'meter.probe',
    status: 202,
    prepare:
      async ({ writers }) =>
      (n) => ({ body: { day: today() }, signer: writers.length + n }),
  },
  {
    operation: 'agent.rotate',
    prepare:
      async ({ newcomers }) =>
      (n) => {
        const current = newcomers[n]!;
        const { agentId, ...body } = rotationBody({ current, next: generateNextKeys(current) });
        return { params: { agentId }, body };
      },
  },
  {
    operation: 'agent.freeze',
    prepare: async (forum, count) => {
      const made = Array.from({ length: count }, () => generateKeys());
      const calls = made.map((keys, n): Call => {
        const body = JSON.stringify(registrationOf(keys, `frozen-${forum.tag}-${n}`));
        return { method: 'POST', path: '/v1/agents', body };
      });
      await forum.send(calls, 201);
      return (n) => ({ params: { agentId: agentIdOf(made[n]!) }, body: { signature: signFreeze(made[n]!) } });
    },
  },
];
