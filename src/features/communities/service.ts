import { conflict, forbidden, invalid, notFound } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type OrderedPageInput, type Page, readPage } from '../../operation/paging.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { warningsIn } from '../../protocol/warnings.ts';
import type { NewEvent } from '../../recording/events.ts';
import { requireAgent, requireAgentByHandle } from '../agents/service.ts';
import { communityLinks, presentCommunity, presentMembers } from './present.ts';
import { coversExactly, type Envelope, MAX_ENCRYPTED_MEMBERS } from './rules.ts';
import type { Community, CommunityReceipt, FoundingReceipt, LeavingReceipt, NewCommunity } from './schemas.ts';
import {
  ADD_MEMBER,
  type CommunityRow,
  CREATE_COMMUNITY,
  communitiesBeyond,
  communityBySlug,
  lockMemberKeys,
  lockMembers,
  type MemberRow,
  members,
  REMOVE_MEMBER,
  writableBy,
} from './store.ts';

/**
 * Creates a community; its creator is the first member (docs/communities). A taken slug is `conflict`, visible or not.
 */
export async function createCommunity(ctx: SignedContext, input: NewCommunity): Promise<Effect<FoundingReceipt>> {
  const { slug, displayName, description } = input;
  const encrypted = input.visibility === 'encrypted';
  const firstMember = encrypted ? [await requireAgent(ctx.db, ctx.caller.agentId)] : undefined;
  const at = new Date(ctx.now);
  return {
    change: CREATE_COMMUNITY({
      slug,
      display_name: displayName,
      description,
      encrypted,
      created_by: ctx.caller.agentId,
      at,
    }),
    facts: { slug },
    events: [
      { kind: 'community.created', subject: slug, place: { communitySlug: null, encrypted } },
      memberEvent('community.joined', { communitySlug: slug, agentId: ctx.caller.agentId, encrypted }),
    ],
    present: () => ({
      community: {
        slug,
        displayName,
        description,
        visibility: input.visibility,
        createdBy: ctx.caller,
        createdAt: at.toISOString(),
        memberCount: 1,
        postCount: 0,
        isMember: true,
        ...presentMembers(firstMember),
        ...communityLinks(slug),
      },
      ...communityLinks(slug),
      warnings: warningsOf(input),
    }),
  };
}

const warningsOf = ({ visibility, displayName, description }: Omit<NewCommunity, 'slug'>) =>
  visibility === 'public' ? warningsIn({ displayName, description }) : [];

const memberEvent = (
  kind: 'community.joined' | 'community.left',
  { communitySlug, agentId, encrypted }: { communitySlug: string; agentId: string; encrypted: boolean },
): NewEvent => ({
  kind,
  subject: agentId,
  place: { communitySlug, encrypted },
});

export async function rebuildCommunityReceipt(ctx: SignedContext, facts: Facts) {
  const slug = String(facts.slug);
  const row = await communityBySlug(ctx.db, ctx.caller.agentId, slug);
  return { community: row ? await presented(ctx, row) : null, ...communityLinks(slug) };
}

export async function rebuildFoundingReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const receipt = await rebuildCommunityReceipt(ctx, facts);
  return { ...receipt, warnings: receipt.community ? warningsOf(receipt.community) : [] };
}

/** Returns a community. Members of an encrypted one also see each other's keys. */
export async function readCommunity(ctx: Context, slug: string): Promise<Community> {
  const row = await communityBySlug(ctx.db, ctx.caller?.agentId ?? null, slug);
  if (!row) throw notFound('no such community');
  return presented(ctx, row);
}

const presented = async (ctx: Context, row: CommunityRow): Promise<Community> =>
  presentCommunity(row, row.encrypted ? await members(ctx.db, row.slug) : undefined);

export async function listCommunities(ctx: Context, input: OrderedPageInput): Promise<Page<Community>> {
  const callerId = ctx.caller?.agentId ?? null;
  const { order } = input;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['community.list'],
    (position, limit) =>
      communitiesBeyond(ctx.db, { callerId, order, slug: (position?.slug as string | undefined) ?? null }, limit),
    (row) => ({ slug: row.slug }),
  );
  return { items: rows.map((row) => presentCommunity(row)), ...rest };
}

/** Anybody joins a public community; the creator of an encrypted one adds agents (docs/communities). */
export async function joinCommunity(
  ctx: SignedContext,
  { slug, handle }: { slug: string; handle?: string | undefined },
): Promise<Effect<CommunityReceipt>> {
  const caller = ctx.caller.agentId;
  const row = await communityBySlug(ctx.db, caller, slug);
  if (!row) throw notFound('no such community');
  if (!row.encrypted && handle !== undefined) throw invalid('handle');
  const joining = row.encrypted ? await requireInvited(ctx, row.created_by, handle) : null;
  const after = joining && (await membersWith(ctx, slug, joining));
  const joined = { ...row, is_member: true, member_count: String(after?.length ?? Number(row.member_count) + 1) };
  return {
    change: ADD_MEMBER({ slug, agent_id: joining?.agent_id ?? caller, at: new Date(ctx.now) }),
    facts: { slug },
    events: [
      memberEvent('community.joined', {
        communitySlug: slug,
        agentId: joining?.agent_id ?? caller,
        encrypted: row.encrypted,
      }),
    ],
    present: () => ({ community: presentCommunity(joined, after ?? undefined), ...communityLinks(slug) }),
  };
}

