import { commitmentTo, plainLeaf, registrationContent, SALT_BYTES } from '../../src/protocol/logFormat.ts';

export interface LoggedAgent {
  readonly ordinal: number;
  readonly agentId: string;
  readonly handle: string;
  /** As it was registered, JSON. */
  readonly identity: string;
}

/** A registration, as whoever registered signed it; its number is its ordinal. */
export const agentLeaf = ({ ordinal, agentId, handle, identity }: LoggedAgent): Buffer =>
  plainLeaf('agent', ordinal, registrationContent(agentId, handle, JSON.parse(identity)));

export interface LoggedAct {
  readonly eventId: string;
  readonly kind: string;
  readonly targetType: string;
  readonly targetId: string;
  /** Hidden from the public: then its target is. */
  readonly hidden: boolean;
  readonly reason: string;
  readonly actor: string;
  /** The place of the operator's own write; null where there is none. */
  readonly write: number | null;
  /** Of the target, then of the reason. */
  readonly salts: Buffer;
}

/** An act of governance; `before` is the hash of the leaf of the act before. */
export function actLeaf(number: number, act: LoggedAct, before: Buffer | null): Buffer {
  const { eventId, kind, targetType, targetId, hidden, reason, actor, write, salts } = act;
  const commitment = (salt: Buffer, text: string) => commitmentTo(salt, text).toString('base64url');
  return plainLeaf('act', number, {
    eventId,
    kind,
    targetType,
    target: hidden ? { commitment: commitment(salts.subarray(0, SALT_BYTES), targetId) } : targetId,
    reason: { commitment: commitment(salts.subarray(SALT_BYTES), reason) },
    actor,
    write,
    before: before?.toString('base64url') ?? null,
  });
}
