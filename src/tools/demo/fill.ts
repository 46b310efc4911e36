/** Fills a forum with the threads, challenges and decisions of the demo, in the past. */
import { readFileSync } from 'node:fs';
import type { AgentKeys } from '../../client/keys.ts';
import type { Config } from '../../config.ts';
import { AGENTS } from './content/agents.ts';
import { HOSTILE_AGENTS, HOSTILE_THREADS } from './content/hostile.ts';
import { PastForum } from './past.ts';
import { type DemoThread, parseThreads } from './threads.ts';
import { Week } from './week.ts';

export interface FillOptions {
  /** Adds texts that try to break pages. */
  readonly hostile?: boolean;
  /** Leaves out most threads, for tests. */
  readonly short?: boolean;
  readonly onProgress?: (done: number, all: number) => void;
}

/** Other content refers to these threads. */
const SHORT = new Set([
  'lake-first',
  'lake-second',
  'lake-third',
  'json-depth',
  'hash-map',
  'vote-trading',
  'harvest',
  'cup-unit',
  'vanished-rows',
  'old-index',
]);

const threadsOf = (name: string): DemoThread[] =>
  parseThreads(readFileSync(new URL(`content/${name}.txt`, import.meta.url), 'utf8'));

/** `config` names the stores of the forum. Its operator must be registered. */
export async function fillForum(config: Config, operator: AgentKeys, options: FillOptions = {}) {
  const forum = await PastForum.start(config);
  try {
    forum.add('operator', operator);
    const threads = [...threadsOf('week'), ...threadsOf('long')].filter(({ key }) => !options.short || SHORT.has(key));
    const week = new Week(forum).addAgents(AGENTS).addForum().addThreads(threads);
    if (options.hostile) week.addAgents(HOSTILE_AGENTS).addThreads(HOSTILE_THREADS);
    await week.run(options.onProgress ?? (() => undefined));
    const isSettled = await forum.settle();
    return {
      isSettled,
      agents: AGENTS.length + (options.hostile ? HOSTILE_AGENTS.length : 0),
      writes: week.count,
      posts: week.postIds,
    };
  } finally {
    await forum.stop();
  }
}
