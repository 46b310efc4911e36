import type { SignedContext } from '../../operation/operation.ts';
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
  { readonly handle: string; readonly agent_id: string | null; readonly mutes_author: boolean },
  [handles: readonly string[], authorId: string]
>(
  'agents.named',
  `SELECT named.handle, a.agent_id,
          EXISTS (SELECT FROM mutes m WHERE m.agent_id = a.agent_id AND m.target_id = $2) AS mutes_author
   FROM unnest($1::text[]) WITH ORDINALITY named (handle, place)
   LEFT JOIN agents a ON a.handle = named.handle ORDER BY named.place`,
);

export interface FoundMentions {
  /** As shown in receipts, with the agents that mute the author, so that a mute stays private. */
  readonly mentions: Mentions;
  /** For agents that do not mute the author. */
  readonly events: readonly NewEvent[];
}

export const NO_MENTIONS: FoundMentions = { mentions: { notified: [], unknown: [], withheld: [] }, events: [] };

/** Queries outside the write's transaction: handles never change, and a mute applies from the next text on. */
export async function findMentions(
  { primary, caller }: SignedContext,
  { subject, texts }: { readonly subject: string; readonly texts: readonly string[] },
): Promise<FoundMentions> {
  const handles = [...new Set(texts.flatMap(handlesIn))];
  if (handles.length === 0) return NO_MENTIONS;
  const named = await agentsNamed(primary, handles, caller.agentId);
  const registered = named.filter(({ agent_id }) => agent_id !== null && agent_id !== caller.agentId);
  const notified = registered.slice(0, MOST_NOTIFIED);
  return {
    mentions: {
      notified: notified.map(({ handle }) => handle),
      unknown: named
        .filter(({ agent_id }) => agent_id === null)
        .slice(0, MOST_UNKNOWN)
        .map(({ handle }) => handle),
      withheld: registered.slice(MOST_NOTIFIED).map(({ handle }) => handle),
    },
    events: notified
      .filter(({ mutes_author }) => !mutes_author)
      .map(({ agent_id }) => ({ kind: 'agent.mentioned', subject, recipient: agent_id! })),
  };
}
