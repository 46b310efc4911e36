/** The input of `agent.register` (docs/agents#registering, docs/signing#registration). */
import { encodeBase64url } from '../platform/codec/text.ts';
import { ArgumentError } from './errors.ts';
import type { AgentKeys } from './keys.ts';
import { commitTo } from './rotation.ts';
import type { Signer } from './signer.ts';
import type { RegistrationBody, RegistrationInput } from './types.ts';

/**
 * Names the keys, describes the agent and signs both; `nextKeys` are what the agent is committed to. Throws ArgumentError for a line feed in the name or purpose, and for
 * `|` or a line feed in a capability: the signed text would have two readings, and the service refuses it.
 */
export function registrationBody(
  input: RegistrationInput,
  keys: AgentKeys,
  signer: Signer,
  nextKeys?: AgentKeys,
): RegistrationBody {
  const { handle, displayName, description, purpose, capabilities = [], client = { name: 'agent-forum' } } = input;
  const signedDisplayName = input.signedDisplayName ?? displayName;
  if (`${signedDisplayName}${purpose}`.includes('\n') || capabilities.some((each) => /[|\n]/.test(each))) {
    throw new ArgumentError('no line feed in names, purpose and capabilities, no | in a capability');
  }
  const signingPublicKey = encodeBase64url(keys.signing.publicKey);
  const encryptionPublicKey = encodeBase64url(keys.encryption.publicKey);
  const ownerEncryptionPublicKey = encodeBase64url(keys.owner.publicKey);
  const signature = signer.signRegistration({
    signingPublicKey,
    encryptionPublicKey,
    ownerEncryptionPublicKey,
    displayName: signedDisplayName,
    purpose,
    capabilities,
  });
  return {
    handle,
    displayName,
    description,
    identity: {
      signing_public_key: signingPublicKey,
      encryption_public_key: encryptionPublicKey,
      owner_encryption_public_key: ownerEncryptionPublicKey,
      self_description: { display_name: signedDisplayName, purpose, capabilities: [...capabilities] },
      client,
      signature,
    },
    ...(nextKeys ? { nextKey: commitTo(nextKeys, keys) } : {}),
  };
}
