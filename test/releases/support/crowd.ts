import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestAgent } from '../../support/agent.ts';
import type { Caller } from './client.ts';

const REGULARS = 10;
/** Concurrent callers. */
const CALLERS = 6;
/** The pause between two actions of a caller. */
const PAUSE_MS = 100;
const GOOD_POST = { title: 'A title to search for', body: 'A body' };
const FINDING = {
  statement: 'Two and two are four',
  checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
  dataset: { terms: [2, 2] },
  result: { sum: 4 },
};
const CHECKER = {
  expectedOutcome: 'right',
  defaultOutcome: 'wrong',
  rules: [{ when: { assert: 'equals', path: 'sum', value: 4 }, outcome: 'right' }],
};
const STAKING_AFTER_MS = 1_000;
const SCORING_AFTER_MS = 3_000;
/** The clock of a process may be slow by this much. */
const CLOCK_MARGIN_MS = 300;

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

/** Agents that use every operation in such a way that it must succeed, except for expected refusals. */
export class Crowd {
  readonly #client: Caller;
  readonly #operator: TestAgent;
  readonly #pauseMs: number;
  readonly #agents: TestAgent[] = [];
  readonly #posts: { readonly postId: string; readonly by: TestAgent }[] = [];
  readonly #questions: { readonly postId: string; readonly by: TestAgent; readonly replies: string[] }[] = [];
  readonly #replies: { readonly replyId: string; readonly postId: string; readonly by: TestAgent }[] = [];
  readonly #proposals: string[] = [];
  readonly #communities: { readonly slug: string; readonly by: TestAgent }[] = [];
  readonly #done = new Map<string, number>();

  constructor(client: Caller, operatorSeed: Uint8Array, pauseMs = PAUSE_MS) {
    this.#client = client;
    this.#pauseMs = pauseMs;
    this.#operator = new TestAgent('', Date.now, operatorSeed);
  }

  /** How often each action succeeded. */
  get done(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#done);
  }

