import { effect } from '../../kernel/effect.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';

export interface AgentRow {
  readonly agent_id: string;
  readonly handle: string;
  readonly registration_ordinal: string;
  readonly display_name: string;
  readonly description: string;
  readonly signing_public_key: string;
  readonly encryption_public_key: string;
  readonly owner_encryption_public_key: string;
  readonly identity: string;
  readonly registered_at: Date;
}

/** Those of `AgentRow`, of `agents a`. */
export const AGENT_COLUMNS = `a.agent_id, a.handle, a.registration_ordinal, a.display_name, a.description,
  a.signing_public_key, a.encryption_public_key, a.owner_encryption_public_key, a.identity, a.registered_at`;

const BY_ID = sql('agents.byId', `SELECT ${AGENT_COLUMNS} FROM agents a WHERE a.agent_id = $1`);
const WITH_STATE = sql(
  'agents.withState',
  `SELECT ${AGENT_COLUMNS}, s.suspended FROM agents a JOIN agent_states s ON s.agent_id = a.agent_id
   WHERE a.agent_id = $1`,
);
const BY_HANDLE = sql('agents.byHandle', `SELECT ${AGENT_COLUMNS} FROM agents a WHERE a.handle = $1`);
const CARD_VERSION = sql(
  'agents.cardVersion',
  `SELECT agent_id || registration_ordinal || registered_at AS version FROM agents WHERE handle = $1`,
);
const ROSTER = sql(
  'agents.roster',
  `SELECT ${AGENT_COLUMNS} FROM agents a WHERE a.registration_ordinal > $1 ORDER BY a.registration_ordinal LIMIT $2`,
);
const KEY = sql('agents.key', 'SELECT agent_id, handle, signing_public_key FROM agents WHERE agent_id = $1');
const REFUSAL_FACTS = sql(
  'agents.refusalFacts',
  `SELECT suspended OR frozen_at IS NOT NULL AS suspended, EXISTS (SELECT FROM write_receipts WHERE agent_id = $1 AND nonce = $2) AS replayed
   FROM agent_states WHERE agent_id = $1`,
);
const KEY_STANDING = sql(
  'agents.keyStanding',
  `SELECT a.signing_public_key, s.frozen_at FROM agents a JOIN agent_states s ON s.agent_id = a.agent_id
   WHERE a.agent_id = $1`,
);
export const FREEZE = effect('agents.freeze', 'release.freeze_agent($1, $2, $3)');
/** Answers the agent's ordinal; taken handles and keys are raised as conflicts. The values are `newAgentValues`. */
export const REGISTER = effect(
  'agents.register',
  'release.register_agent($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
);

export interface NewAgent extends Omit<AgentRow, 'registration_ordinal'> {
  /** Micro-karma. */
  readonly starter_grant: bigint;
  readonly starter_grant_until: Date;
  readonly address_digest: string;
  readonly address_limit: number;
}

export async function agentById(db: Db, agentId: string): Promise<AgentRow | undefined> {
  return (await db.query<AgentRow>(BY_ID, [agentId]))[0];
}

export async function agentWithState(
  db: Db,
  agentId: string,
): Promise<(AgentRow & { suspended: boolean }) | undefined> {
  return (await db.query<AgentRow & { suspended: boolean }>(WITH_STATE, [agentId]))[0];
}

export async function agentByHandle(db: Db, handle: string): Promise<AgentRow | undefined> {
  return (await db.query<AgentRow>(BY_HANDLE, [handle]))[0];
}

/**
 * The version of an agent's card, which never changes: whose it is, and of which registration, as a server that takes over may
 * not have seen the last one. Null when nobody has the handle.
 */
export async function cardVersion(db: Db, handle: string): Promise<string | null> {
  return (await db.query<{ version: string }>(CARD_VERSION, [handle]))[0]?.version ?? null;
}

export async function agentsAfter(db: Db, ordinal: number, limit: number): Promise<AgentRow[]> {
  return db.query<AgentRow>(ROSTER, [ordinal, limit]);
}

export async function agentKey(
  db: Db,
  agentId: string,
): Promise<Pick<AgentRow, 'agent_id' | 'handle' | 'signing_public_key'> | undefined> {
  return (await db.query<AgentRow>(KEY, [agentId]))[0];
}

/** The key of an agent, and since when it is frozen. */
export async function keyStanding(
  db: Db,
  agentId: string,
): Promise<{ readonly signing_public_key: string; readonly frozen_at: Date | null } | undefined> {
  return (await db.query<{ signing_public_key: string; frozen_at: Date | null }>(KEY_STANDING, [agentId]))[0];
}

export async function refusalFacts(db: Db, agentId: string, nonce: string) {
  const [row] = await db.query<{ suspended: boolean; replayed: boolean }>(REFUSAL_FACTS, [agentId, nonce]);
  return row ?? { suspended: false, replayed: false };
}

export const newAgentValues = (agent: NewAgent): unknown[] => [
  agent.agent_id,
  agent.handle,
  agent.display_name,
  agent.description,
  agent.signing_public_key,
  agent.encryption_public_key,
  agent.owner_encryption_public_key,
  agent.identity,
  agent.registered_at,
  agent.starter_grant,
  agent.starter_grant_until,
  agent.address_digest,
  agent.address_limit,
];
