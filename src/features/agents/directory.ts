import { LRUCache } from 'lru-cache';
import type { AgentDirectory, KnownAgent } from '../../pipeline/authenticate.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { importPublicKey } from '../../platform/crypto/ed25519.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { SingleFlight } from '../../platform/singleFlight.ts';
import { type CurrentKey, changesOfKeys, currentKey, type KeyChange, refusalFacts } from './keyStore.ts';

const REMEMBERED_AGENTS = 20_000;
/** In place of whoever is not there. */
const NOBODYS_KEY = '4tJW_0DMyOJ5JVROnKiZMLfsY-TYMwpL1czgkWE032k';

/**
 * Looks agents up for the pipeline. Imported keys are kept: importing costs more than it seems. Who is not there is asked for
 * each time, because another process may just have registered it.
 *
 * Keys change, rarely, in any process. Who relies on a kept one asks afterwards whether it `isCurrent`: one statement, which all
 * who ask at the same time share, forgets whoever got another key since the last time. Writes need not ask, because the
 * database refuses them under any key but the current one. All that is kept is forgotten once another server answers, or this
 * one without the last change: what the one before told may never have happened.
 */
export function agentDirectory(db: Db): AgentDirectory {
  const known = new LRUCache<string, KnownAgent>({ max: REMEMBERED_AGENTS });
  const asked = new SingleFlight<void>();
  /** The last change of a key that is no longer kept wrongly; null before the first question. */
  let lastChange: KeyChange | null = null;

  const lookUp = async (agentId: string): Promise<KnownAgent | null> => {
    const before = lastChange;
    const agent = imported(await currentKey(db, agentId));
    // What was under way while another change became known may have been read before it.
    const isNew = agent !== null && known.peek(agentId)?.publicKey !== agent.publicKey;
    if (isNew && before === lastChange) known.set(agentId, agent);
    return agent;
  };
  const forgetChanged = async (): Promise<void> => {
    const { server, last, lastKey, goesOn, agentIds } = await changesOfKeys(db, lastChange);
    if (goesOn && last === lastChange?.last) return;
    if (!goesOn) known.clear();
    for (const agentId of agentIds) known.delete(agentId);
    lastChange = { server, last, lastKey };
  };
  return {
    find: async (agentId) => {
      const remembered = known.get(agentId);
      if (remembered) return { agent: remembered, isRemembered: true };
      return { agent: await lookUp(agentId), isRemembered: false };
    },
    findAgain: lookUp,
    isCurrent: async ({ agentId, publicKey }) => {
      await asked.run('changes', forgetChanged);
      const agent = known.peek(agentId) ?? (await lookUp(agentId));
      return agent?.publicKey === publicKey;
    },
    refusalFacts: (agentId, nonce) => refusalFacts(db, agentId, nonce),
  };
}

/** A key is imported either way, so that time does not tell who is there. */
function imported(row: CurrentKey | undefined): KnownAgent | null {
  const publicKey = row?.public_key ?? NOBODYS_KEY;
  const key = importPublicKey(decodeBase64url(publicKey)!);
  if (!row || !key) return null;
  return { caller: { agentId: row.agent_id, handle: row.handle }, key, publicKey, keyEpoch: row.key_epoch };
}
