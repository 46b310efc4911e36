const WORDS = 30_000;
export const SENTENCES = 200_000;
const WORDS_A_SENTENCE = 15;
/** The first words are in nearly every text. The rest are made up. */
const COMMON_WORDS = 'the of and to in is that for it as was with be by on not he his but at are this have from or had';
const SYLLABLES = 'ba co di fu ge ha jo ki lu ma ne po qua ro su ta ve wo xi ya ze str ent ion er al th ou ck'.split(
  ' ',
);

/** A repeatable source of numbers from 0 to 1. */
function randomSource(): () => number {
  let state = 20_260_101;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Sentences of words whose frequency falls with their rank, as in natural text. */
export function sentences(): string[] {
  const random = randomSource();
  const below = (limit: number) => Math.floor(random() * limit);
  const made = Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + below(3) }, () => SYLLABLES[below(SYLLABLES.length)]!).join(''),
  );
  const words = [...COMMON_WORDS.split(' '), ...made];
  const word = () => words[Math.floor(words.length ** random()) - 1]!;
  return Array.from({ length: SENTENCES }, () => Array.from({ length: WORDS_A_SENTENCE }, word).join(' '));
}
