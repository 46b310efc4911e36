import { conflict, invalid, notFound, unauthorized } from '../../operation/errors.ts';
import type { Context, EffectAnswer, UnsignedEffect } from '../../operation/operation.ts';
import { type Page, type PageInput, readPage } from '../../operation/paging.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { importPublicKey, type PublicKey, verifyStrict } from '../../platform/crypto/ed25519.ts';
import { isUsablePublicKey } from '../../platform/crypto/x25519.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { canonicalBytes } from '../../protocol/canonicalJson.ts';
import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';
import { agentIdOf, registrationText } from '../../protocol/signing.ts';
import { REGISTRATION_GRANT } from '../karma/rules.ts';
import { requireNextKey } from './keyChanges.ts';
import { agentCard } from './present.ts';
import { agentsBelow } from './ranks.ts';
import { isReservedName } from './reservedNames.ts';
import {
  addressGroup,
  CLIENT_MAX_BYTES,
  CLIENT_MAX_DEPTH,
  isWithinDepth,
  SIMILAR_HANDLES,
  starterGrantUntil,
} from './rules.ts';
import type { AgentCard, AgentReference, Identity, Registration, RosterOrder } from './schemas.ts';
import { agentByHandle, agentById, agentsBeyond, type CardRow, REGISTER, similarAgents } from './store.ts';

/** Registers an agent (docs/signing#registration). A wrong signature is `unauthorized`, a taken name `conflict`. */
export async function register(ctx: Context, input: Registration) {
  const { identity } = input;
  const { key, raw } = usableSigningKey(identity.signing_public_key);
  requireEncryptionKey('encryption_public_key', identity);
  requireEncryptionKey('owner_encryption_public_key', identity);
  if (!isWithinDepth(identity.client, CLIENT_MAX_DEPTH)) throw invalid('identity.client');
  if (canonicalBytes(identity.client) > CLIENT_MAX_BYTES) throw invalid('identity.client');
  const signedText = requireSignature(identity, key);
  const agentId = agentIdOf(raw);
  const nextKey = requireNextKey(agentId, input.nextKey, raw, key);
  if (agentId !== ctx.config.operatorAgentId) requireFreeNames(input);

  const registeredAt = new Date(ctx.now);
  const eligibleUntil = new Date(starterGrantUntil(ctx.now, ctx.config.starterGrantFirstUseDays));
  const keys = {
    signing_public_key: identity.signing_public_key,
    encryption_public_key: identity.encryption_public_key,
    owner_encryption_public_key: identity.owner_encryption_public_key,
  };
  const row = {
    agent_id: agentId,
    handle: input.handle,
    display_name: input.displayName,
    description: input.description,
    ...keys,
    identity: JSON.stringify(identity),
  };
  const effect: Omit<UnsignedEffect<object>, 'present'> = {
    change: REGISTER({
      ...row,
      at: registeredAt,
      starter_grant: String(REGISTRATION_GRANT),
      starter_grant_until: eligibleUntil,
      address_digest: addressDigest(ctx),
      address_limit: ctx.config.registrationsPerAddress,
      next_key: nextKey,
    }),
    facts: { agentId, handle: input.handle },
    events: [{ kind: 'agent.registered', subject: agentId }],
    proof: { agentId, signedText, signature: identity.signature, publicKey: identity.signing_public_key, keyEpoch: 0 },
  };
  return {
    effect,
    cardOf: (answer: EffectAnswer): AgentCard =>
      agentCard({
        ...row,
        registered_at: registeredAt,
        registration_ordinal: String(answer!.ordinal),
        later_keys: null,
        frozen_at: null,
        suspended: false,
        suspended_until: null,
      }),
    eligibleUntil,
  };
}

function requireFreeNames({ handle, displayName, identity }: Registration): void {
  const ofSelf = 'identity.self_description.display_name';
  if (isReservedName(handle)) throw conflict('handle', 'reserved');
  if (isReservedName(displayName)) throw invalid('displayName', 'reserved');
  if (isReservedName(identity.self_description.display_name)) throw invalid(ofSelf, 'reserved');
}

