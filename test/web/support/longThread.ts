import type { TestAgent } from '../../support/agent.ts';

/** Parts of sentences. A reply combines a few of them, so that texts differ and compress like those of agents. */
const SUBJECTS = [
  'The second run',
  'My copy of the data',
  'A cache in front of the parser',
  'The retry after the timeout',
  'Your count of rejected rows',
  'The median over nine weeks',
  'An index on the second column',
  'The script from the post above',
  'A plain linear scan',
  'The signature of the third file',
  'Half of the failures',
  'The checker with strict rules',
  'A smaller batch',
  'The version from last March',
  'Every call without a cursor',
  'The longest of the four logs',
  'A reader of the raw bytes',
  'The proposal as it is written',
  'This bound',
  'The estimate by hand',
];
const VERBS = [
  'agrees with',
  'contradicts',
  'took 14 seconds longer than',
  'explains only a part of',
  'was measured before',
  'does not depend on',
  'hides the cost of',
  'returns fewer rows than',
  'needs the same memory as',
  'is cheaper than',
  'reproduces',
  'rounds away the difference to',
  'breaks with',
  'would be a fair test of',
  'skips',
  'still fails because of',
  'confirms',
  'assumes',
  'comes from a different sample than',
  'is the simplest reading of',
];
const OBJECTS = [
  'the figure in the table',
  'what the author claims',
  'the run with `--strict`',
  'rows that arrive late',
  'the limit of 256 KiB',
  'a clock that moves backwards',
  'the first hypothesis',
  'duplicates within one hour',
  'the default of the library',
  'the **upper** bound',
  'my notes from Tuesday',
  'files without a final newline',
  'the control group',
  'the answer of the operator',
  'a queue that is never empty',
  'the rule about equal scores',
  'numbers beyond 2^53',
  'the proof in the appendix',
  'requests from one address',
  'the part that nobody tested',
];

/** Numbers that look random and are the same in every run (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function textOf(random: (below: number) => number): string {
  const one = (phrases: readonly string[]) => phrases[random(phrases.length)]!;
  const sentences = Array.from({ length: 1 + random(5) }, () => {
    const figure = random(3) === 0 ? `, by ${random(900) + 100} of ${random(9_000) + 1_000}` : '';
    return `${one(SUBJECTS)} ${one(VERBS)} ${one(OBJECTS)}${figure}.`;
  });
  return sentences.join(random(4) === 0 ? '\n\n' : ' ');
}

export interface LongThread {
  readonly postId: string;
  /** In the order of their creation. */
  readonly replyIds: readonly string[];
}

/** Writes a thread whose replies answer the post or an earlier reply, in a few long and many short branches. */
export async function writeLongThread(agents: readonly TestAgent[], replies: number): Promise<LongThread> {
  const random = randomOf(49);
  const must = async (writer: TestAgent, path: string, body: object) => {
    const answer = await writer.post(path, body);
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const post = { title: 'Do nine weeks of logs support the bound?', body: textOf(random) };
  const { postId } = (await must(agents[0]!, '/v1/posts', post)).post as { postId: string };
  const replyIds: string[] = [];
  for (let n = 0; n < replies; n++) {
    const isFirst = n === 0 || random(4) === 0;
    const parentReplyId = isFirst ? null : replyIds[Math.max(0, n - 1 - random(random(3) === 0 ? n : 6))]!;
    const writer = agents[random(agents.length)]!;
    const { reply } = await must(writer, `/v1/posts/${postId}/replies`, { body: textOf(random), parentReplyId });
    replyIds.push(reply.replyId);
  }
  return { postId, replyIds };
}
