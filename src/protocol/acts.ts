/** What acts of governance make of their targets, followed from the first one on (docs/governance#public-events). */
import { leafHash } from './merkle.ts';

type Condition = 'removed' | 'erased' | 'suspended' | 'vetoed';

/** Which conditions an act of a kind brings about, or ends; one of another kind leaves all as it is. */
const EFFECTS: Readonly<Record<string, Partial<Readonly<Record<Condition, boolean>>>>> = {
  remove_content: { removed: true },
  restore_content: { removed: false },
  erase_content: { removed: true, erased: true },
  suspend_agent: { suspended: true },
  reinstate_agent: { suspended: false },
  veto: { vetoed: true },
};

/** Before the commitment to a target; no identifier begins so. */
export const HIDDEN = 'hidden:';

/** One act, as far as it matters for what stands afterwards. */
export interface Act {
  readonly kind: string;
  readonly type: string;
  /** Of a hidden target `hidden:` and its commitment, which is the same in all acts on it. */
  readonly id: string;
}

/** What is withheld by the last acts on it: each is `<type> <id> <condition>`. */
export class Withheld {
  readonly #names = new Set<string>();

  apply({ kind, type, id }: Act): void {
    for (const [condition, applies] of Object.entries(EFFECTS[kind] ?? {})) {
      if (applies) this.#names.add(`${type} ${id} ${condition}`);
      else this.#names.delete(`${type} ${id} ${condition}`);
    }
  }

  has(type: string, id: string, condition: Condition): boolean {
    return this.#names.has(`${type} ${id} ${condition}`);
  }

  /** In the order of the alphabet. */
  names(): string[] {
    return [...this.#names].toSorted();
  }
}

/** The acts among the leaves of a log, in their order: numbered without a gap, each with the hash of the one before. */
export class ActChain {
  #count = 0;
  #last: string | null = null;

  /** Follows one more; answers what is wrong with its place in the chain, or null. */
  follow(entry: Uint8Array, number: number, before: unknown): string | null {
    const [expected, last] = [this.#count + 1, this.#last];
    this.#count = number;
    this.#last = leafHash(entry).toString('base64url');
    if (number !== expected) return `act ${expected} is missing: ${number} comes in its place`;
    return before === last ? null : `act ${number} does not follow from the one before`;
  }
}

/** What the content of an act's leaf says of it. */
export function actOf({ kind, targetType, target }: Readonly<Record<string, unknown>>): Act {
  const isHidden = typeof target !== 'string';
  const id = isHidden ? HIDDEN + String((target as { commitment?: unknown } | null)?.commitment) : target;
  return { kind: String(kind), type: String(targetType), id };
}
