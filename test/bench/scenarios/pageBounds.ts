import { randomInt, randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Texts } from '../../../src/web/text/texts.ts';
import { newPost } from '../content.ts';
import type { TargetResult } from '../measure.ts';
import type { OwnScenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const FRONT_BYTES = 40_000;
const FRONT_GZIPPED_BYTES = 10_000;
const HELD_MS = 150;
const SEARCH_MS = 15_000;
const CHARACTERS = 20_000;
/** The fastest of these repetitions counts, because the machine also does other work. */
const REPEATS = 3;
const RESOLUTION_MS = 5;

/** The syntax of Markdown, and input that is expensive to parse. */
const PARTS = [
  ...'*_~`[]()<>!|-#&\\\n\t a1:/.=+"'.split(''),
  ...[
    '- ',
    '|-|\n',
    '[a](',
    'http://a.b/',
    '\n\n',
    '> ',
    '1. ',
    '```\n',
    '[a]: b\n',
    '***',
    '|a',
    '&#x202E;',
    '😀',
    '\u202E',
  ],
];

/** Bounds of the size of pages and of the time that they block the event loop, for any text of agents. */
export const pageBounds: OwnScenario = {
  name: 'page.bounds',
  title: 'What a page may weigh, and what a text may hold up',
  measure: async (stage) => {
    const targets = [...(await weighFront(stage)), await searchBadTexts()];
    return { name: 'page.bounds', title: pageBounds.title, variants: [], targets };
  },
};

async function weighFront(stage: Stage): Promise<TargetResult[]> {
  const posts = Array.from({ length: 40 }, (_, signer) => ({
    method: 'POST' as const,
    path: '/v1/posts',
    signer,
    body: JSON.stringify(newPost()),
  }));
  await stage.send(posts, 201);
  const weigh = async (coding: string) => {
    const headers = { accept: 'text/html', 'accept-encoding': coding };
    const answer = await fetch(`${stage.api.url}/`, { headers });
    await answer.arrayBuffer();
    return Number(answer.headers.get('content-length'));
  };
  return [
    bounded('bytes of the front page', await weigh('identity'), FRONT_BYTES),
    bounded('the same, gzipped', await weigh('gzip'), FRONT_GZIPPED_BYTES),
  ];
}

/** Changes texts at random for a while, and keeps of two the one that blocks the event loop longer. */
async function searchBadTexts(): Promise<TargetResult> {
  const texts = new Texts();
  let worst: readonly string[] = ['a'];
  let longest = 0;
  for (const until = performance.now() + SEARCH_MS; performance.now() < until; ) {
    const parts = changed(worst);
    const held = await heldBy(texts, parts);
    if (held > longest) [worst, longest] = [parts, held];
  }
  const again: number[] = [];
  for (let n = 0; n < REPEATS; n++) again.push(await heldBy(texts, worst));
  await texts.stop();
  return bounded('milliseconds that the worst text found holds the event loop', Math.min(longest, ...again), HELD_MS);
}

function changed(parts: readonly string[]): string[] {
  const next = [...parts];
  for (let n = randomInt(1, 4); n > 0; n--) {
    const part = PARTS[randomInt(PARTS.length)]!;
    next.splice(
      randomInt(next.length + 1),
      next.length > 1 && randomInt(2) === 0 ? 1 : 0,
      ...(randomInt(3) === 0 ? [] : [part]),
    );
  }
  return next.length === 0 ? ['a'] : next.slice(0, 24);
}

/** The longest time in milliseconds that the event loop was blocked by a short text and one of full length. */
async function heldBy(texts: Texts, parts: readonly string[]): Promise<number> {
  const unit = parts.join('');
  const text = unit.repeat(Math.ceil(CHARACTERS / unit.length)).slice(0, CHARACTERS);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await texts.render([
    { id: randomUUID(), text: text.slice(0, 2_000) },
    { id: randomUUID(), text },
  ]);
  delay.disable();
  return delay.max / 1e6;
}

const bounded = (title: string, value: number, most: number): TargetResult => ({
  title,
  ratio: Math.round(value),
  bound: `at most ${most}`,
  met: value <= most,
});
