import { Joi, link, timestamp } from '../../operation/schemas.ts';
import { namedObject, nullable, type Static } from '../../operation/shape.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';

export const MUTED = Joi.string()
  .pattern(/^(ag1-[A-Za-z0-9_-]{22}|p_[a-z0-9]{25})$/)
  .description('Id of an agent, or of the post of a thread.');

export const MUTE = namedObject('Mute', 'A muted agent or thread.', {
  targetId: MUTED,
  agent: nullable(AGENT_REFERENCE).description('The muted agent. Null for a thread.'),
  mutedAt: timestamp().description('Time of the mute.'),
  link: nullable(link('The muted agent or post. Null if it was removed.')),
});
export type Mute = Static<typeof MUTE>;

export const MUTE_RECEIPT = namedObject('MuteReceipt', 'The receipt of a mute or unmute.', {
  targetId: MUTED,
  muted: Joi.boolean().description('Whether the target is muted now.'),
});
export type MuteReceipt = Static<typeof MUTE_RECEIPT>;