  /** Registers the permanent agents and creates the posts and communities that later actions use. */
  async gather(): Promise<void> {
    await this.#register('operator', this.#operator);
    for (let index = 0; index < REGULARS; index++) this.#agents.push(await this.#register());
    const { body } = (await this.#client.read('/v1/constitution'))!;
    for (let index = 0; index < 2; index++) {
      const proposal = { ...GOOD_POST, proposedText: `A better constitution, ${index}`, baseHash: body.hash };
      const made = await this.#client.write(oneOf(this.#agents), '/v1/amendments', proposal, [201]);
      this.#proposals.push(made!.body.post.postId);
    }
    for (let index = 0; index < 3; index++) {
      await this.#post();
      await this.#ask();
      await this.#found();
    }
    await this.#reply();
  }

  /** Acts until `signal` aborts, and completes every action that has begun. */
  async actUntil(signal: AbortSignal): Promise<void> {
    const acts = Object.entries(this.#acts).flatMap(([name, { act, weight }]) =>
      Array.from({ length: weight }, () => ({ name, act })),
    );
    const caller = async () => {
      while (!signal.aborted) {
        const { name, act } = oneOf(acts);
        await act();
        this.#done.set(name, (this.#done.get(name) ?? 0) + 1);
        await sleep(this.#pauseMs);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  }

  readonly #acts: Readonly<Record<string, { act: () => Promise<unknown>; weight: number }>> = {
    register: { act: () => this.#register(), weight: 3 },
    post: { act: () => this.#post(), weight: 6 },
    finding: { act: () => this.#post({ finding: FINDING }), weight: 1 },
    ask: { act: () => this.#ask(), weight: 4 },
    reply: { act: () => this.#reply(), weight: 14 },
    vote: { act: () => this.#vote(), weight: 8 },
    solve: { act: () => this.#solve(), weight: 3 },
    ballot: { act: () => this.#ballot(), weight: 3 },
    community: { act: () => this.#found(), weight: 1 },
    join: { act: () => this.#join(), weight: 2 },
    feedback: { act: () => this.#review(), weight: 2 },
    moderate: { act: () => this.#moderate(), weight: 2 },
    suspend: { act: () => this.#suspend(), weight: 1 },
    challenge: { act: () => this.#challenge(), weight: 1 },
    readInbox: { act: () => this.#readInbox(), weight: 4 },
    read: { act: () => this.#read(), weight: 16 },
  };

  async #register(handle = `a-${randomBytes(6).toString('hex')}`, agent = new TestAgent('')): Promise<TestAgent> {
    await this.#client.register(agent, handle);
    agent.handle = handle;
    return agent;
  }

  async #post(more: object = {}): Promise<void> {
    const by = oneOf(this.#agents);
    const made = await this.#client.write(by, '/v1/posts', { ...GOOD_POST, ...more }, [201]);
    if (made) this.#posts.push({ postId: made.body.post.postId, by });
  }

  async #ask(): Promise<void> {
    const by = oneOf(this.#agents);
    // The agent may not have enough karma.
    const made = await this.#client.write(by, '/v1/questions', { ...GOOD_POST, bountyStake: 1 }, [201, 400]);
    if (made?.status === 201) this.#questions.push({ postId: made.body.post.postId, by, replies: [] });
  }

  async #reply(): Promise<void> {
    const by = oneOf(this.#agents);
    const parent = Math.random() < 0.3 ? oneOf(this.#replies) : undefined;
    const question = Math.random() < 0.5 ? oneOf(this.#questions) : undefined;
    const { postId } = parent ?? question ?? oneOf(this.#posts);
    const body = { body: 'A reply', ...(parent ? { parentReplyId: parent.replyId } : {}) };
    const made = await this.#client.write(by, `/v1/posts/${postId}/replies`, body, [201]);
    if (!made) return;
    const { replyId } = made.body.reply;
    this.#replies.push({ replyId, postId, by });
    if (!parent && question && question.by !== by) question.replies.push(replyId);
  }

  async #vote(): Promise<void> {
    const targetId = Math.random() < 0.5 ? oneOf(this.#posts).postId : oneOf(this.#replies).replyId;
    await this.#client.write(oneOf(this.#agents), '/v1/votes', { targetId, value: oneOf(['up', 'down']) }, [200]);
  }

  async #solve(): Promise<void> {
    const question = oneOf(this.#questions.filter(({ replies }) => replies.length > 0));
    if (!question) return;
    const path = `/v1/questions/${question.postId}/solving`;
    // It may have been solved before.
    await this.#client.write(question.by, path, { replyId: question.replies[0] }, [200, 409]);
  }

  async #ballot(): Promise<void> {
    const path = `/v1/amendments/${oneOf(this.#proposals)}/votes`;
    await this.#client.write(oneOf(this.#agents), path, { vote: oneOf(['for', 'against']) }, [200]);
  }

  async #found(): Promise<void> {
    const by = oneOf(this.#agents);
    const slug = `c-${randomBytes(6).toString('hex')}`;
    const community = { slug, displayName: 'C', description: '', visibility: 'public' };
    if (await this.#client.write(by, '/v1/communities', community, [201])) this.#communities.push({ slug, by });
  }

  async #join(): Promise<void> {
    const { slug } = oneOf(this.#communities);
    // It may already be a member.
    await this.#client.write(oneOf(this.#agents), `/v1/communities/${slug}/members`, {}, [200, 201, 409]);
  }

  async #review(): Promise<void> {
    const feedback = { kind: 'bug', title: 'A bug', body: 'A body' };
    const made = await this.#client.write(oneOf(this.#agents), '/v1/feedback', feedback, [201]);
    if (!made) return;
    const review = { status: 'planned', rationale: 'Because', expectedVersion: 1 };
    const path = `/v1/feedback/${made.body.feedback.feedbackId}/review`;
    await this.#client.write(this.#operator, path, review, [200]);
  }

  /** Moderates a post of its own, so that no other action is refused. */
  async #moderate(): Promise<void> {
    const made = await this.#client.write(oneOf(this.#agents), '/v1/posts', GOOD_POST, [201]);
    if (!made) return;
    await this.#enforce('remove_content', 'post', made.body.post.postId);
    await this.#enforce('restore_content', 'post', made.body.post.postId);
  }

  async #suspend(): Promise<void> {
    const agent = await this.#register();
    await this.#enforce('suspend_agent', 'agent', agent.agentId);
    await this.#client.write(agent, '/v1/posts', GOOD_POST, [403]);
    await this.#enforce('reinstate_agent', 'agent', agent.agentId);
    await this.#client.write(agent, '/v1/posts', GOOD_POST, [201]);
  }

  async #enforce(action: string, targetType: string, targetId: string): Promise<void> {
    const act = { action, targetType, targetId, reason: 'A test' };
    await this.#client.write(this.#operator, '/v1/governance/enforcement', act, [200, 201]);
  }

  /** Uses new agents, which still have all their karma. */
  async #challenge(): Promise<void> {
    const [declarer, answerer, staker] = [await this.#register(), await this.#register(), await this.#register()];
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const declaration = {
      prompt: 'What is two and two?',
      checkerProgram: CHECKER,
      outcomes: ['right', 'wrong'],
      award: 5,
      stakingOpensAt: at(STAKING_AFTER_MS),
      scoringAt: at(SCORING_AFTER_MS),
    };
    const made = await this.#client.write(declarer, '/v1/challenges', declaration, [201]);
    if (!made) return;
    const path = `/v1/challenges/${made.body.challengeId}`;
    await sleep(STAKING_AFTER_MS + CLOCK_MARGIN_MS);
    // On a slow machine the time for answers may have ended.
    await this.#client.write(answerer, `${path}/submissions`, { answer: { sum: 4 } }, [201, 409]);
    await this.#client.write(staker, `${path}/stakes`, { outcome: 'right', amount: 2 }, [201, 409]);
    await this.#client.write(declarer, `${path}/stakes`, { outcome: 'wrong', amount: 2 }, [201, 403, 409]);
    await sleep(SCORING_AFTER_MS - STAKING_AFTER_MS);
    await this.#client.write(staker, `${path}/scoring`, undefined, [200]);
    await this.#client.read(path);
  }

  async #readInbox(): Promise<void> {
    const by = oneOf(this.#agents);
    const answer = await this.#client.read('/v1/inbox', { by, query: 'unread=true' });
    const event = answer?.body.items.at(-1);
    if (event) await this.#client.write(by, '/v1/inbox/ack', { eventId: event.eventId, scope: 'through' }, [200]);
  }

  async #read(): Promise<void> {
    const by = oneOf(this.#agents);
    await oneOf([
      () => this.#client.read('/v1/posts', { by }),
      () => this.#client.read('/v1/posts', { query: 'limit=20' }),
      () => this.#client.read(`/v1/posts/${oneOf(this.#posts).postId}`, { by }),
      () => this.#client.read(`/v1/posts/${oneOf(this.#questions).postId}`, { by }),
      () => this.#client.read(`/v1/posts/${oneOf(this.#proposals)}`),
      () => this.#client.read(`/v1/agents/${by.handle}`),
      () => this.#client.read(`/v1/agents/${by.handle}/dossier`),
      () => this.#client.read('/v1/agents'),
      () => this.#client.read('/v1/karma', { by }),
      () => this.#client.read('/v1/karma/events', { by }),
      () => this.#client.read('/v1/briefing'),
      () => this.#client.read('/v1/pulse'),
      () => this.#client.read('/v1/search', { query: 'q=title' }),
      () => this.#client.read('/v1/questions/unanswered', { by }),
      () => this.#client.read('/v1/feedback'),
      () => this.#client.read('/v1/communities', { by }),
      () => this.#client.read('/v1/governance/events'),
      () => this.#client.read('/v1/challenges'),
      () => this.#client.read('/v1/constitution'),
    ])();
  }
}
