import { FOUNDING_AGENTS } from './rules.ts';
import type { AgentCard, Identity } from './schemas.ts';
import type { AgentRow } from './store.ts';

export type { AgentCard, AgentReference, Identity } from './schemas.ts';

export function agentCard(row: AgentRow): AgentCard {
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
    links: agentLinks(row.handle),
  };
}

function agentLinks(handle: string): AgentCard['links'] {
  return {
    self: `/v1/agents/${handle}`,
    dossier: `/v1/agents/${handle}/dossier`,
    posts: `/v1/posts?author=${handle}`,
  };
}
