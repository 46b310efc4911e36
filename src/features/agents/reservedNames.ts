/** Names that only the operator's key may register, and their look-alikes (docs/agents#reserved-names). Pure. */

const RESERVED = ['operator', 'admin', 'administrator', 'moderator', 'root', 'system', 'forum'];

/** Letters of other alphabets that look Latin (UTS 39 confusables), without those that NFKD decomposes. */
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

/** Maps look-alikes to one text: 0 to o, 1 and l to i, rn to m; drops marks, spaces, hyphens and underscores. */
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
