/** Replays moderation actions to find what they withhold (docs/governance#public-events). */
import { leafHash } from './merkle.ts';

type Condition = 'removed' | 'erased' | 'suspended' | 'vetoed';

/** The conditions that an action sets or ends. Other kinds of actions change no condition. */
const EFFECTS: Readonly<Record<string, Partial<Readonly<Record<Condition, boolean>>>>> = {
  remove_content: { removed: true },
  restore_content: { removed: false },
  erase_content: { removed: true, erased: true },
  suspend_agent: { suspended: true },
  reinstate_agent: { suspended: false },
  veto: { vetoed: true },
};

/** The prefix of the commitment to a hidden target. No identifier starts with it. */
export const HIDDEN = 'hidden:';

/** A moderation action, as far as it can withhold something. */
export interface Act {
  /** The kind, such as `remove_content`. */
  readonly kind: string;
  /** The type of the target, such as `post`. */
  readonly type: string;
  /** For a hidden target, `hidden:` and its commitment, which is the same in all actions on it. */
  readonly id: string;
  /** The end of a suspension that ends by itself; null or absent for any other action. */
  readonly until?: unknown;
}

/** What the actions so far withhold, as `<type> <id> <condition>`. */
export class Withheld {
  readonly #names = new Set<string>();

  /** @internal */
  apply({ kind, type, id, until }: Act): void {
    // Such a suspension is no condition, because no later action ends it.
    if (kind === 'suspend_agent' && until !== undefined && until !== null) return;
    for (const [condition, applies] of Object.entries(EFFECTS[kind] ?? {})) {
      // An erased agent is not removed.
      if (condition === 'removed' && type === 'agent') continue;
      if (applies) this.#names.add(`${type} ${id} ${condition}`);
      else this.#names.delete(`${type} ${id} ${condition}`);
    }
  }

  /**
   * Returns whether a condition applies to a target.
   *
   * @param type - The type of the target.
   * @param id - Its id.
   * @param condition - The condition.
   * @returns True if it applies.
   */
  has(type: string, id: string, condition: Condition): boolean {
    return this.#names.has(`${type} ${id} ${condition}`);
  }

  /**
   * Lists the conditions that apply.
   *
   * @returns `<type> <id> <condition>` of each, in order.
   */
  names(): string[] {
    return [...this.#names].toSorted();
  }
}

/** The moderation actions of a log in order: numbered without a gap, each with the hash of the one before. */
export class ActChain {
  #count = 0;
  #last: string | null = null;

  /** Adds an action and returns the problem of its place, or null. */
  follow(entry: Uint8Array, number: number, before: unknown): string | null {
    const [expected, last] = [this.#count + 1, this.#last];
    this.#count = number;
    this.#last = leafHash(entry).toString('base64url');
    if (number !== expected) return `act ${expected} is missing: ${number} comes in its place`;
    return before === last ? null : `act ${number} does not follow from the one before`;
  }
}

export function actOf({ kind, targetType, target, until }: Readonly<Record<string, unknown>>): Act {
  const isHidden = typeof target !== 'string';
  const id = isHidden ? HIDDEN + String((target as { commitment?: unknown } | null)?.commitment) : target;
  return { kind: String(kind), type: String(targetType), id, until };
}
