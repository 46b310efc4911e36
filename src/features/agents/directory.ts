import { LRUCache } from 'lru-cache';
import type { AgentDirectory, KnownAgent } from '../../pipeline/authenticate.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { importPublicKey } from '../../platform/crypto/ed25519.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { SingleFlight } from '../../platform/singleFlight.ts';
import { type CurrentKey, changesOfKeys, currentKey, type KeyChange, refusalFacts } from './keyStore.ts';

const MAX_CACHED_AGENTS = 20_000;
/** Imported instead of the key of an unknown agent. */
const NOBODYS_KEY = '4tJW_0DMyOJ5JVROnKiZMLfsY-TYMwpL1czgkWE032k';

/**
 * Caches imported keys, because importing is slow. Unknown agents are not cached: another process may just have
 * registered them. `isCurrent` drops agents with a changed key and erased ones. Writes skip it, because the database
 * accepts the current key only.
 */
export function agentDirectory(db: Db): AgentDirectory {
  const cached = new LRUCache<string, KnownAgent>({ max: MAX_CACHED_AGENTS });
  const lookUps = new SingleFlight<void>();
  let lastChange: KeyChange | null = null;

  const lookUp = async (agentId: string): Promise<KnownAgent | null> => {
    const before = lastChange;
    const agent = imported(await currentKey(db, agentId));
    // A change that became known meanwhile may be later than what was read here.
    const isNew = agent !== null && cached.peek(agentId)?.publicKey !== agent.publicKey;
    if (isNew && before === lastChange) cached.set(agentId, agent);
    return agent;
  };
  const dropChanged = async (): Promise<void> => {
    const { change, continues, agentIds } = await changesOfKeys(db, lastChange);
    if (continues && change.last === lastChange?.last) return;
    if (!continues) cached.clear();
    for (const agentId of agentIds) cached.delete(agentId);
    lastChange = change;
  };
  return {
    find: async (agentId) => {
      const agent = cached.get(agentId);
      return agent ? { agent, isRemembered: true } : { agent: await lookUp(agentId), isRemembered: false };
    },
    findAgain: lookUp,
    isCurrent: async ({ agentId, publicKey }) => {
      await lookUps.run('changes', dropChanged);
      const agent = cached.peek(agentId) ?? (await lookUp(agentId));
      return agent?.publicKey === publicKey;
    },
    refusalFacts: async (agentId, nonce) =>
      (await refusalFacts(db, agentId, nonce)) ?? { laterKey: null, suspended: false, replayed: false },
  };
}

/** Imports a key for unknown agents too, so that timing does not reveal whether an agent exists. */
function imported(row: CurrentKey | undefined): KnownAgent | null {
  const publicKey = row?.public_key ?? NOBODYS_KEY;
  const key = importPublicKey(decodeBase64url(publicKey)!);
  if (!row || !key) return null;
  const caller = { agentId: row.agent_id, handle: row.handle };
  return { caller, registeredAtMs: row.registered_at.getTime(), key, publicKey, keyEpoch: row.key_epoch };
}
