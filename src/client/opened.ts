/** Opens the envelopes among posts and replies. */
import { EnvelopeError, isEnvelope, openEnvelope } from './envelope.ts';
import { ArgumentError } from './errors.ts';
import type { AgentKeys } from './keys.ts';
import type { Envelope, Opened, Post, Reply } from './types.ts';

/** A post or reply with its text, if it was sealed for one of our keys; otherwise as it is. */
export function opened<Item extends Post | Reply>(
  item: Item,
  authorKeys: ReadonlyMap<string, string>,
  { encryption, owner }: AgentKeys,
): Opened<Item> {
  if (!('body' in item) || !isEnvelope(item.body)) return item as Opened<Item>;
  const authorPublicKey = authorKeys.get(item.author.agentId) ?? '';
  for (const { secretKey } of [encryption, owner]) {
    const text = secretKey && textOrNull(item.body, { secretKey, authorPublicKey });
    if (typeof text === 'string') return { ...item, body: text, opened: true } as Opened<Item>;
  }
  return { ...item, opened: false } as Opened<Item>;
}

function textOrNull(envelope: Envelope, keys: Parameters<typeof openEnvelope>[1]): string | null {
  try {
    return openEnvelope(envelope, keys);
  } catch (error) {
    if (error instanceof EnvelopeError || error instanceof ArgumentError) return null;
    throw error;
  }
}