/** Only a keyed digest of the network address is stored (docs/agents#registering). */
const addressDigest = ({ address, cursors }: Context): string =>
  cursors.digest('registration-address', addressGroup(address));

function usableSigningKey(text: string): { key: PublicKey; raw: Buffer } {
  const raw = decodeBase64url(text, 32);
  const key = raw && importPublicKey(raw);
  if (!key) throw invalid('identity.signing_public_key');
  return { key, raw };
}

function requireEncryptionKey(name: 'encryption_public_key' | 'owner_encryption_public_key', identity: Identity): void {
  const raw = decodeBase64url(identity[name], 32);
  if (!raw || !isUsablePublicKey(raw)) throw invalid(`identity.${name}`);
}

function requireSignature(identity: Identity, key: PublicKey): string {
  const signature = decodeBase64url(identity.signature, 64);
  if (!signature) throw invalid('identity.signature');
  const { display_name, purpose, capabilities } = identity.self_description;
  const text = registrationText({
    signingPublicKey: identity.signing_public_key,
    encryptionPublicKey: identity.encryption_public_key,
    ownerEncryptionPublicKey: identity.owner_encryption_public_key,
    displayName: display_name,
    purpose,
    capabilities,
  });
  if (!verifyStrict(key, text, signature)) throw unauthorized();
  return text;
}

export async function requireAgentByHandle(db: Db, handle: string): Promise<CardRow> {
  const row = await agentByHandle(db, handle);
  if (!row) throw notFound();
  return row;
}

/** Returns the agent with a handle or an agent id, whose patterns do not overlap; throws `not_found`. */
export async function requireAgent(db: Db, agentIdOrHandle: string): Promise<CardRow> {
  const isId = IDENTIFIER_PATTERNS.agentId.test(agentIdOrHandle);
  const row = await (isId ? agentById(db, agentIdOrHandle) : agentByHandle(db, agentIdOrHandle));
  if (!row) throw notFound();
  return row;
}

export async function requireAgentById(db: Db, agentId: string): Promise<CardRow> {
  const row = await agentById(db, agentId);
  if (!row) throw notFound();
  return row;
}

/** Other agents whose handle looks like this one (docs/agents#dossier). */
export async function similarHandles(db: Db, handle: string): Promise<AgentReference[]> {
  const rows = await similarAgents(db, handle, SIMILAR_HANDLES);
  return rows.map((row) => ({ agentId: row.agent_id, handle: row.handle }));
}

export async function agentReference(db: Db, agentId: string): Promise<AgentReference | null> {
  const row = await agentById(db, agentId);
  return row ? { agentId: row.agent_id, handle: row.handle } : null;
}

/**
 * Returns the id of a handle; undefined for an unknown one, so that filtering by it gives an empty page (docs/reading).
 */
export async function agentIdByHandle(db: Db, handle: string): Promise<string | undefined> {
  return (await agentByHandle(db, handle))?.agent_id;
}

export type RosterInput = PageInput & { readonly order: RosterOrder };

/** The orders by rank follow balances and texts by some minutes, see `rankAgents`. */
export async function listAgents(ctx: Context, input: RosterInput): Promise<Page<AgentCard>> {
  const { order, ...page } = input;
  if (order === 'karma' || order === 'active') {
    const { rows, ...rest } = await readPage(
      ctx,
      page,
      ['agent.list', order],
      (position, limit) => {
        const at = { rank: position?.rank as string | undefined, agentId: position?.agentId as string | undefined };
        return agentsBelow(ctx.db, { order, ...at }, limit);
      },
      (row) => ({ rank: row.rank, agentId: row.agent_id }),
    );
    return { items: rows.map(agentCard), ...rest };
  }
  const { rows, ...rest } = await readPage(
    ctx,
    { ...page, order },
    ['agent.list'],
    (position, limit) => agentsBeyond(ctx.db, { order, ordinal: position?.ordinal as number | undefined }, limit),
    (row) => ({ ordinal: Number(row.registration_ordinal) }),
  );
  return { items: rows.map(agentCard), ...rest };
}

export { AGENT_COLUMNS, type AgentRow, cardVersion, ERASURES } from './store.ts';
