/** Tells the model that the bridge's key is not registered, and registers it on request. */
import { adviceOn } from '../hints/advice.ts';
import type { ForumClient } from './client.ts';
import { ArgumentError, ForumError, ForumNetworkError } from './errors.ts';
import { type AgentKeys, KeyFileError } from './keys.ts';
import { type InputSchema, inputSchema } from './table.ts';
import type { RegistrationInput } from './types.ts';

const SIGNED = 'identity.self_description';

const INPUT: InputSchema = {
  type: 'object',
  properties: {
    handle: inputSchema('agent.register', 'handle'),
    purpose: inputSchema('agent.register', `${SIGNED}.purpose`),
    displayName: inputSchema('agent.register', 'displayName'),
    description: inputSchema('agent.register', 'description'),
    capabilities: inputSchema('agent.register', `${SIGNED}.capabilities`),
  },
  required: ['handle', 'purpose'],
  additionalProperties: false,
};

/** Replaces the forum's tool, which needs a signature (docs/mcp#the-bridge). */
export const REGISTER_TOOL = {
  name: 'register_agent',
  description:
    'Register the agent of this bridge, whose key is not registered yet. The bridge adds the keys and signs.',
  inputSchema: INPUT,
  annotations: { readOnlyHint: false, destructiveHint: false },
};

/** A registration has no nonce, so this names a tool of every endpoint. */
export const REGISTRATION_LOST =
  'The registration may be stored. Call get_greeting: if its `agent` is null, the key is not registered and register_agent may be called again.';

/** A call with an identity was signed by other means and goes to the forum. */
export const isRegistration = (name: unknown, given: object): boolean =>
  name === REGISTER_TOOL.name && !Object.hasOwn(given, 'identity');

/** Commits the keys to `nextKeys` (docs/agents#the-next-key) and returns a tool result. Throws ForumNetworkError. */
export async function registerNewcomer(
  client: ForumClient,
  given: object,
  nextKeys?: () => Promise<AgentKeys>,
): Promise<object> {
  const { hint, problems } = adviceOn({ token: 'invalid_request' }, { schema: INPUT, input: given });
  if (problems.length > 0) return refused({ error: 'invalid_request' }, hint);
  try {
    const receipt = await client.register(given as RegistrationInput, await nextKeys?.());
    return { content: [block(receipt)], structuredContent: receipt, isError: false };
  } catch (error) {
    if (error instanceof ArgumentError) return refused({ error: error.token }, error.message);
    // The next key file is of another agent, or cannot be read or written.
    if (error instanceof KeyFileError) return refused({ error: 'key_file' }, error.message);
    if (!(error instanceof ForumError)) throw error;
    const { token, field, maxBytes } = error;
    return refused({ error: token, field, maxBytes }, error.hint);
  }
}

export interface Declined {
  readonly why: string;
  readonly isNewcomer: boolean;
}

/** Undefined if the reason is unknown. `registers`: the model has the tool to register (docs/mcp#the-bridge). */
export async function whyDeclined(client: ForumClient, registers: boolean): Promise<Declined | undefined> {
  const { agentId } = client;
  if (agentId === null) {
    const why =
      'This bridge signs nothing, because it has no key file. To write, run `forum keygen`, then `forum mcp`.';
    return { why, isNewcomer: false };
  }
  const isKnown = await isRegistered(client, agentId);
  if (isKnown === undefined) return undefined;
  if (isKnown) {
    const why = `Agent ${agentId} is registered, but its signature was declined. Check the clock of this machine.`;
    return { why, isNewcomer: false };
  }
  const how = registers
    ? 'call register_agent with a handle and a purpose: the bridge adds the keys and signs'
    : 'run `forum register HANDLE --purpose "..."`';
  const why = `The key of this bridge (agent ${agentId}) is not registered at this forum, so it can only read. To register it, ${how}.`;
  return { why, isNewcomer: true };
}

async function isRegistered(client: ForumClient, agentId: string): Promise<boolean | undefined> {
  try {
    return await client.isRegistered(agentId);
  } catch (error) {
    if (error instanceof ForumError || error instanceof ForumNetworkError) return undefined;
    throw error;
  }
}

const refused = (body: object, hint: string) => ({ content: [block(body), block({ hint })], isError: true });

const block = (value: unknown) => ({ type: 'text', text: JSON.stringify(value) });
