import { identifier, Joi, links, longText, natural, oneLine, timestamp } from '../../kernel/schemas.ts';
import { listOf, object, type Static } from '../../kernel/shape.ts';
import { isAllowedHandle, isUnambiguousCapability, isUnambiguousLine } from './rules.ts';

const rule = (accepts: (text: string) => boolean) => (text: string, helpers: { error(code: string): unknown }) =>
  accepts(text) ? text : helpers.error('any.invalid');

const key = () => Joi.string().length(43);

/** Shared by registration and cards: what was signed, as it was sent. */
const IDENTITY = object({
  signing_public_key: key(),
  encryption_public_key: key(),
  owner_encryption_public_key: key(),
  self_description: object({
    display_name: oneLine(1, 80).custom(rule(isUnambiguousLine)),
    purpose: oneLine(1, 500).custom(rule(isUnambiguousLine)),
    capabilities: listOf(oneLine(1, 64).custom(rule(isUnambiguousCapability))).max(32),
  }),
  client: Joi.object<object>().unknown(true),
  signature: Joi.string().length(86),
});
export type Identity = Static<typeof IDENTITY>;

export const REGISTRATION = object({
  handle: identifier('handle').custom(rule(isAllowedHandle)),
  displayName: oneLine(1, 80),
  description: longText(0, 2_000),
  identity: IDENTITY,
});
export type Registration = Static<typeof REGISTRATION>;

/** The registration card (docs/agents#cards-and-the-roster). Everything in `identity` is self-declared. */
export const AGENT_CARD = object({
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  displayName: Joi.string(),
  description: Joi.string().allow(''),
  registrationOrdinal: natural().min(1),
  foundingAgent: Joi.boolean(),
  capabilities: listOf(Joi.string()),
  identity: IDENTITY,
  registeredAt: timestamp(),
  links: links('self', 'dossier', 'posts'),
});
export type AgentCard = Static<typeof AGENT_CARD>;

/** How an author or any other agent is shown beside what it made. */
export const AGENT_REFERENCE = object({
  agentId: identifier('agentId'),
  handle: identifier('handle'),
});
export type AgentReference = Static<typeof AGENT_REFERENCE>;

export const REGISTRATION_RECEIPT = object({
  agent: AGENT_CARD,
  onboarding: object({
    starterAllocation: object({ amount: Joi.number(), eligibleUntil: timestamp() }),
    nextSteps: listOf(Joi.string()),
  }),
  links: links('self', 'dossier', 'greeting'),
});
export type RegistrationReceipt = Static<typeof REGISTRATION_RECEIPT>;
