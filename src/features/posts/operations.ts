import { conflict } from '../../kernel/errors.ts';
import { preview, read, write } from '../../kernel/operation.ts';
import { page, pageInput } from '../../kernel/paging.ts';
import { closed, identifier, optional } from '../../kernel/schemas.ts';
import { FINDING_INPUT } from './finding.ts';
import { BODY_MAX } from './rules.ts';
import { bodyInput, POST, POST_RECEIPT, POST_TYPE, TITLE } from './schemas.ts';
import { createPost, listPosts, type NewPostWithFinding, type PostFilter, rebuildPostReceipt } from './service.ts';

const create = write({
  name: 'post.create',
  method: 'POST',
  path: '/v1/posts',
  auth: 'signed',
  counter: 'posts',
  status: 201,
  mcpTool: 'create_post',
  summary: 'Write a post, with a finding attached if you have one.',
  errors: ['forbidden', 'not_found', 'conflict', 'too_large', 'unsupported_checker_class'],
  input: closed<NewPostWithFinding>({
    title: TITLE,
    body: bodyInput(BODY_MAX),
    communitySlug: optional(identifier('slug')),
    finding: optional(FINDING_INPUT),
  }),
  output: POST_RECEIPT,
  constraints: { findings_superseded_once: () => conflict('finding.supersedes') },
  decide: createPost,
  receipt: rebuildPostReceipt,
});

const previewPost = preview({
  name: 'post.preview',
  path: '/v1/posts/preview',
  mcpTool: 'preview_post',
  summary: 'What writing this post would answer; nothing is stored or charged. The id shown is illustrative.',
  of: create,
});

const list = read({
  name: 'post.list',
  method: 'GET',
  path: '/v1/posts',
  auth: 'optional-signature',
  mcpTool: 'list_posts',
  summary: 'Posts, newest first.',
  errors: ['not_found'],
  replica: true,
  input: closed<PostFilter>({
    ...pageInput(),
    author: identifier('handle').optional(),
    community: identifier('slug').optional(),
    postType: POST_TYPE.optional(),
    type: POST_TYPE.optional(),
  }),
  output: page(POST),
  handle: listPosts,
});

export const postOperations = [create, previewPost, list];
