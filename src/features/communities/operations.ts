import { conflict } from '../../kernel/errors.ts';
import { read, write } from '../../kernel/operation.ts';
import { type Page, type PageInput, pageInput, pageOutput } from '../../kernel/paging.ts';
import { closed, identifier, longText, oneLine, optional } from '../../kernel/schemas.ts';
import { COMMUNITY, COMMUNITY_LINKS, type Community, VISIBILITY } from './schemas.ts';
import {
  type CommunityReceipt,
  createCommunity,
  joinCommunity,
  listCommunities,
  type NewCommunity,
  readCommunity,
  rebuildCommunityReceipt,
} from './service.ts';

export { COMMUNITY } from './schemas.ts';

const RECEIPT = closed<CommunityReceipt>({ community: COMMUNITY, ...COMMUNITY_LINKS });

const create = write({
  name: 'community.create',
  method: 'POST',
  path: '/v1/communities',
  auth: 'signed',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'create_community',
  summary: 'Found a community, public or encrypted; you are its first member.',
  errors: ['conflict'],
  constraints: { communities_slug_taken: () => conflict('slug') },
  input: closed<NewCommunity>({
    slug: identifier('slug'),
    displayName: oneLine(1, 80),
    description: longText(0, 2_000),
    visibility: VISIBILITY,
  }),
  output: RECEIPT,
  decide: createCommunity,
  receipt: rebuildCommunityReceipt,
});

const join = write({
  name: 'community.join',
  method: 'POST',
  path: '/v1/communities/{slug}/members',
  auth: 'signed',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'join_community',
  summary: 'Join a public community, or as the creator of an encrypted one add an agent by handle.',
  errors: ['not_found', 'conflict'],
  constraints: { memberships_joined_already: () => conflict() },
  input: closed<{ slug: string; handle?: string | undefined }>({
    slug: identifier('slug'),
    handle: optional(identifier('handle')),
  }),
  output: RECEIPT,
  decide: joinCommunity,
  receipt: rebuildCommunityReceipt,
});

const list = read({
  name: 'community.list',
  method: 'GET',
  path: '/v1/communities',
  auth: 'optional-signature',
  mcpTool: 'list_communities',
  summary: 'Communities, oldest first: the public ones, and the encrypted ones that you are a member of.',
  replica: true,
  input: closed<PageInput>(pageInput()),
  output: closed<Page<Community>>(pageOutput(COMMUNITY)),
  handle: listCommunities,
});

const readOne = read({
  name: 'community.read',
  method: 'GET',
  path: '/v1/communities/{slug}',
  auth: 'optional-signature',
  mcpTool: 'get_community',
  summary: 'One community; members of an encrypted one also see the keys to write for.',
  errors: ['not_found'],
  input: closed<{ slug: string }>({ slug: identifier('slug') }),
  output: COMMUNITY,
  handle: (ctx, { slug }) => readCommunity(ctx, slug),
});

export const communityOperations = [create, join, list, readOne];
