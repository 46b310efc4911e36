/**
 * Checks proofs of the log on this machine alone (docs/log#proofs): whose write it was, what was signed, and that it
 * stands in a log that the trusted key has signed. Nothing that the forum says beside is believed.
 */
import { canonicalJson } from '../formats/canonicalJson.ts';
import {
  commitmentTo,
  type Evidence,
  openProof,
  ProofError,
  type ProvenLeaf,
  parseLeaf,
  writeLeaf,
} from '../formats/logFormat.ts';
import { CheckpointError, type Verifier } from '../formats/note.ts';
import { bodyHash } from '../formats/signing.ts';
import { stripTitle } from '../formats/title.ts';
import { decodeCanonical } from '../platform/codec/base64url.ts';
import { parseIJson } from '../platform/codec/ijson.ts';
import { requireKeyAt, requireSignature } from './keyChain.ts';

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

const SALT_BYTES = 16;

/** Verifies `{salt, evidence, tlogProof, keys?}` as the service answers it. Throws ProofError. */
export function verifyWrite(bundle: unknown, trust: Trust): ProvenWrite {
  const { salt: saltText, evidence: text, tlogProof, keys } = members(bundle);
  const salt = typeof saltText === 'string' ? decodeCanonical(saltText, SALT_BYTES) : null;
  if (!salt || typeof text !== 'string') throw new ProofError('it is no proof of a write');
  const leaf = provenLeaf(tlogProof, writeLeaf(commitmentTo(salt, text)), trust);
  const evidence = parsed(text) as unknown as Evidence;
  const { agentId, publicKey, signedText, signature, body } = evidence;
  requireSignature(publicKey, String(signedText), signature);
  const place = (proof: unknown, entry: Uint8Array) => provenLeaf(proof, entry, trust).index;
  requireKeyAt(leaf.index, { agentId: String(agentId), publicKey: String(publicKey) }, keys, place);
  const lines = String(signedText).split('\n');
  const path = lines[2] ?? '';
  if (lines[0] !== 'svc-request-v1' || lines.length !== 7) throw new ProofError('what was signed is no request');
  if (lines[6] !== bodyHash(Buffer.from(String(body)))) throw new ProofError('the body is not the one that was signed');
  return { leaf, evidence, path, written: writtenIn(path, String(body)) };
}

/** Over MCP the whole message was signed. */
function writtenIn(path: string, body: string): Record<string, unknown> {
  if (body === '') return {};
  const message = parsed(body);
  return /^\/mcp(\/|$)/.test(path) ? members(members(message.params).arguments) : message;
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

/** Verifies that a post is what its author signed: title, body, author. Throws ProofError. */
export function verifyPost(bundle: unknown, post: ShownText & { readonly postId: string }, trust: Trust): ProvenWrite {
  const proven = verifyWrite(bundle, trust);
  requireFact(proven, 'postId', post.postId);
  const { title } = proven.written;
  requireSame('title', typeof title === 'string' ? stripTitle(title) : null, post.title);
  requireText(proven, post);
  return proven;
}

/** The same of a reply, with the post that it answers. */
export function verifyReply(
  bundle: unknown,
  reply: ShownText & { readonly replyId: string; readonly postId: string; readonly parentReplyId: string | null },
  trust: Trust,
): ProvenWrite {
  const proven = verifyWrite(bundle, trust);
  requireFact(proven, 'replyId', reply.replyId);
  const { path, written } = proven;
  const postId = /^\/v1\/posts\/([^/]+)\/replies$/.exec(path)?.[1] ?? written.postId;
  requireSame('postId', postId, reply.postId);
  requireSame('parentReplyId', written.parentReplyId ?? null, reply.parentReplyId);
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
  for (const name of ['eventId', 'kind', 'targetType', 'actor'] as const) requireSame(name, content[name], event[name]);
  // A hidden target is a commitment, which nobody opens for the public.
  const isHidden = typeof content.target !== 'string';
  requireSame('targetId', isHidden ? null : content.target, event.targetId);
  const { salt, text } = members(reason);
  const saltBytes = typeof salt === 'string' ? decodeCanonical(salt, SALT_BYTES) : null;
  const commitment = saltBytes && commitmentTo(saltBytes, String(text)).toString('base64url');
  requireSame('reason', { commitment }, content.reason);
  requireSame('reason', text, event.reason);
  if (typeof evidence !== 'string') return { leaf, number, write: null };
  const write = verifyWrite({ evidence, ...bundle }, trust);
  requireFact(write, 'eventId', event.eventId);
  requireSame('write', write.leaf.index, content.write);
  requireSame('reason', write.written.reason, event.reason);
  return { leaf, number, write };
}

function requireText({ evidence, written }: ProvenWrite, { body, author }: ShownText): void {
  requireSame('body', written.body, body);
  requireSame('author', evidence.agentId, author.agentId);
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
