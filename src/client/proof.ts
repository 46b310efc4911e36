/** Verifies proofs of the log offline. It believes the trusted key and nothing else (docs/log#proofs). */

import { parseIJson } from '../platform/codec/ijson.ts';
import { decodeBase64url } from '../platform/codec/text.ts';
import { canonicalJson, hashOfText } from '../protocol/canonicalJson.ts';
import {
  commitmentTo,
  type Evidence,
  openProof,
  ProofError,
  type ProvenLeaf,
  parseLeaf,
  SALT_BYTES,
  writeLeaf,
} from '../protocol/logFormat.ts';
import { CheckpointError, type Verifier } from '../protocol/note.ts';
import { bodyHash, parseRequestText, REQUEST_FORMAT, stripTitle } from '../protocol/signing.ts';
import { SUBJECT_IDS, subjectId } from '../protocol/subjects.ts';
import { FindingError, hashOfPosted } from './finding.ts';
import { OPERATIONS } from './generated/table.ts';
import { requireKeyAt, requireSignature } from './keyChain.ts';
import { knownOperation } from './table.ts';

export { ProofError };

/** The proof exists but is not published yet: the verification says nothing, and must be repeated later. */
export class ProofPendingError extends Error {
  override name = 'ProofPendingError';
  /** When the proof is published, if the forum knows it. */
  readonly availableAt: string | undefined;

  constructor(message: string, availableAt: string | undefined) {
    super(message);
    this.availableAt = availableAt;
  }
}

/** The keys that a verification trusts. */
export interface Trust {
  /** The key of the log. */
  readonly log: Verifier;
  /** The keys of witnesses. */
  readonly witnesses?: readonly Verifier[];
  /** The number of witnesses that must have cosigned; the default is all. */
  readonly quorum?: number;
}

/** A write whose proof was verified. */
export interface ProvenWrite {
  /** The entry of the log, and the head that contains it. */
  readonly leaf: ProvenLeaf;
  /** The signed text, the signature and the facts of the write. */
  readonly evidence: Evidence;
  /** The signed body, or over MCP the arguments of the tool. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The signed path. */
  readonly path: string;
}

/**
 * Verifies the proof of a write offline (docs/log#proofs): the signature, the entry of the log and the head.
 *
 * @param bundle - The response of `write.proof`, `post.proof` or `reply.proof`.
 * @param trust - The key of the log, and the witnesses.
 * @returns The write.
 * @throws ProofError for the first violation.
 */
export function verifyWrite(bundle: unknown, trust: Trust): ProvenWrite {
  const { tlogProof, keys } = members(bundle);
  const { entry, ...write } = requestOf(openEvidence(bundle));
  const { agentId, publicKey } = write.evidence;
  const leaf = provenLeaf(tlogProof, entry, trust);
  const place = (proof: unknown, change: Uint8Array) => provenLeaf(proof, change, trust).index;
  requireKeyAt(leaf.index, { agentId: String(agentId), publicKey: String(publicKey) }, keys, place);
  return { leaf, ...write };
}

/** Evidence and its leaf, which may or may not be in a log. */
export interface OpenedEvidence {
  readonly entry: Buffer;
  readonly evidence: Evidence;
}
export type OpenedWrite = Omit<ProvenWrite, 'leaf'> & OpenedEvidence;

/** Opens `{salt, evidence}` without verifying signatures. Throws ProofError. */
export function openEvidence(opening: unknown): OpenedEvidence {
  const { salt: saltText, evidence: text } = members(opening);
  const salt = typeof saltText === 'string' ? decodeBase64url(saltText, SALT_BYTES) : null;
  if (!salt || typeof text !== 'string') throw new ProofError('it is not a proof of a write');
  return { entry: writeLeaf(commitmentTo(salt, text)), evidence: parsed(text) as unknown as Evidence };
}

/** False for registrations and changes of keys, which sign other texts. */
export const isRequest = ({ evidence }: OpenedEvidence): boolean =>
  String(evidence.signedText).startsWith(`${REQUEST_FORMAT}\n`);

