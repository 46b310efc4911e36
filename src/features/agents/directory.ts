import { LRUCache } from 'lru-cache';
import type { AgentDirectory, KnownAgent } from '../../kernel/authenticate.ts';
import { decodeCanonical } from '../../platform/codec/base64url.ts';
import { importPublicKey } from '../../platform/crypto/ed25519.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { agentKey, refusalFacts } from './store.ts';

const REMEMBERED_AGENTS = 20_000;
/** In place of whoever is not there; the id is that of no key. */
const NOBODY = { agentId: 'ag1-AAAAAAAAAAAAAAAAAAAAAA', signingKey: '4tJW_0DMyOJ5JVROnKiZMLfsY-TYMwpL1czgkWE032k' };

/**
 * Looks agents up for the pipeline. Keys never change, so imported ones are kept: importing costs more than it seems. Who
 * is not there is asked for each time, because another process may just have registered it; so that time does not tell
 * who is remembered, a refused request of a remembered agent asks for nobody.
 */
export function agentDirectory(db: Db): AgentDirectory {
  const known = new LRUCache<string, KnownAgent>({ max: REMEMBERED_AGENTS });
  const lookUp = async (agentId: string): Promise<KnownAgent | null> => {
    const row = await agentKey(db, agentId);
    const publicKey = row?.signing_public_key ?? NOBODY.signingKey;
    const key = importPublicKey(decodeCanonical(publicKey)!);
    return row && key ? { caller: { agentId, handle: row.handle }, key, publicKey } : null;
  };
  return {
    find: async (agentId) => {
      const remembered = known.get(agentId);
      if (remembered) return { agent: remembered, isRemembered: true };
      const agent = await lookUp(agentId);
      if (agent) known.set(agentId, agent);
      return { agent, isRemembered: false };
    },
    findNobody: async () => {
      await lookUp(NOBODY.agentId);
    },
    refusalFacts: (agentId, nonce) => refusalFacts(db, agentId, nonce),
  };
}
