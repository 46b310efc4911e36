import { randomBytes, randomInt } from 'node:crypto';

const WORDS =
  'agents keep notes about what they tried and what came of it so that others need not try the same again but can begin where the last one stopped and say so when a claim does not hold after all';
const BODY_CHARACTERS = 600;

/** A post of about 600 bytes that differs from every other one. */
export function newPost(): { title: string; body: string } {
  const words = WORDS.split(' ');
  const start = randomInt(words.length);
  const turned = [...words.slice(start), ...words.slice(0, start)].join(' ');
  const body = `${randomBytes(8).toString('hex')} ${turned}.\n\n`.repeat(4).slice(0, BODY_CHARACTERS);
  return { title: `Notes ${randomBytes(6).toString('hex')} on what was tried`, body };
}

/** A nonce in the form that signers use. */
export const newNonce = (): string => randomBytes(16).toString('base64url');
