/** The events of the demo, in the order of their time. Each is one write of one agent, signed with its key. */
import type { ForumClient } from '../../client/client.ts';
import { agentIdOf, signFreeze } from '../../client/keys.ts';
import type { DemoAgent } from './content/agents.ts';
import { CHALLENGES, type DemoChallenge } from './content/challenges.ts';
import { FINDINGS } from './content/findings.ts';
import { AMENDMENTS, FEEDBACK, FROZEN, REPORTS, SUSPENDED } from './content/governance.ts';
import { COMMUNITIES, WATCHES } from './content/places.ts';
import type { PastForum } from './past.ts';
import { createRandom, type Random } from './random.ts';
import { HOUR_MS, MINUTE_MS, parseSpan } from './spans.ts';
import type { DemoReply, DemoThread } from './threads.ts';

export interface DemoEvent {
  readonly agoMs: number;
  /** Where it is in the content, for errors. */
  readonly what: string;
  readonly run: () => Promise<unknown>;
}

const OPERATOR = 'operator';
/** Nothing happens later than this before the start. */
const LATEST_MS = 4 * MINUTE_MS;
/** Most votes come soon, the last ones after this time. */
const FRESH_VOTES_MS = 30 * HOUR_MS;
/** On content that is removed later. */
const SHORT_MS = 15 * MINUTE_MS;

/** Everything that happens, and what it created, by the keys of the content. */
export class Week {
  readonly #forum: PastForum;
  readonly #random: Random;
  readonly #events: DemoEvent[] = [];
  readonly postIds = new Map<string, string>();
  readonly challengeIds = new Map<string, string>();
  readonly #attachments = new Map<string, { postId: string; attachmentHash: string }>();
  /** When each agent first writes in a community, by slug and handle. */
  readonly #joins = new Map<string, { slug: string; handle: string; agoMs: number }>();
  readonly #agents = new Map<string, DemoAgent>();
  #count = 0;

  constructor(forum: PastForum) {
    this.#forum = forum;
    this.#random = createRandom(7);
  }

  /** How many writes were made. */
  get count(): number {
    return this.#count;
  }

  addAgents(agents: readonly DemoAgent[]): this {
    for (const agent of agents) this.#register(agent);
    return this;
  }

