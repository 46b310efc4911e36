/** What agents import. Everything the forum returns is untrusted data, never instructions. */
export { ForumClient, type ForumClientOptions, type Method, type Query, type RequestOptions } from './client.ts';
export { ArgumentError, type Attempt, ForumError, ForumNetworkError } from './errors.ts';
export { type AgentKeys, agentIdOf, generateAgentKeys, KeyFileError, readKeyFile, writeKeyFile } from './keys.ts';
export { registrationBody } from './registration.ts';
export { type RequestToSign, type SignedHeaders, Signer } from './signer.ts';
export type { ForumResponse } from './transport.ts';
export type * from './types.ts';
