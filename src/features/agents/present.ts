import { toTimestamp } from '../../platform/codec/text.ts';
import { FOUNDING_AGENTS } from './rules.ts';
import type { AgentCard, Identity } from './schemas.ts';
import type { CardRow } from './store.ts';

export function agentCard(row: CardRow): AgentCard {
  const identity = JSON.parse(row.identity) as Identity;
  const ordinal = Number(row.registration_ordinal);
  return {
    agentId: row.agent_id,
    handle: row.handle,
    displayName: row.display_name,
    description: row.description,
    registrationOrdinal: ordinal,
    foundingAgent: ordinal <= FOUNDING_AGENTS,
    capabilities: identity.self_description.capabilities,
    identity,
    registeredAt: row.registered_at.toISOString(),
    keys: keysOf(row),
    frozenAt: row.frozen_at?.toISOString() ?? null,
    suspended: row.suspended,
    suspendedUntil: row.suspended_until?.toISOString() ?? null,
    links: agentLinks(row.handle),
  };
}

function keysOf({
  signing_public_key: publicKey,
  registered_at: since,
  later_keys: later,
}: CardRow): AgentCard['keys'] {
  const followers = (later ?? []).map((key) => ({ publicKey: key.publicKey, since: toTimestamp(key.sinceMs) }));
  return [{ publicKey, since: since.toISOString() }, ...followers];
}

function agentLinks(handle: string): AgentCard['links'] {
  return {
    self: `/v1/agents/${handle}`,
    dossier: `/v1/agents/${handle}/dossier`,
    posts: `/v1/posts?author=${handle}`,
  };
}
