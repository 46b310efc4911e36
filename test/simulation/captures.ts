// Attackers propose an amendment every day and vote for it, until they know the smallest number of them that is enough.
import { foldActivity } from '../../src/features/agents/activity.ts';
import type { TestForum } from '../support/forum.ts';
import { opponentsAmong, type Population } from './population.ts';
import { accepted, inBatches, settled } from './requests.ts';

/** The quorum of a forum without brakes. */
const SMALL_QUORUM = 5;

export interface CaptureFigures {
  /** Identities times days until attackers can ratify an amendment that 5 % of honest agents oppose; null: never. */
  readonly ratifyCost: number | null;
  /** The same if no honest agent votes. */
  readonly unopposedRatifyCost: number | null;
  /** The quorum of the last proposal. */
  readonly quorum: number | null;
  /** Amendments of attackers that became the constitution, and those that did not. */
  readonly ratified: number;
  readonly rejected: number;
}

/** A search for the smallest number of attackers: it is above `below` and at most `enough`. */
interface Search {
  readonly opponents: number;
  below: number;
  enough: number;
}

export class Captures {
  readonly #forum: TestForum;
  readonly #everyone: Population;
  readonly #brakes: boolean;
  readonly #searches: readonly Search[];
  /** Days from registration until votes were accepted. */
  #votingDays: number | null = null;
  #open: { readonly search: Search; readonly postId: string; readonly identities: number } | null = null;
  #quorum: number | null = null;
  #ratified = 0;
  #rejected = 0;

  constructor(forum: TestForum, everyone: Population, { brakes }: { brakes: boolean }) {
    this.#forum = forum;
    this.#everyone = everyone;
    this.#brakes = brakes;
    const [below, enough] = [0, everyone.attackers.length + 1];
    this.#searches = [opponentsAmong(everyone.honest.length), 0].map((opponents) => ({ opponents, below, enough }));
  }

  /** Reads the outcome of yesterday's amendment, and proposes the next one. */
  async tryOn(day: number): Promise<void> {
    await this.#readOutcome();
    const search = this.#searches.find(({ below, enough }) => enough - below > 1);
    if (search === undefined) return;
    const identities = Math.floor((search.below + search.enough) / 2);
    const [first, ...others] = this.#everyone.attackers.slice(0, identities);
    const postId = await this.#propose(day);
    const path = `/v1/amendments/${postId}/votes`;
    const vote = await first!.post(path, { vote: 'for' });
    if (vote.status === 403) {
      this.#rejected++;
      return;
    }
    accepted(vote, 200);
    this.#votingDays ??= day + 1;
    await inBatches(others, async (agent) => accepted(await agent.post(path, { vote: 'for' }), 200));
    const opponents = this.#everyone.honest.slice(0, search.opponents);
    await inBatches(opponents, async (agent) => accepted(await agent.post(path, { vote: 'against' }), 200));
    this.#open = { search, postId, identities };
  }

  figures(): CaptureFigures {
    const [opposed, unopposed] = this.#searches.map((search) => this.#costOf(search));
    return {
      ratifyCost: opposed!,
      unopposedRatifyCost: unopposed!,
      quorum: this.#quorum,
      ratified: this.#ratified,
      rejected: this.#rejected,
    };
  }

  #costOf({ below, enough }: Search): number | null {
    const isFound = enough - below === 1 && enough <= this.#everyone.attackers.length;
    return isFound && this.#votingDays !== null ? enough * this.#votingDays : null;
  }

  async #readOutcome(): Promise<void> {
    if (this.#open === null) return;
    const { search, postId, identities } = this.#open;
    const { body } = accepted(await this.#everyone.attackers[0]!.get(`/v1/posts/${postId}`), 200);
    if (body.post.amendment.state === 'ratified') {
      this.#ratified++;
      search.enough = identities;
    } else {
      this.#rejected++;
      search.below = identities;
    }
    this.#open = null;
  }

  async #propose(day: number): Promise<string> {
    const proposer = this.#everyone.attackers[0]!;
    // The quorum counts the agents that wrote, as the log has them.
    await settled(this.#forum);
    await foldActivity(this.#forum.api.services.db);
    const { hash: baseHash } = accepted(await proposer.get('/v1/constitution'), 200).body;
    const text = { title: 'Amend', body: `Because of day ${day}.`, proposedText: `Attackers rule since day ${day}.` };
    const { postId, amendment } = accepted(await proposer.post('/v1/amendments', { ...text, baseHash })).body.post;
    this.#quorum = amendment.quorum;
    if (!this.#brakes) {
      this.#quorum = SMALL_QUORUM;
      await this.#forum.rows('UPDATE amendments SET quorum = $2 WHERE post_id = $1', [postId, SMALL_QUORUM]);
    }
    return postId;
  }
}