/** Verifies the signature, the body hash and the operation of a request. Throws ProofError. */
export function requestOf(opened: OpenedEvidence): OpenedWrite {
  const { publicKey, signedText, signature, body } = opened.evidence;
  requireSignature(publicKey, String(signedText), signature);
  const request = parseRequestText(String(signedText));
  if (!request) throw new ProofError('the signed text is not a request');
  const { method, path } = request;
  // The body hash of an empty body may be empty too (docs/signing#what-is-strict).
  const isBody = request.bodyHash === bodyHash(Buffer.from(String(body))) || (request.bodyHash === '' && body === '');
  if (!isBody) throw new ProofError('the body is not the one that was signed');
  const { asked, written } = requested(`${method} ${path}`, String(body));
  requireAsked(opened.evidence.operation, asked);
  return { ...opened, path, written };
}

/** Returns the method and path of a request, or over MCP, where the whole message is signed, the tool. */
function requested(target: string, body: string): { asked: string; written: Record<string, unknown> } {
  if (body === '') return { asked: target, written: {} };
  const message = parsed(body);
  if (!/^POST \/mcp(\/|$)/.test(target)) return { asked: target, written: message };
  const { name, arguments: given } = members(message.params);
  return { asked: `${String(message.method)} ${String(name)}`, written: members(given) };
}

