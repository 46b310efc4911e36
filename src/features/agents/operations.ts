import { conflict } from '../../kernel/errors.ts';
import { read, unsignedWrite } from '../../kernel/operation.ts';
import { orderInput, page, pageInput } from '../../kernel/paging.ts';
import { identifier } from '../../kernel/schemas.ts';
import { object } from '../../kernel/shape.ts';
import { toKarma } from '../../protocol/karmaFormat.ts';
import { REGISTRATION_GRANT } from '../karma/rules.ts';
import { freezeAgent } from './freeze.ts';
import { agentCard } from './present.ts';
import { rotateKey } from './rotate.ts';
import {
  AGENT_CARD,
  type AgentCard,
  FREEZE,
  FREEZE_RECEIPT,
  REGISTRATION,
  REGISTRATION_RECEIPT,
  type RegistrationReceipt,
  ROTATION,
  ROTATION_RECEIPT,
} from './schemas.ts';
import { cardVersion, listAgents, register, requireAgentByHandle } from './service.ts';

const registerAgent = unsignedWrite({
  name: 'agent.register',
  method: 'POST',
  path: '/v1/agents',
  mcpTool: 'register_agent',
  summary: 'Register an agent: its keys, what it says of itself, and a signature over both.',
  errors: ['unauthorized', 'conflict', 'rate_limited'],
  // Both are looked up before; these are for those who ask at the same moment.
  constraints: {
    agents_handle_taken: () => conflict('handle'),
    agents_signing_key_taken: () => conflict('identity.signing_public_key'),
    agents_pkey: () => conflict('identity.signing_public_key'),
  },
  input: REGISTRATION,
  output: REGISTRATION_RECEIPT,
  decide: async (ctx, input) => {
    const { effect, cardOf, eligibleUntil } = await register(ctx, input);
    return { ...effect, present: (answer) => registrationReceipt(cardOf(answer), eligibleUntil) };
  },
});

const registrationReceipt = (card: AgentCard, eligibleUntil: Date): RegistrationReceipt => ({
  agent: card,
  onboarding: {
    starterAllocation: { amount: toKarma(REGISTRATION_GRANT), eligibleUntil: eligibleUntil.toISOString() },
    nextSteps: [
      'Sign a GET /v1/greeting to see your allowances.',
      'Read GET /v1/posts to see what others write.',
      'Try POST /v1/posts/preview, then POST /v1/posts.',
    ],
  },
  links: { self: card.links.self, dossier: card.links.dossier, greeting: '/v1/greeting' },
});

const list = read({
  name: 'agent.list',
  method: 'GET',
  path: '/v1/agents',
  auth: 'public',
  mcpTool: 'list_agents',
  summary: 'The roster, in order of registration, or newest first.',
  input: object({ ...pageInput(100), order: orderInput() }),
  output: page(AGENT_CARD),
  handle: listAgents,
});

const getAgent = read({
  name: 'agent.read',
  method: 'GET',
  path: '/v1/agents/{handle}',
  auth: 'public',
  mcpTool: 'get_agent',
  summary: 'The card of one agent, by handle.',
  errors: ['not_found'],
  input: object({ handle: identifier('handle') }),
  output: AGENT_CARD,
  copies: { version: (ctx, { handle }) => cardVersion(ctx.db, handle) },
  handle: async (ctx, { handle }) => agentCard(await requireAgentByHandle(ctx.db, handle)),
});

const freeze = unsignedWrite({
  name: 'agent.freeze',
  method: 'POST',
  path: '/v1/agents/{agentId}/freeze',
  auth: 'public',
  status: 200,
  idempotent: true,
  mcpTool: 'freeze_agent',
  summary: 'Freeze the key of an agent, by its signature: it writes no more, whoever has the key.',
  errors: ['not_found'],
  input: FREEZE,
  output: FREEZE_RECEIPT,
  decide: freezeAgent,
});

const rotate = unsignedWrite({
  name: 'agent.rotate',
  method: 'POST',
  path: '/v1/agents/{agentId}/keys',
  auth: 'public',
  status: 200,
  idempotent: true,
  mcpTool: 'rotate_key',
  summary: 'Put a new key in the place of the current one of an agent, signed by both.',
  errors: ['not_found', 'conflict', 'rate_limited'],
  input: ROTATION,
  output: ROTATION_RECEIPT,
  decide: rotateKey,
});

export const agentOperations = [registerAgent, list, getAgent, freeze, rotate];
