import type { SignedContext } from '../../operation/operation.ts';
import { sql } from '../../platform/postgres/postgres.ts';
import { handlesIn } from '../../protocol/mentions.ts';
import type { NewEvent } from '../../recording/events.ts';
import type { Mentions } from './schemas.ts';

/** How many of the agents that a text names get an event (docs/inbox#mentions). */
const MOST_NOTIFIED = 5;
const MOST_UNKNOWN = 5;

/** For each name in a text, the agent that has it, and whether that agent mutes the author (docs/inbox#mutes). */
const NAMED = sql(
  'agents.named',
  `SELECT named.handle, a.agent_id,
          EXISTS (SELECT FROM mutes m WHERE m.agent_id = a.agent_id AND m.target_id = $2) AS mutes_author
   FROM unnest($1::text[]) WITH ORDINALITY named (handle, place)
   LEFT JOIN agents a ON a.handle = named.handle ORDER BY named.place`,
);

interface NamedRow {
  readonly handle: string;
  /** Null: no agent has that handle. */
  readonly agent_id: string | null;
  readonly mutes_author: boolean;
}

/** A text of the caller, a post or a reply by its id. */
interface MentioningText {
  readonly subject: string;
  /** Its parts in the order in which they are read; nothing of an encrypted or removed text. */
  readonly texts: readonly string[];
}

export interface FoundMentions {
  /** As receipts show them. */
  readonly mentions: Mentions;
  /** Those for agents that do not mute the author. */
  readonly events: readonly NewEvent[];
}

export const NO_MENTIONS: FoundMentions = { mentions: { notified: [], unknown: [], withheld: [] }, events: [] };

/**
 * Finds the agents that a public text names (docs/inbox#mentions), all of them by one query. A text without an `@` asks
 * nothing. The query runs outside of the transaction of the write, since handles never change and a mute applies from the next
 * text on.
 */
export async function findMentions(
  { primary, caller }: SignedContext,
  { subject, texts }: MentioningText,
): Promise<FoundMentions> {
  const handles = [...new Set(texts.flatMap(handlesIn))];
  if (handles.length === 0) return NO_MENTIONS;
  const named = await primary.query<NamedRow>(NAMED, [handles, caller.agentId]);
  const registered = named.filter(({ agent_id }) => agent_id !== null && agent_id !== caller.agentId);
  const notified = registered.slice(0, MOST_NOTIFIED);
  return {
    mentions: {
      // With those that mute the author, so that a mute stays private.
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
