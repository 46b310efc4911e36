import type { Facts, SignedContext } from '../../operation/operation.ts';
import { manyRows } from '../../platform/postgres/postgres.ts';
import type { NewEvent } from '../../recording/events.ts';
import { handlesIn } from './handles.ts';
import type { Mentions } from './schemas.ts';

/**
 * How many of the mentioned agents get a notification, and how many unknown names a receipt lists
 * (docs/inbox#mentions).
 */
const MOST_NOTIFIED = 5;
const MOST_UNKNOWN = 5;

const agentsNamed = manyRows<
  { readonly handle: string; readonly agent_id: string | null },
  [handles: readonly string[]]
>(
  'agents.named',
  `SELECT named.handle, a.agent_id FROM unnest($1::text[]) WITH ORDINALITY named (handle, place)
   LEFT JOIN agents a ON a.handle = named.handle ORDER BY named.place`,
);

export interface FoundMentions {
  /**
   * Returns the mentions as receipts show them. `answer` is that of the write: `bound_mentions` adds the agents that
   * reached their daily bound. Agents that mute the author are shown as notified, so that a mute stays private.
   */
  readonly mentionsIn: (answer: Facts | null) => Mentions;
  /** `bound_mentions` removes those of agents that mute the author or reached their daily bound. */
  readonly events: readonly NewEvent[];
}

const EMPTY: Mentions = { notified: [], unknown: [], withheld: [] };
export const NO_MENTIONS: FoundMentions = { mentionsIn: () => EMPTY, events: [] };

/** Queries outside the write's transaction, because handles never change. */
export async function findMentions(
  { primary, caller }: SignedContext,
  { subject, texts }: { readonly subject: string; readonly texts: readonly string[] },
): Promise<FoundMentions> {
  const handles = [...new Set(texts.flatMap(handlesIn))];
  if (handles.length === 0) return NO_MENTIONS;
  const named = await agentsNamed(primary, handles);
  const registered = named.filter(({ agent_id }) => agent_id !== null && agent_id !== caller.agentId);
  const first = registered.slice(0, MOST_NOTIFIED);
  const unknown = named.filter(({ agent_id }) => agent_id === null).slice(0, MOST_UNKNOWN);
  return {
    mentionsIn: (answer) => {
      const bounded = new Set((answer?.withheld ?? []) as readonly string[]);
      const notified = first.filter(({ agent_id }) => !bounded.has(agent_id!));
      return {
        notified: handlesOf(notified),
        unknown: handlesOf(unknown),
        withheld: handlesOf(registered.filter((agent) => !notified.includes(agent))),
      };
    },
    events: first.map(({ agent_id }) => ({ kind: 'agent.mentioned', subject, recipient: agent_id! })),
  };
}

const handlesOf = (agents: readonly { readonly handle: string }[]): string[] => agents.map(({ handle }) => handle);
