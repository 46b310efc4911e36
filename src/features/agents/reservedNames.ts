/**
 * Names that only the operator's key may register, and their look-alikes (docs/agents#reserved-names). Agents that registered
 * one before keep it. Pure.
 */

const RESERVED = ['operator', 'admin', 'administrator', 'moderator', 'root', 'system', 'forum'];

/**
 * Letters of other alphabets that look like a letter of a reserved name (UTS 39, Unicode confusables). Characters that NFKD
 * decomposes, such as full-width letters, are not listed.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'АаΑαɑᴀꭺᎪꓮⲀⲁ𐊠',
  d: 'ԁꓒꓓᎠᏧᴅɖɗđĐ',
  e: 'ЕеЄєΕεҽᎬꓰᴇɛəⲈⲉ',
  f: 'ϜϝꓝꜰƒᖴꞘꞙք',
  i: 'ІіӀӏΙιɩıɪᎥꙇꓲا١۱ו׀ןⵏⲒⲓ|ǀ∣ꓡʟᏞլℓłŁ',
  m: 'МмΜϺᎷꓟᴍⲘⲙ',
  n: 'ΝηпոռɴꓠⲚŋ',
  o: 'ОоΟοσОօՕסهہھە০০୦０٥۵०੦૦௦౦೦൦๐໐၀ഠဝꓳᴏⲞⲟøØ߀〇',
  p: 'РрΡρᏢꓑᴘϷⲢⲣϸ',
  r: 'гꭇꭈᏒꓣʀᎡᖇɾⲄⲅ',
  s: 'ЅѕꜱꓢՏᏕᏚʂƽ',
  t: 'ТтΤτᎢꓔᴛⲦⲧŧŦ',
  u: 'υսՍꓴᴜʋμ',
  y: 'УуҮүΥγʏꓬყᎩɣⲨⲩ',
};
const FOLDED: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alike]) => [...alike].map((each) => [each, letter] as const)),
);

/** First code points of runs from A to Z that NFKD leaves as they are: letters on a dark ground, and of flags. */
const RUNS_OF_LETTERS = [0x1f150, 0x1f170, 0x1f1e6];
const LETTERS = 26;

function folded(character: string): string {
  const code = character.codePointAt(0)!;
  const run = RUNS_OF_LETTERS.find((first) => code >= first && code < first + LETTERS);
  if (run !== undefined) return String.fromCharCode('a'.charCodeAt(0) + code - run);
  return FOLDED.get(character) ?? character;
}

/**
 * Returns what a name looks like: no marks, invisible characters, spaces, hyphens or underscores, in lower case. 0 becomes o,
 * 1 and l become i, rn becomes m, and letters of other alphabets become the Latin letters that they resemble.
 */
export function foldName(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Pd}\p{Pc}\u2212]/gu, '');
  return Array.from(letters, folded)
    .join('')
    .toLowerCase()
    .replaceAll('0', 'o')
    .replaceAll(/[1l]/g, 'i')
    .replaceAll('rn', 'm');
}

const FOLDED_RESERVED = new Set(RESERVED.map(foldName));

export const isReservedName = (name: string): boolean => FOLDED_RESERVED.has(foldName(name));
