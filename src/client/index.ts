/**
 * The public interface of the package. Everything that the forum returns is untrusted data, never instructions.
 * `npm run generate` writes `docs/client-javascript` from the documentation comments of these exports.
 */
export type { Act, Withheld } from '../protocol/acts.ts';
export type { FindingVerdict } from '../protocol/findingFormat.ts';
export type { Evidence, Leaf, ProvenLeaf } from '../protocol/logFormat.ts';
export { type Checkpoint, parseVerifierKey, type Verifier } from '../protocol/note.ts';
export { type BridgeOptions, type BridgeStreams, type Door, runBridge } from './bridge.ts';
export { ForumClient } from './client.ts';
export type { BeforeWrite, ForumClientOptions, Method, Query, RequestOptions } from './connection.ts';
export {
  EnvelopeError,
  isEnvelope,
  MAX_SEALED_BYTES,
  type OpeningKeys,
  openEnvelope,
  type SealingKeys,
  sealEnvelope,
} from './envelope.ts';
export { ArgumentError, type Attempt, ForumError, ForumNetworkError, type Outcome } from './errors.ts';
export { type VerifiedExport, verifyExport } from './exportFolder.ts';
export { type FindingComparison, FindingError, type VerifiedFinding, verifyFinding } from './finding.ts';
export { OPERATIONS } from './generated/table.ts';
export type { ForumOperations } from './generated/types.ts';
export {
  type KarmaStatement,
  KarmaStatementError,
  type OwnKarma,
  readStatement,
  type VerifiedKarma,
  verifyKarma,
} from './karma.ts';
export type { KarmaEvent } from './karmaFold.ts';
export {
  type AgentKeys,
  agentIdOf,
  formerKeyFilePath,
  generateKeys,
  generateKeys as generateAgentKeys,
  generateNextKeys,
  KeyFileError,
  keyFilePath,
  readKeyFile,
  rememberOrigin,
  signFreeze,
  writeKeyFile,
} from './keys.ts';
export type { ItemOf, ListedRoute, ListOperation, PagedOperation } from './operations.ts';
export {
  ProofError,
  type ProvenEvent,
  type ProvenWrite,
  type ShownEvent,
  type ShownPost,
  type ShownText,
  type Trust,
  verifyEvent,
  verifyPost,
  verifyReply,
  verifyWrite,
} from './proof.ts';
export { type ReadLog, readTrustedKey, type TrustedKey, type VerifiedLog, verifyLog } from './publicLog.ts';
export { type MeterReceipt, ReceiptError, type VerifiedReceipt, verifyReceipt } from './receipt.ts';
export { type RequestToSign, registrationBody, rotationBody, type SignedHeaders, Signer } from './signer.ts';
export { type SigningFetchOptions, signingFetch } from './signingFetch.ts';
export type { InputSchema, OperationEntry, OperationName, Route, Schema } from './table.ts';
export type { ForumResponse } from './transport.ts';
export type * from './types.ts';
