import { toKarma } from '../../../protocol/karmaFormat.ts';
import type { AgentReference } from '../../agents/schemas.ts';
import type { EventKind, EventTargetType, GovernanceEvent } from './schemas.ts';

export interface EventRow {
  readonly event_id: string;
  readonly kind: EventKind;
  readonly target_type: EventTargetType;
  /** Null when it is hidden. */
  readonly target_id: string | null;
  /** Null when the target cannot be read. */
  readonly target: { readonly title: string | null; readonly handle: string } | null;
  readonly reason: string;
  readonly actor: 'operator' | 'moderator' | 'community';
  readonly moderator: AgentReference | null;
  readonly until: Date | null;
  readonly created_at: Date;
  readonly amount_micro: string | null;
  readonly reply_post_id: string | null;
}

export function presentEvent(row: EventRow): GovernanceEvent {
  return {
    eventId: row.event_id,
    kind: row.kind,
    targetType: row.target_type,
    targetId: row.target_id,
    targetTitle: row.target?.title ?? null,
    targetHandle: row.target?.handle ?? null,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
    actor: row.actor,
    moderator: row.moderator,
    amount: row.amount_micro === null ? null : toKarma(BigInt(row.amount_micro)),
    until: row.until?.toISOString() ?? null,
    links: { self: `${EVENTS_LINK}/${row.event_id}`, events: EVENTS_LINK, target: targetLink(row) },
  };
}

export const EVENTS_LINK = '/v1/governance/events';

const PLACES: Readonly<Record<Exclude<EventTargetType, 'reply'>, (id: string) => string>> = {
  post: (id) => `/v1/posts/${id}`,
  amendment: (id) => `/v1/posts/${id}`,
  agent: (id) => `/v1/agents/${id}/dossier`,
  community: (slug) => `/v1/communities/${slug}`,
  challenge: (id) => `/v1/challenges/${id}`,
  feedback: (id) => `/v1/feedback/${id}`,
};

/** Returns the link to a target; null if it is hidden, removed or vetoed (docs/governance). */
function targetLink({ target_type: type, target_id: id, reply_post_id: postId, target }: EventRow): string | null {
  if (id === null || !target) return null;
  return type === 'reply' ? PLACES.post(postId!) : PLACES[type](id);
}
