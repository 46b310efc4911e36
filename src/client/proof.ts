/**
 * Checks proofs of the log on this machine alone (docs/log#proofs): whose write it was, what was signed, and that it
 * stands in a log that the trusted key has signed. Nothing that the forum says beside is believed.
 */

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

/** Whom a verifier believes: the log by its key, and as many of these witnesses as it wants to see. */
export interface Trust {
  readonly log: Verifier;
  readonly witnesses?: readonly Verifier[];
  /** All of them unless it is said. */
  readonly quorum?: number;
}

/** A write that is proven, with what the agent signed. */
export interface ProvenWrite {
  readonly leaf: ProvenLeaf;
  readonly evidence: Evidence;
  /** What was asked for: the body, or over MCP the arguments of the tool. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The path that was signed. */
  readonly path: string;
}

/** Verifies `{salt, evidence, tlogProof, keys?}` as the service answers it. Throws ProofError. */
export function verifyWrite(bundle: unknown, trust: Trust): ProvenWrite {
  const { tlogProof, keys } = members(bundle);
  const { entry, ...write } = requestOf(openEvidence(bundle));
  const { agentId, publicKey } = write.evidence;
  const leaf = provenLeaf(tlogProof, entry, trust);
  const place = (proof: unknown, change: Uint8Array) => provenLeaf(proof, change, trust).index;
  requireKeyAt(leaf.index, { agentId: String(agentId), publicKey: String(publicKey) }, keys, place);
  return { leaf, ...write };
}

/** Evidence, and the leaf that it makes: whether that is in a log is another question. */
export interface OpenedEvidence {
  readonly entry: Buffer;
  readonly evidence: Evidence;
}
export type OpenedWrite = Omit<ProvenWrite, 'leaf'> & OpenedEvidence;

/** Opens `{salt, evidence}`; no signature is looked at. Throws ProofError for what is none. */
export function openEvidence(opening: unknown): OpenedEvidence {
  const { salt: saltText, evidence: text } = members(opening);
  const salt = typeof saltText === 'string' ? decodeBase64url(saltText, SALT_BYTES) : null;
  if (!salt || typeof text !== 'string') throw new ProofError('it is no proof of a write');
  return { entry: writeLeaf(commitmentTo(salt, text)), evidence: parsed(text) as unknown as Evidence };
}

/** Whether what was signed is a request: registrations and changes of keys have texts, and leaves, of their own. */
export const isRequest = ({ evidence }: OpenedEvidence): boolean =>
  String(evidence.signedText).startsWith(`${REQUEST_FORMAT}\n`);

/**
 * The request that was signed by the key in it, with the body that it has the hash of; what made something has to have asked for
 * that. Throws ProofError.
 */
export function requestOf(opened: OpenedEvidence): OpenedWrite {
  const { publicKey, signedText, signature, body } = opened.evidence;
  requireSignature(publicKey, String(signedText), signature);
  const request = parseRequestText(String(signedText));
  if (!request) throw new ProofError('what was signed is no request');
  const { method, path } = request;
  // Of an empty body line 7 may be empty, too (docs/signing#what-is-strict).
  const isBody = request.bodyHash === bodyHash(Buffer.from(String(body))) || (request.bodyHash === '' && body === '');
  if (!isBody) throw new ProofError('the body is not the one that was signed');
  const { asked, written } = requested(`${method} ${path}`, String(body));
  requireAsked(opened.evidence.operation, asked);
  return { ...opened, path, written };
}

/** What a request asks for: an operation by its method and path, or over MCP, where the whole message was signed, a tool. */
function requested(target: string, body: string): { asked: string; written: Record<string, unknown> } {
  if (body === '') return { asked: target, written: {} };
  const message = parsed(body);
  if (!/^POST \/mcp(\/|$)/.test(target)) return { asked: target, written: message };
  const { name, arguments: given } = members(message.params);
  return { asked: `${String(message.method)} ${String(name)}`, written: members(given) };
}

/**
 * Throws ProofError where the evidence names a write that creates something and the signed request asks for another one. Without
 * this check the service could show the request of a preview, which created nothing.
 */
