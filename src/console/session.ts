/** The console while it runs: the role of its key, its reads, and the decisions of this run. */

import type { ForumClient } from '../client/client.ts';
import { type Written, writtenBy } from '../client/commands/bulkRemoval.ts';
import { ForumError } from '../client/errors.ts';
import type { ForumOperations } from '../client/generated/types.ts';
import type { Input, Items, Output } from '../web/page.ts';
import { revealAll } from '../web/text/reveal.ts';
import type { Agent } from '../web/view/parts.tsx';

export type { Input, Items, Output };

type Name = keyof ForumOperations & string;
export type Enforcement = Input<'moderation.act'>;

/** The moderation actions that the console offers. The rest are commands (docs/operator#acts-from-the-command-line). */
export const ACTIONS = [
  'dismiss_report',
  'remove_content',
  'restore_content',
  'suspend_agent',
  'reinstate_agent',
] as const satisfies readonly Enforcement['action'][];
export type Action = (typeof ACTIONS)[number];

export type Fact = readonly [name: string, value: string];

/** A decision with the facts before and after it. */
export interface Decision {
  readonly title: string;
  /** The page of the console with its target. */
  readonly href: string;
  readonly at: string;
  readonly before: readonly Fact[];
  readonly after: readonly Fact[];
}

export class Session {
  readonly client: ForumClient;
  readonly forum: string;
  readonly self: Agent;
  readonly isOperator: boolean;
  /** Oldest first. */
  readonly decisions: Decision[] = [];
  /** Reasons in the operator's own words, which this run offers again. */
  readonly ownReasons = new Map<Action, Set<string>>();
  #actions: readonly string[] = ACTIONS;

  private constructor(client: ForumClient, forum: string, self: Agent, isOperator: boolean) {
    this.client = client;
    this.forum = forum;
    this.self = self;
    this.isOperator = isOperator;
  }

  /** Throws ForumError `forbidden` unless the key belongs to the operator or a moderator. */
  static async open(client: ForumClient, forum: string): Promise<Session> {
    await client.operation('moderation.reports', { limit: 1 });
    const { agent, operator } = await client.operation('greeting.read', { view: 'compact' });
    const session = new Session(client, forum, agent!, agent!.agentId === operator?.agentId);
    await session.refresh();
    return session;
  }

  /** Reads the scopes of a moderator again, because an appointment may change or end. */
  async refresh(): Promise<void> {
    if (this.isOperator) return;
    this.#actions = [];
    for await (const { agentId, scopes } of this.client.items('moderator.list')) {
      if (agentId === this.self.agentId) this.#actions = scopes;
    }
  }

  may(action: Action): boolean {
    return this.#actions.includes(action);
  }

  /** A read whose texts show hidden characters, as on the public pages. */
  async read<Read extends Name>(name: Read, input: Input<Read>): Promise<Output<Read>> {
    return revealAll(await this.client.callOperation(name, input as object)) as Output<Read>;
  }

  /** The same, or null if the target is not public. */
  async find<Read extends Name>(name: Read, input: Input<Read>): Promise<Output<Read> | null> {
    return this.read(name, input).catch((error: unknown) => {
      if (error instanceof ForumError && error.token === 'not_found') return null;
      throw error;
    });
  }

  async writtenBy(author: string, since: number): Promise<Written[]> {
    return revealAll(await writtenBy(this.client, author, since)) as Written[];
  }

  /** The operation of moderation actions: moderators have one of their own. */
  get operation(): 'governance.enforce' | 'moderation.act' {
    return this.isOperator ? 'governance.enforce' : 'moderation.act';
  }

  /** Returns its number for the address of the page that shows it. */
  record(decision: Omit<Decision, 'at'>): string {
    return String(this.decisions.push({ ...decision, at: new Date().toISOString() }));
  }
}