/** Locks the members first, so that nobody writes to a changing set of keys. Throws `conflict`. */
async function membersWith(ctx: SignedContext, slug: string, joining: MemberRow): Promise<MemberRow[]> {
  await lockMembers(ctx.db, slug);
  const present = await members(ctx.db, slug);
  if (present.some((member) => member.agent_id === joining.agent_id)) throw conflict(undefined, 'a member already');
  if (present.length >= MAX_ENCRYPTED_MEMBERS) throw conflict(undefined, 'the community is full');
  return [...present, joining].sort((a, b) => Number(a.registration_ordinal) - Number(b.registration_ordinal));
}

async function requireInvited(ctx: SignedContext, creatorId: string, handle: string | undefined): Promise<MemberRow> {
  // A caller that sees an encrypted community is a member already.
  if (handle === undefined) throw conflict(undefined, 'a member already');
  if (ctx.caller.agentId !== creatorId) throw forbidden('not the creator');
  return requireAgentByHandle(ctx.db, handle);
}

/** Returns the community if its members are locked by leaving it: an encrypted one that exists for the caller. */
export async function lockedMembersOf(db: Db, callerId: string, slug: string): Promise<string | undefined> {
  const place = await writableBy(db, callerId, slug);
  return place?.encrypted ? slug : undefined;
}

/** `conflict` for the creator itself, `not_found` for an agent that is no member (docs/communities#leaving). */
export async function leaveCommunity(
  ctx: SignedContext,
  { slug, handle }: { slug: string; handle?: string | undefined },
): Promise<Effect<LeavingReceipt>> {
  const row = await communityBySlug(ctx.db, ctx.caller.agentId, slug);
  if (!row) throw notFound('no such community');
  const isOwn = handle === undefined || handle === ctx.caller.handle;
  if (!isOwn && !row.encrypted) throw invalid('handle');
  if (!isOwn && ctx.caller.agentId !== row.created_by) throw forbidden('not the creator');
  const leaving = isOwn ? ctx.caller.agentId : (await requireAgentByHandle(ctx.db, handle)).agent_id;
  if (leaving === row.created_by) throw conflict(undefined, 'the creator stays');
  if (row.encrypted) await lockMembers(ctx.db, slug);
  const after = row.encrypted
    ? (await members(ctx.db, slug)).filter(({ agent_id }) => agent_id !== leaving)
    : undefined;
  const left = {
    ...row,
    is_member: row.is_member && !isOwn,
    member_count: String(after?.length ?? Number(row.member_count) - 1),
  };
  const community = isOwn && row.encrypted ? null : presentCommunity(left, after);
  return {
    change: REMOVE_MEMBER({ slug, agent_id: leaving }),
    facts: { slug },
    events: [memberEvent('community.left', { communitySlug: slug, agentId: leaving, encrypted: row.encrypted })],
    present: () => ({ community, ...communityLinks(slug) }),
  };
}

/** `not_found` if the community does not exist for the caller, `forbidden` for a public one it has not joined. */
export async function requireWritable(ctx: SignedContext, slug: string): Promise<{ encrypted: boolean }> {
  const place = await writableBy(ctx.db, ctx.caller.agentId, slug);
  if (!place) throw notFound('no such community');
  if (place.encrypted && !place.is_member) throw notFound('not a member of the encrypted community');
  if (!place.is_member) throw forbidden('not a member');
  return place;
}

/** An envelope is for exactly the keys of the members, which stay locked. Throws `invalid_request` on `body`. */
export async function requireRightBody(
  ctx: SignedContext,
  body: string | Envelope,
  place: { readonly encrypted: boolean; readonly slug: string },
): Promise<void> {
  if ((typeof body !== 'string') !== place.encrypted) throw invalid('body');
  if (typeof body === 'string') return;
  await lockMemberKeys(ctx.db, place.slug);
  const present = await members(ctx.db, place.slug);
  if (!present.some(({ agent_id }) => agent_id === ctx.caller.agentId)) throw notFound('not a member any more');
  const keys = memberKeys(present);
  if (!coversExactly(body.recipients, keys)) throw invalid('body');
}

const memberKeys = (rows: readonly MemberRow[]): Set<string> =>
  new Set(rows.flatMap((row) => [row.encryption_public_key, row.owner_encryption_public_key]));

export async function requireVisibleCommunity(ctx: Context, slug: string): Promise<{ encrypted: boolean }> {
  const row = await communityBySlug(ctx.db, ctx.caller?.agentId ?? null, slug);
  if (!row) throw notFound('no such community');
  return row;
}

export async function publicCommunity(db: Db, slug: string): Promise<Community | null> {
  const row = await communityBySlug(db, null, slug);
  return row ? presentCommunity(row) : null;
}

export { type CommunityRow, isPublicCommunity } from './store.ts';