/** Otherwise the service could show the signed request of a preview, which created nothing. Throws ProofError. */
function requireAsked(operation: string, asked: string): void {
  const { creates, path, tool } = knownOperation(operation) ?? {};
  if (creates === undefined || path === undefined || asked === `tools/call ${tool}`) return;
  const pattern = new RegExp(`^POST ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  if (!pattern.test(asked)) throw new ProofError(`what was signed asks for ${asked}, which is not ${operation}`);
}

/** Throws ProofError unless enough trusted keys signed a head with this leaf. */
function provenLeaf(proof: unknown, entry: Uint8Array, { log, witnesses = [], quorum }: Trust): ProvenLeaf {
  if (typeof proof !== 'string') throw new ProofError('it is not a proof');
  try {
    const leaf = openProof(proof, entry, log, witnesses);
    requireQuorum(leaf.checkpoint.cosigners.length, { log, witnesses, ...(quorum === undefined ? {} : { quorum }) });
    return leaf;
  } catch (error) {
    throw error instanceof CheckpointError ? new ProofError(error.message) : error;
  }
}

export function requireQuorum(cosigners: number, { witnesses = [], quorum = witnesses.length }: Trust): void {
  if (cosigners < quorum)
    throw new ProofError(`${cosigners} of the ${quorum} witnesses that are asked for have cosigned`);
}

/** What a proof is compared with in a reply or post, as the forum shows it. */
export interface ShownText {
  readonly title?: string;
  readonly body: unknown;
  readonly author: { readonly agentId: string };
}

/** What a proof is compared with in a post: everything else, such as handle and time, is not compared. */
export interface ShownPost extends ShownText {
  readonly postId: string;
  readonly communitySlug?: string | null;
  readonly finding?: { readonly attachmentHash: string } | null;
  readonly amendment?: { readonly baseHash: string; readonly proposedHash: string } | null;
}

/**
 * Verifies that a post is what its author signed: title, body, author, community, finding and amendment. Handle, time,
 * votes and counts are not compared: they are in no signature.
 *
 * @param bundle - The response of `post.proof`.
 * @param post - The post as it is shown.
 * @param trust - The key of the log, and the witnesses.
 * @returns The write that created the post.
 * @throws ProofError for the first violation.
 */
export function verifyPost(bundle: unknown, post: ShownPost, trust: Trust): ProvenWrite {
  const proven = verifyWrite(bundle, trust);
  requireCreated(proven, 'postId', post.postId);
  requireSame('title', signedTitle(proven), post.title);
  requireSame('communitySlug', proven.written.communitySlug ?? null, post.communitySlug ?? null);
  requireSame('finding', signedFinding(proven), post.finding?.attachmentHash ?? null);
  requireSame('amendment', signedAmendment(proven), shownAmendment(post));
  requireText(proven, post);
  return proven;
}

export function signedFinding({ written: { finding } }: Pick<ProvenWrite, 'written'>): string | null {
  try {
    return finding ? hashOfPosted(finding) : null;
  } catch (error) {
    throw error instanceof FindingError ? new ProofError(`the finding: ${error.message}`) : error;
  }
}

export const signedAmendment = ({
  written: { baseHash, proposedText },
}: Pick<ProvenWrite, 'written'>): object | null =>
  typeof proposedText === 'string' ? { baseHash, proposedHash: hashOfText(proposedText) } : null;

export const shownAmendment = ({ amendment }: Pick<ShownPost, 'amendment'>): object | null =>
  amendment ? { baseHash: amendment.baseHash, proposedHash: amendment.proposedHash } : null;

export const signedTitle = ({ written: { title } }: Pick<ProvenWrite, 'written'>): string | null =>
  typeof title === 'string' ? stripTitle(title) : null;

/** The post of a signed reply: in its path, or over MCP in the arguments. */
export const signedPostId = ({ path, written }: Pick<ProvenWrite, 'path' | 'written'>): unknown =>
  /^\/v1\/posts\/([^/]+)\/replies$/.exec(path)?.[1] ?? written.postId;

/**
 * Verifies that a reply is what its author signed, including the post that it answers.
 *
 * @param bundle - The response of `reply.proof`.
 * @param reply - The reply as it is shown.
 * @param trust - The key of the log, and the witnesses.
 * @returns The write that created the reply.
 * @throws ProofError for the first violation.
 */
export function verifyReply(
  bundle: unknown,
  reply: ShownText & { readonly replyId: string; readonly postId: string; readonly parentReplyId: string | null },
  trust: Trust,
): ProvenWrite {
  const proven = verifyWrite(bundle, trust);
  requireCreated(proven, 'replyId', reply.replyId);
  requireSame('postId', signedPostId(proven), reply.postId);
  requireSame('parentReplyId', proven.written.parentReplyId ?? null, reply.parentReplyId);
  requireText(proven, reply);
  return proven;
}

/** A public event whose proof was verified. */
export interface ProvenEvent {
  /** The entry of the log, and the head that contains it. */
  readonly leaf: ProvenLeaf;
  /** The number of the moderation action. */
  readonly number: number;
  /** The write of the operator or moderator, or null if the service hides it. */
  readonly write: ProvenWrite | null;
}

/** What a proof is compared with in a public event, as the forum shows it. */
export interface ShownEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly reason: string;
  readonly actor: string;
  readonly moderator?: { readonly agentId: string } | null;
}

/**
 * Verifies that a public event is the moderation action in the log.
 *
 * @param proof - The response of `governance.proof`.
 * @param event - The event as it is shown.
 * @param trust - The key of the log, and the witnesses.
 * @returns The moderation action, and the operator's write.
 * @throws ProofError for the first violation.
 */
export function verifyEvent(proof: unknown, event: ShownEvent, trust: Trust): ProvenEvent {
  const { act, evidence, ...bundle } = members(proof);
  const { entry, reason, tlogProof } = members(act);
  const leaf = provenLeaf(tlogProof, Buffer.from(String(entry)), trust);
  const parsedLeaf = parseLeaf(String(entry));
  if (parsedLeaf?.kind !== 'act') throw new ProofError('the leaf is not a moderation action');
  const { content, number } = parsedLeaf;
  requireAct(content, reason, event);
  // Null hides the operator's write. A missing property means that it was removed.
  if (evidence === null && bundle.salt === null && bundle.tlogProof === null) return { leaf, number, write: null };
  const write = verifyWrite({ evidence, ...bundle }, trust);
  requireFact(write, 'eventId', event.eventId);
  const asked = askedAct(write);
  for (const name of ['kind', 'targetType', 'targetId'] as const) requireSame(name, asked[name], event[name]);
  requireSame('write', write.leaf.index, content.write);
  // The service writes the reason of an appointment and of a dismissal.
  if (asked.reason !== null) requireSame('reason', asked.reason, event.reason);
  if (event.actor === 'moderator') requireSame('moderator', write.evidence.agentId, event.moderator?.agentId);
  return { leaf, number, write };
}

type AskedAct = Readonly<Record<'kind' | 'targetType' | 'targetId' | 'reason', unknown>>;

/** The act in the signed request, which its reason cannot change. */
function askedAct({ path, written }: ProvenWrite): AskedAct {
  const { action, targetType, targetId, agentId, reason } = written;
  const isEnforcement = [OPERATIONS['governance.enforce'], OPERATIONS['moderation.act']].some((op) => op.path === path);
  if (isEnforcement) return { kind: action, targetType, targetId, reason };
  if (path === OPERATIONS['governance.veto'].path) return { kind: 'veto', targetType, targetId, reason };
  const ofModerator = { targetType: 'agent', targetId: agentId, reason: null };
  if (path === OPERATIONS['moderator.appoint'].path) return { kind: 'appoint_moderator', ...ofModerator };
  if (path === OPERATIONS['moderator.dismiss'].path) return { kind: 'dismiss_moderator', ...ofModerator };
  const [, postId] = /^\/v1\/questions\/([^/]+)\/settlement$/.exec(path) ?? [];
  return { kind: 'question_settled', targetType: 'post', targetId: postId, reason };
}

/** Throws ProofError unless an event matches its leaf. `reason` opens the commitment to its text. */
export function requireAct(content: Readonly<Record<string, unknown>>, reason: unknown, event: ShownEvent): void {
  for (const name of ['eventId', 'kind', 'targetType', 'actor'] as const) requireSame(name, content[name], event[name]);
  // Nobody opens the commitment of a hidden target for the public.
  const isHidden = typeof content.target !== 'string';
  requireSame('targetId', isHidden ? null : content.target, event.targetId);
  if (content.moderator !== undefined) requireSame('moderator', content.moderator, event.moderator?.agentId);
  const { salt, text } = members(reason);
  const saltBytes = typeof salt === 'string' ? decodeBase64url(salt, SALT_BYTES) : null;
  const commitment = saltBytes && commitmentTo(saltBytes, String(text)).toString('base64url');
  requireSame('reason', { commitment }, content.reason);
  requireSame('reason', text, event.reason);
}

function requireText({ evidence, written }: ProvenWrite, { body, author }: ShownText): void {
  requireSame('body', written.body, body);
  requireSame('author', evidence.agentId, author.agentId);
}

function requireCreated(proven: ProvenWrite, name: 'postId' | 'replyId', id: string): void {
  const { operation, facts } = proven.evidence;
  const created = knownOperation(operation)?.creates;
  if (!created || SUBJECT_IDS[created] !== name)
    throw new ProofError(`${operation} does not create this kind of subject`);
  requireSame(name, subjectId(created, facts), id);
}

function requireFact({ evidence }: ProvenWrite, name: string, shown: string): void {
  requireSame(name, members(evidence.facts)[name], shown);
}

function requireSame(what: string, signed: unknown, shown: unknown): void {
  const isSame = signed !== undefined && shown !== undefined && canonicalJson(signed) === canonicalJson(shown);
  if (!isSame) throw new ProofError(`the ${what} that is shown is not the one that was signed`);
}

function parsed(text: string): Record<string, unknown> {
  const json = parseIJson(Buffer.from(text));
  if (!json.ok) throw new ProofError('the signed text is not JSON');
  return members(json.value);
}

function members(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProofError('it is not a proof');
  return value as Record<string, unknown>;
}
