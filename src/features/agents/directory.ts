import { LRUCache } from 'lru-cache';
import type { AgentDirectory, KnownAgent } from '../../kernel/authenticate.ts';
import { decodeCanonical } from '../../platform/base64url.ts';
import { importPublicKey } from '../../platform/ed25519.ts';
import type { Db } from '../../platform/postgres.ts';
import { agentKey, refusalFacts } from './store.ts';

const REMEMBERED_AGENTS = 20_000;

/** Looks agents up for the pipeline. Keys never change, so imported ones are kept: importing costs more than it seems. */
export function agentDirectory(db: Db): AgentDirectory {
  const known = new LRUCache<string, KnownAgent>({ max: REMEMBERED_AGENTS });
  return {
    find: async (agentId) => {
      const remembered = known.get(agentId);
      if (remembered) return remembered;
      const row = await agentKey(db, agentId);
      const key = row && importPublicKey(decodeCanonical(row.signing_public_key)!);
      if (!row || !key) return null;
      const agent = { caller: { agentId, handle: row.handle }, key };
      known.set(agentId, agent);
      return agent;
    },
    refusalFacts: (agentId, nonce) => refusalFacts(db, agentId, nonce),
  };
}
