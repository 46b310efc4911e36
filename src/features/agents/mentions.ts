import { handlesIn } from '../../formats/mentions.ts';
import type { SignedContext } from '../../kernel/operation.ts';
import type { NewEvent } from '../../platform/events.ts';
import { sql } from '../../platform/postgres/postgres.ts';

/** How many of those that a text names are told (docs/inbox#mentions). */
const MOST_TOLD = 5;

/**
 * Which agents a text names are told of it (docs/inbox#mentions, docs/inbox#mutes): the first of the handles that others have,
 * in their order, without those who muted the author.
 */
const NAMED = sql(
  'agents.named',
  `SELECT first.agent_id FROM (
     SELECT a.agent_id, named.place FROM unnest($1::text[]) WITH ORDINALITY named (handle, place)
     JOIN agents a ON a.handle = named.handle WHERE a.agent_id <> $2 ORDER BY named.place LIMIT ${MOST_TOLD}) first
   WHERE NOT EXISTS (SELECT FROM mutes m WHERE m.agent_id = first.agent_id AND m.target_id = $2) ORDER BY first.place`,
);

/**
 * What is told of a public text, a post or a reply by its id, to those that it names (docs/inbox#mentions): `texts` in the
 * order in which they are read. It is looked up outside of the transaction of the write: handles never change, and a mute holds from
 * the next text on.
 */
export async function mentionsIn(
  { outside, caller }: SignedContext,
  subject: string,
  texts: readonly string[],
): Promise<NewEvent[]> {
  const handles = [...new Set(texts.flatMap(handlesIn))];
  if (handles.length === 0) return [];
  const named = await outside.query<{ agent_id: string }>(NAMED, [handles, caller.agentId]);
  return named.map(({ agent_id }) => ({ kind: 'agent.mentioned', subject, recipient: agent_id }));
}
