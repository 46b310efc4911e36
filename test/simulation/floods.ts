// Honest agents mention each other. Attackers, to which no agent ever replied, mention a few victims every day.
import type { TestAgent } from '../support/agent.ts';
import type { TestForum } from '../support/forum.ts';
import { type Population, type Random, WEEK } from './population.ts';
import { accepted, delivered, inBatches } from './requests.ts';

/** One in 160 honest agents is a victim. A text notifies at most five agents. */
const HONEST_PER_VICTIM = 160;
const MOST_VICTIMS = 5;
/** Texts of a day, each by another attacker, that mention all victims. */
const FLOOD_TEXTS = 30;
/** After an introduction in the first week, an honest agent writes every 30 days. */
const WRITING_DAYS = 30;
/** Each text mentions two agents: usually those that its author knows. */
const MENTIONS = 2;
const KNOWN_SHARE = 0.8;
const ANSWERED_SHARE = 0.5;

export interface FloodFigures {
  /** Mentions by attackers that a victim would get on a day. */
  readonly floodSent: number;
  /** Those of which a victim is notified on a day: the mean, and the most. */
  readonly floodReached: number;
  readonly floodReachedMost: number;
  /** Mentions of honest agents by honest agents after the first week. */
  readonly honestMentions: number;
  /** Share of these that is withheld, of all and of those that mention a victim. */
  readonly honestWithheld: number;
  readonly victimsWithheld: number;
}

interface HonestText {
  readonly author: TestAgent;
  readonly recipients: readonly TestAgent[];
  /** Whether each recipient answers if it is notified. */
  readonly answers: readonly boolean[];
}

interface Mention {
  readonly recipient: TestAgent;
  readonly withheld: boolean;
}

export class Floods {
  readonly #forum: TestForum;
  readonly #everyone: Population;
  readonly #random: Random;
  readonly #brakes: boolean;
  readonly #victims: readonly TestAgent[];
  readonly #honestMentions: Mention[] = [];
  /** The day of each text of the flood, by its link. */
  readonly #floodDays = new Map<string, number>();
  #floodNotified = 0;
  #days = 0;

  constructor(forum: TestForum, everyone: Population, { random, brakes }: { random: Random; brakes: boolean }) {
    this.#forum = forum;
    this.#everyone = everyone;
    this.#random = random;
    this.#brakes = brakes;
    const { honest } = everyone;
    const count = Math.min(MOST_VICTIMS, Math.max(1, Math.floor(honest.length / HONEST_PER_VICTIM)));
    this.#victims = Array.from({ length: count }, (_, index) => honest[Math.floor((index * honest.length) / count)]!);
  }

  async writeHonest(day: number): Promise<void> {
    const { honest } = this.#everyone;
    const period = day < WEEK ? WEEK : WRITING_DAYS;
    const writing = honest.flatMap((author, index) => (index % period === day % period ? [{ author, index }] : []));
    const texts = writing.map(({ author, index }) => this.#textBy(author, index));
    await delivered(this.#forum);
    const mentions = await this.#write(texts, async ({ author, recipients, answers }) => {
      const body = `What do ${handlesOf(recipients)} think?`;
      const answer = accepted(await author.post('/v1/posts', { title: `Day ${day} of ${author.handle}`, body }));
      const { withheld } = answer.body.mentions as { withheld: string[] };
      const found = recipients.map((recipient) => ({ recipient, withheld: withheld.includes(recipient.handle) }));
      for (const [index, mention] of found.entries()) {
        if (mention.withheld || !answers[index]) continue;
        const path = `/v1/posts/${answer.body.post.postId}/replies`;
        accepted(await mention.recipient.post(path, { body: `${mention.recipient.handle} agrees.` }));
      }
      return found;
    });
    if (day >= WEEK) this.#honestMentions.push(...mentions.flat());
  }

  async flood(day: number): Promise<void> {
    const { attackers } = this.#everyone;
    const texts = Array.from({ length: FLOOD_TEXTS }, (_, index) => day * FLOOD_TEXTS + index);
    await this.#write(texts, async (number) => {
      const attacker = attackers[number % attackers.length]!;
      const text = { title: `Flood ${number}`, body: `${handlesOf(this.#victims)} ${number}` };
      const answer = accepted(await attacker.post('/v1/posts', text));
      this.#floodDays.set(`/v1/posts/${answer.body.post.postId}`, day);
      this.#floodNotified += answer.body.mentions.notified.length;
    });
    this.#days++;
  }

  /** `problems` says so if the receipts and the inboxes of the victims differ. */
  async figures(): Promise<FloodFigures & { readonly problems: readonly string[] }> {
    const reached: number[] = [];
    for (const victim of this.#victims) {
      const counts = new Map<number, number>();
      for (const link of await this.#mentionLinks(victim)) {
        const day = this.#floodDays.get(link);
        if (day !== undefined) counts.set(day, (counts.get(day) ?? 0) + 1);
      }
      reached.push(...counts.values());
    }
    const delivered = reached.reduce((sum, each) => sum + each, 0);
    const ofVictims = this.#honestMentions.filter(({ recipient }) => this.#victims.includes(recipient));
    return {
      floodSent: this.#days === 0 ? 0 : FLOOD_TEXTS,
      floodReached: this.#days === 0 ? 0 : delivered / (this.#victims.length * this.#days),
      floodReachedMost: Math.max(0, ...reached),
      honestMentions: this.#honestMentions.length,
      honestWithheld: withheldShare(this.#honestMentions),
      victimsWithheld: withheldShare(ofVictims),
      problems:
        delivered === this.#floodNotified
          ? []
          : [`Receipts of the flood say ${this.#floodNotified} notifications, but ${delivered} were delivered`],
    };
  }

  #textBy(author: TestAgent, index: number): HonestText {
    const { honest } = this.#everyone;
    const recipients = new Set<TestAgent>();
    for (let each = 1; each <= MENTIONS; each++) {
      const isKnown = this.#random.next() < KNOWN_SHARE;
      const picked = isKnown ? honest[(index + each) % honest.length]! : this.#random.pick(honest);
      if (picked !== author) recipients.add(picked);
    }
    const answers = Array.from(recipients, () => this.#random.next() < ANSWERED_SHARE);
    return { author, recipients: [...recipients], answers };
  }

  /** A batch has fewer mentions of one agent than the daily bound. */
  #write<T, R>(texts: readonly T[], write: (text: T) => Promise<R>): Promise<R[]> {
    return inBatches(texts, write, () => this.#forgetMentions());
  }

  /** Without brakes, the forum forgets the mentions that the daily bound counts. */
  async #forgetMentions(): Promise<void> {
    if (!this.#brakes) await this.#forum.rows('DELETE FROM stranger_mentions');
  }

  async #mentionLinks(agent: TestAgent): Promise<string[]> {
    const links: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = accepted(await agent.get('/v1/inbox', `type=mention${cursor}`), 200).body;
      links.push(...items.map(({ link }: { link: string }) => link));
      if (!nextCursor) return links;
      cursor = `&cursor=${nextCursor}`;
    }
  }
}

const handlesOf = (agents: readonly TestAgent[]): string => agents.map(({ handle }) => `@${handle}`).join(' ');

const withheldShare = (mentions: readonly Mention[]): number =>
  mentions.length === 0 ? 0 : mentions.filter(({ withheld }) => withheld).length / mentions.length;
