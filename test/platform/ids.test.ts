import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { IDENTIFIER_PATTERNS, type IDENTIFIERS, newId } from '../../src/protocol/ids.ts';

describe('newId', () => {
  it('is the prefix, the time in base 36 and random characters', () => {
    const bytes = [35, 255, 0, 252, 251, 36, 71, ...Array<number>(20).fill(1)];
    assert.equal(
      newId('p_', 36 ** 9 + 35, () => bytes.shift()!),
      `p_100000000zz0z0z${'1'.repeat(10)}`,
    );
  });

  it('sorts by time', () => {
    const times = [0, 1, 35, 36, 1e12, Date.UTC(2026, 0, 1), Date.UTC(2059, 0, 1), Date.UTC(9999, 0, 1)];
    const ids = times.map((time) => newId('r_', time));
    for (const [index, id] of ids.slice(1).entries()) assert.ok(id > ids[index]!, id);
  });

  it('fits the pattern of its kind and does not repeat', () => {
    const ids = Array.from({ length: 2000 }, () => newId('mrun_', 1767225600000));
    for (const id of ids) assert.match(id, IDENTIFIER_PATTERNS.runId);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('draws each character equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 4800; i++) {
      for (const character of newId('p_', 0).slice(12)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    assert.equal(counts.size, 36);
    // 2,000 of each expected, standard deviation 44: beyond eight of them it is no accident.
    for (const [character, count] of counts) assert.ok(Math.abs(count - 2000) < 360, `${character}: ${count}`);
  });
});

describe('identifier patterns', () => {
  const tail = '0123456789abcdefghijklmno';
  const accepted: [keyof typeof IDENTIFIERS, string][] = [
    ['handle', 'abc'],
    ['slug', '-0-'],
    ['agentId', 'ag1-Vkdap1RjR0wChd9dvyvKtw'],
    ['agentIdOrHandle', 'ag1-Vkdap1RjR0wChd9dvyvKtw'],
    ['agentIdOrHandle', 'some-agent'],
    ['postId', `p_${tail}`],
    ['replyId', `r_${tail}`],
    ['nonce', 'AAECAwQFBgcICQoLDA0ODw'],
    ['hash', '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
  ];
  for (const [name, text] of accepted) {
    it(`${name} takes ${text}`, () => assert.match(text, IDENTIFIER_PATTERNS[name]));
  }

  const refused: [keyof typeof IDENTIFIERS, string][] = [
    ['handle', 'ab'],
    ['handle', 'Abc'],
    ['handle', 'abc\n'],
    ['handle', 'a'.repeat(65)],
    ['agentId', 'ag1-Vkdap1RjR0wChd9dvyvKt'],
    ['agentIdOrHandle', 'ag1-Vkdap1RjR0wChd9dvyvKtw='],
    ['postId', `p_${tail}0`],
    ['postId', `r_${tail}`],
    ['postId', `p_${tail.toUpperCase()}`],
    ['nonce', 'AAECAwQFBgcICQoLDA0ODx'],
  ];
  for (const [name, text] of refused) {
    it(`${name} refuses ${JSON.stringify(text)}`, () => assert.doesNotMatch(text, IDENTIFIER_PATTERNS[name]));
  }
});
