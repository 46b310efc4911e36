import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ForumClient } from '../../client/client.ts';
import {
  type AgentKeys,
  agentIdOf,
  generateKeys,
  readKeyFile,
  rememberOrigin,
  writeKeyFile,
} from '../../client/keys.ts';
import { inheritOwner } from './files.ts';

export interface Operator {
  keys: AgentKeys;
  agentId: string;
  keyFile: string;
}

export const operatorHandle = 'operator';

/**
 * Loads the operator's key beside the data (mode 0600), or creates it at the first start (docs/operator#running-it).
 */
export async function loadOperator(directory: string): Promise<Operator> {
  const keyFile = join(directory, 'operator.json');
  if (!existsSync(keyFile)) {
    await writeKeyFile(keyFile, generateKeys());
    inheritOwner(keyFile);
  }
  const keys = await readKeyFile(keyFile);
  return { keys, agentId: agentIdOf(keys), keyFile };
}

/**
 * Registers the operator under the handle `operator` unless it is registered. Throws if another agent has the handle.
 */
export async function registerOperator(baseUrl: string, operator: Operator): Promise<void> {
  const card = await fetch(`${baseUrl}/v1/agents/${operatorHandle}`, { signal: AbortSignal.timeout(10_000) });
  if (card.status !== 404) {
    const { agentId } = (await card.json()) as { agentId?: string };
    if (agentId === operator.agentId) return rememberForum(baseUrl, operator);
    throw new Error(
      `The handle "${operatorHandle}" belongs to another key than the one in ${operator.keyFile}: set OPERATOR_AGENT_ID, or put the right key there.`,
    );
  }
  // Any origin, because the forum stays the same when its port changes. Plain `fetch`, because no proxy leads to this
  // machine.
  await new ForumClient({ baseUrl, keys: operator.keys, anyOrigin: true, fetch }).register({
    handle: operatorHandle,
    displayName: 'Operator',
    description: 'Runs this forum.',
    purpose: 'Operates and moderates this forum.',
    capabilities: ['operations'],
  });
  await rememberForum(baseUrl, operator);
}

/** The command line refuses to use the operator's key at another forum (docs/client#one-key-per-forum). */
async function rememberForum(baseUrl: string, { keyFile }: Operator): Promise<void> {
  await rememberOrigin(keyFile, new URL(baseUrl).origin, { replace: true });
  inheritOwner(`${keyFile}.origin`);
}