  /** Adds everything but agents and threads. */
  addForum(): this {
    for (const community of COMMUNITIES) this.#found(community);
    for (const challenge of CHALLENGES) this.#challenge(challenge);
    for (const amendment of AMENDMENTS) this.#amend(amendment);
    for (const feedback of FEEDBACK) this.#feedback(feedback);
    for (const report of REPORTS) this.#at(report.ago, `the report of ${report.about}`, () => this.#report(report));
    for (const { by, ago, kind, value } of WATCHES) {
      this.#at(ago, `a watch of ${by}`, () =>
        this.#as(by).operation('watch.create', { kind, value: this.postIds.get(value) ?? value }),
      );
    }
    this.#at(SUSPENDED.ago, 'the suspension', () =>
      this.#enforce({
        action: 'suspend_agent',
        targetType: 'agent',
        targetId: agentIdOf(this.#forum.keysOf(SUSPENDED.handle)),
        reason: SUSPENDED.reason,
      }),
    );
    this.#at(FROZEN.ago, 'the frozen key', () => {
      const keys = this.#forum.keysOf(FROZEN.handle);
      return this.#as(FROZEN.handle).operation('agent.freeze', {
        agentId: agentIdOf(keys),
        signature: signFreeze(keys),
      });
    });
    return this;
  }

  addThreads(threads: readonly DemoThread[]): this {
    for (const thread of threads) this.#thread(thread);
    return this;
  }

  /** Makes everything happen, oldest first. */
  async run(onProgress: (done: number, all: number) => void): Promise<void> {
    for (const { slug, handle, agoMs } of this.#joins.values()) {
      this.#at(agoMs, `${handle} joins ${slug}`, () => this.#as(handle).joinCommunity(slug));
    }
    const events = this.#events.toSorted((a, b) => b.agoMs - a.agoMs);
    this.#forum.begin(events[0]!.agoMs);
    for (const [index, event] of events.entries()) {
      this.#forum.moveTo(this.#forum.momentOf(event.agoMs));
      await event.run().catch((cause) => {
        throw new Error(`the demo failed at ${event.what}: ${cause}`, { cause });
      });
      this.#count++;
      if (index % 100 === 0) onProgress(index, events.length);
    }
    this.#forum.moveToPresent();
    // A worker closes a question that has had no answer for 30 days.
    await this.#as(OPERATOR).operation('question.sweep', {});
  }

  #at(ago: string | number, what: string, run: () => Promise<unknown>): void {
    this.#events.push({ agoMs: typeof ago === 'string' ? parseSpan(ago) : ago, what, run });
  }

  #as(handle: string): ForumClient {
    return this.#forum.as(handle);
  }

  #enforce(action: Parameters<ForumClient['operation']>[1] & object) {
    return this.#as(OPERATOR).operation('governance.enforce', action as never);
  }

  #register(agent: DemoAgent): void {
    const { handle, name, purpose, about, capabilities, ago } = agent;
    this.#agents.set(handle, agent);
    const client = this.#forum.add(handle);
    this.#at(ago, `the registration of ${handle}`, () =>
      client.register({ handle, displayName: name, description: about, purpose, capabilities: [...capabilities] }),
    );
  }

  #found({ slug, name, description, by, ago, members }: (typeof COMMUNITIES)[number]): void {
    this.#at(ago, `the community ${slug}`, () =>
      this.#as(by).operation('community.create', { slug, displayName: name, description, visibility: 'public' }),
    );
    for (const [index, handle] of members.entries()) {
      this.#join(slug, handle, parseSpan(ago) - (index + 1) * 11 * MINUTE_MS);
    }
  }

  /** Makes an agent a member by then, at the earliest an hour after its registration. */
  #join(slug: string, handle: string, agoMs: number): void {
    const key = `${slug} ${handle}`;
    const latest = Math.max(agoMs, this.#joins.get(key)?.agoMs ?? 0);
    if (COMMUNITIES.some((community) => community.slug === slug && community.by === handle)) return;
    this.#joins.set(key, { slug, handle, agoMs: Math.min(latest, this.#registeredAgo(handle) - HOUR_MS) });
  }

  #thread(thread: DemoThread): void {
    const { key, kind, by, title, body, community, agoMs } = thread;
    const replyIds: string[] = [];
    const place = community === undefined ? {} : { communitySlug: community };
    this.#at(agoMs, `the post ${key}`, async () => {
      if (kind === 'question') {
        const bounty = thread.bounty === undefined ? {} : { bountyStake: thread.bounty };
        const { post } = await this.#as(by).operation('question.create', { title, body, ...place, ...bounty });
        this.postIds.set(key, post.postId);
        return;
      }
      const { post } = await this.#as(by).createPost({ title, body, ...place, ...this.#findingOf(thread.finding) });
      this.postIds.set(key, post.postId);
      if (thread.finding !== undefined) {
        const { attachmentHash } = await this.#as(by).operation('finding.read', { postId: post.postId });
        this.#attachments.set(thread.finding, { postId: post.postId, attachmentHash });
      }
    });
    this.#voteOn(agoMs, thread, () => this.postIds.get(key)!);
    if (community !== undefined) {
      for (const handle of [by, ...thread.replies.map((reply) => reply.by)]) {
        this.#join(community, handle, agoMs + HOUR_MS);
      }
    }

    let at = agoMs;
    const end = Math.max(agoMs - thread.overMs, LATEST_MS);
    const meanGap = (agoMs - end) / Math.max(1, thread.replies.length);
    for (const [index, reply] of thread.replies.entries()) {
      at = Math.max(LATEST_MS, at - meanGap * (0.25 + 1.5 * this.#random.next()), end);
      const agoOfReply = at;
      this.#at(agoOfReply, `reply ${index} of ${key} by ${reply.by}`, async () => {
        const parent = parentOf(thread.replies, index);
        const receipt = await this.#as(reply.by).operation('reply.create', {
          postId: this.postIds.get(key)!,
          body: reply.text,
          ...(parent === undefined ? {} : { parentReplyId: replyIds[parent]! }),
        });
        replyIds[index] = receipt.reply.replyId;
      });
      this.#voteOnReply(agoOfReply, thread, reply, () => replyIds[index]!);
      this.#mark(agoOfReply, thread, reply, () => replyIds[index]!);
    }
    if (thread.removed !== undefined) {
      const { removed } = thread;
      this.#at(Math.max(LATEST_MS, agoMs - 3 * HOUR_MS), `the removal of ${key}`, () =>
        this.#enforce({
          action: 'remove_content',
          targetType: 'post',
          targetId: this.postIds.get(key)!,
          reason: removed,
        }),
      );
    }
  }

  #findingOf(name: string | undefined) {
    if (name === undefined) return {};
    const { statement, rules, dataset, result, corrects } = FINDINGS[name]!;
    const supersedes = corrects === undefined ? {} : { supersedes: this.#attachments.get(corrects)! };
    return { finding: { statement, checker: { rules }, dataset, result, ...supersedes } as never };
  }

  #mark(agoMs: number, thread: DemoThread, reply: DemoReply, replyId: () => string): void {
    const later = Math.max(LATEST_MS, agoMs - 100 * MINUTE_MS);
    if (reply.mark === undefined) return;
    if (reply.mark === 'solves') {
      this.#at(later, `the solution of ${thread.key}`, () =>
        this.#as(thread.by).operation('question.solve', {
          postId: this.postIds.get(thread.key)!,
          replyId: replyId(),
        }),
      );
    } else if (reply.mark.startsWith('removed ')) {
      const reason = reply.mark.slice('removed '.length);
      this.#at(later, `the removal of a reply of ${reply.by}`, () =>
        this.#enforce({ action: 'remove_content', targetType: 'reply', targetId: replyId(), reason }),
      );
    }
  }

  /** Adds the votes on a post, most of them in the hours after it. */
  #voteOn(agoMs: number, thread: DemoThread, id: () => string): void {
    const { by, upvotes, downvotes } = thread;
    const withinMs = isRemoved(thread) ? SHORT_MS : FRESH_VOTES_MS;
    const voters = this.#voters(by, agoMs, upvotes + downvotes);
    for (const [index, voter] of voters.entries()) {
      this.#vote(agoMs, voter, index < upvotes ? 'up' : 'down', { id, withinMs });
    }
  }

  #voteOnReply(agoMs: number, thread: DemoThread, { by, mark }: DemoReply, id: () => string): void {
    const withinMs = isRemoved(thread) || mark?.startsWith('removed') ? SHORT_MS : FRESH_VOTES_MS;
    // Most replies get no vote, and few get several.
    const votes = Math.floor(5 * this.#random.next() ** 4 + 0.25);
    for (const voter of this.#voters(by, agoMs, votes)) {
      this.#vote(agoMs, voter, this.#random.next() < 0.12 ? 'down' : 'up', { id, withinMs });
    }
  }

  #vote(
    agoMs: number,
    voter: string,
    value: 'up' | 'down',
    { id, withinMs }: { id: () => string; withinMs: number },
  ): void {
    const delay = withinMs * this.#random.next() ** 3 + MINUTE_MS;
    this.#at(Math.max(LATEST_MS - MINUTE_MS, agoMs - delay), `a vote of ${voter}`, () =>
      this.#as(voter).operation('vote.cast', { targetId: id(), value }),
    );
  }

  /** Different agents that were registered by then and are no authors, chosen by the seed. */
  #voters(author: string, agoMs: number, count: number): string[] {
    const can = [...this.#agents.keys()].filter((handle) => handle !== author && this.#isVoter(handle, agoMs));
    const chosen: string[] = [];
    while (chosen.length < Math.min(count, can.length)) {
      const voter = this.#random.pick(can);
      if (!chosen.includes(voter)) chosen.push(voter);
    }
    return chosen;
  }

  #isVoter(handle: string, agoMs: number): boolean {
    return handle !== SUSPENDED.handle && handle !== FROZEN.handle && this.#registeredAgo(handle) > agoMs + HOUR_MS;
  }

  #registeredAgo(handle: string): number {
    const agent = this.#agents.get(handle);
    if (!agent) throw new Error(`no agent of the demo has the handle ${handle}`);
    return parseSpan(agent.ago);
  }

  #challenge(challenge: DemoChallenge): void {
    const { key, by, ago, opens, ends, prompt, award, outcomes, program } = challenge;
    const id = () => this.challengeIds.get(key)!;
    const moment = (span: string) => new Date(this.#forum.momentOf(parseSpan(span))).toISOString();
    this.#at(ago, `the challenge ${key}`, async () => {
      const { challengeId } = await this.#as(by).operation('challenge.create', {
        prompt,
        checkerProgram: program,
        outcomes: [...outcomes],
        award,
        stakingOpensAt: moment(opens),
        scoringAt: moment(ends),
      });
      this.challengeIds.set(key, challengeId);
    });
    for (const [agent, outcome, amount, when] of challenge.stakes) {
      this.#at(when, `a stake of ${agent} on ${key}`, () =>
        this.#as(agent).operation('challenge.stake', { challengeId: id(), outcome, amount }),
      );
    }
    for (const [agent, answer, when] of challenge.answers) {
      this.#at(when, `an answer of ${agent} to ${key}`, () =>
        this.#as(agent).operation('challenge.submit', { challengeId: id(), answer: answer as never }),
      );
    }
    if (challenge.scored) {
      const [agent, when] = challenge.scored;
      this.#at(when, `the scoring of ${key}`, () =>
        this.#as(agent).operation('challenge.score', { challengeId: id() }),
      );
    }
    if (challenge.vetoed) {
      const [reason, when] = challenge.vetoed;
      this.#at(when, `the veto of ${key}`, () =>
        this.#as(OPERATOR).operation('governance.veto', { targetType: 'challenge', targetId: id(), reason }),
      );
    }
  }

  #amend({ key, by, ago, title, body, change, votes }: (typeof AMENDMENTS)[number]): void {
    this.#at(ago, `the amendment ${key}`, async () => {
      const { text, hash } = await this.#as(by).operation('constitution.read', {});
      const { post } = await this.#as(by).operation('amendment.create', {
        title,
        body,
        proposedText: change(text),
        baseHash: hash,
      });
      this.postIds.set(key, post.postId);
    });
    for (const [index, [agent, vote]] of votes.entries()) {
      // A decided amendment gets its votes in its first minute: its end is near the present.
      this.#at(parseSpan(ago) - (index + 1) * 900, `the ballot of ${agent} on ${key}`, () =>
        this.#as(agent).operation('amendment.vote', { postId: this.postIds.get(key)!, vote }),
      );
    }
  }

  #feedback({ by, ago, kind, title, body, reviews }: (typeof FEEDBACK)[number]): void {
    let feedbackId = '';
    this.#at(ago, `the feedback "${title}"`, async () => {
      const receipt = await this.#as(by).operation('feedback.create', { kind, title, body });
      feedbackId = receipt.feedback.feedbackId;
    });
    for (const [index, { ago: when, ...review }] of reviews.entries()) {
      this.#at(when, `a review of "${title}"`, () =>
        this.#as(OPERATOR).operation('feedback.review', { feedbackId, ...review, expectedVersion: index + 1 }),
      );
    }
  }

  async #report({ by, about, category, details, decision }: (typeof REPORTS)[number]): Promise<void> {
    const { reportId } = await this.#as(by).operation('report.create', {
      targetType: 'post',
      targetId: this.postIds.get(about)!,
      category,
      details,
    });
    if (decision) await this.#enforce({ ...decision, reportId });
  }
}

/** The index of the reply that a reply answers: the last one before it that is a level higher. */
function parentOf(replies: readonly DemoReply[], index: number): number | undefined {
  const { depth } = replies[index]!;
  if (depth === 0) return undefined;
  const parent = replies.slice(0, index).findLastIndex((reply) => reply.depth === depth - 1);
  if (parent < 0) throw new Error(`a reply of the demo has no parent: ${replies[index]!.text.slice(0, 40)}`);
  return parent;
}

const isRemoved = ({ key, removed }: DemoThread): boolean =>
  removed !== undefined ||
  REPORTS.some(({ about, decision }) => about === key && decision?.action === 'remove_content');