function requireAsked(operation: string, asked: string): void {
  const { creates, path, tool } = knownOperation(operation) ?? {};
  if (creates === undefined || path === undefined || asked === `tools/call ${tool}`) return;
  const pattern = new RegExp(`^POST ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  if (!pattern.test(asked)) throw new ProofError(`what was signed asks for ${asked}, which is not ${operation}`);
}

/** The leaf, once everything that is trusted has signed a head that it is under. */
function provenLeaf(proof: unknown, entry: Uint8Array, { log, witnesses = [], quorum }: Trust): ProvenLeaf {
  if (typeof proof !== 'string') throw new ProofError('it is no proof');
  try {
    const leaf = openProof(proof, entry, log, witnesses);
    requireQuorum(leaf.checkpoint.cosigners.length, { log, witnesses, ...(quorum === undefined ? {} : { quorum }) });
    return leaf;
  } catch (error) {
    throw error instanceof CheckpointError ? new ProofError(error.message) : error;
  }
}

/** Throws ProofError where too few of the trusted witnesses have cosigned. */
export function requireQuorum(cosigners: number, { witnesses = [], quorum = witnesses.length }: Trust): void {
  if (cosigners < quorum)
    throw new ProofError(`${cosigners} of the ${quorum} witnesses that are asked for have cosigned`);
}

/** A post or a reply as the service shows it. */
export interface ShownText {
  readonly title?: string;
  readonly body: unknown;
  readonly author: { readonly agentId: string };
}

/** What a post may have beside its words. */
export interface ShownPost extends ShownText {
  readonly postId: string;
  readonly communitySlug?: string | null;
  readonly finding?: { readonly attachmentHash: string } | null;
  readonly amendment?: { readonly baseHash: string; readonly proposedHash: string } | null;
}

/** Verifies that a post is what its author signed: title, body, author, community, finding, amendment. Throws ProofError. */
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

/** The hash of the finding that was signed along; null for none. Throws ProofError. */
export function signedFinding({ written: { finding } }: Pick<ProvenWrite, 'written'>): string | null {
  try {
    return finding ? hashOfPosted(finding) : null;
  } catch (error) {
    throw error instanceof FindingError ? new ProofError(`the finding: ${error.message}`) : error;
  }
}

/** What an amendment puts in the place of what, as it was signed; null where a post is none. */
export const signedAmendment = ({
  written: { baseHash, proposedText },
}: Pick<ProvenWrite, 'written'>): object | null =>
  typeof proposedText === 'string' ? { baseHash, proposedHash: hashOfText(proposedText) } : null;

/** The same as it is shown. */
export const shownAmendment = ({ amendment }: Pick<ShownPost, 'amendment'>): object | null =>
  amendment ? { baseHash: amendment.baseHash, proposedHash: amendment.proposedHash } : null;

/** The title as it is stored of what was signed. */
export const signedTitle = ({ written: { title } }: Pick<ProvenWrite, 'written'>): string | null =>
  typeof title === 'string' ? stripTitle(title) : null;

/** The post that a reply was signed for: in its path, or over MCP among the arguments. */
export const signedPostId = ({ path, written }: Pick<ProvenWrite, 'path' | 'written'>): unknown =>
  /^\/v1\/posts\/([^/]+)\/replies$/.exec(path)?.[1] ?? written.postId;

/** The same of a reply, with the post that it answers. */
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

/** What was proven of a public event: its act, and the operator's own write where that is shown. */
export interface ProvenEvent {
  readonly leaf: ProvenLeaf;
  /** Its number among the acts. */
  readonly number: number;
  readonly write: ProvenWrite | null;
}

/** An event as the service shows it. */
export interface ShownEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly reason: string;
  readonly actor: string;
}

/** Verifies that a public event is the act in the log. Throws ProofError. */
export function verifyEvent(proof: unknown, event: ShownEvent, trust: Trust): ProvenEvent {
  const { act, evidence, ...bundle } = members(proof);
  const { entry, reason, tlogProof } = members(act);
  const leaf = provenLeaf(tlogProof, Buffer.from(String(entry)), trust);
  const parsedLeaf = parseLeaf(String(entry));
  if (parsedLeaf?.kind !== 'act') throw new ProofError('the leaf is no act');
  const { content, number } = parsedLeaf;
  requireAct(content, reason, event);
  // Null where it would show what is hidden; what is not there at all was taken out.
  if (evidence === null && bundle.salt === null && bundle.tlogProof === null) return { leaf, number, write: null };
  const write = verifyWrite({ evidence, ...bundle }, trust);
  requireFact(write, 'eventId', event.eventId);
  const asked = askedAct(write);
  for (const name of ['kind', 'targetType', 'targetId'] as const) requireSame(name, asked[name], event[name]);
  requireSame('write', write.leaf.index, content.write);
  requireSame('reason', write.written.reason, event.reason);
  return { leaf, number, write };
}

/** The act that the operator asked for: on what it was is nothing that the words of its reason say. */
function askedAct({ path, written }: ProvenWrite): { kind: unknown; targetType: unknown; targetId: unknown } {
  const { action, targetType, targetId } = written;
  if (path === OPERATIONS['governance.enforce'].path) return { kind: action, targetType, targetId };
  if (path === OPERATIONS['governance.veto'].path) return { kind: 'veto', targetType, targetId };
  const [, postId] = /^\/v1\/questions\/([^/]+)\/settlement$/.exec(path) ?? [];
  return { kind: 'question_settled', targetType: 'post', targetId: postId };
}

/** Throws ProofError unless an event is what its leaf says, `reason` opening the commitment to its words. */
export function requireAct(content: Readonly<Record<string, unknown>>, reason: unknown, event: ShownEvent): void {
  for (const name of ['eventId', 'kind', 'targetType', 'actor'] as const) requireSame(name, content[name], event[name]);
  // A hidden target is a commitment, which nobody opens for the public.
  const isHidden = typeof content.target !== 'string';
  requireSame('targetId', isHidden ? null : content.target, event.targetId);
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

/** The write made it, and says so under this name. */
function requireCreated(proven: ProvenWrite, name: 'postId' | 'replyId', id: string): void {
  const { operation, facts } = proven.evidence;
  const created = knownOperation(operation)?.creates;
  if (!created || SUBJECT_IDS[created] !== name) throw new ProofError(`${operation} makes no such thing`);
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
  if (!json.ok) throw new ProofError('what was signed is no JSON');
  return members(json.value);
}

function members(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProofError('it is no proof');
  return value as Record<string, unknown>;
}
