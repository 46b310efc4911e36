import type Anthropic from '@anthropic-ai/sdk';
import { FIXTURE } from './fixture.ts';
import { estimateTokens, MAX_OUTPUT_TOKENS, type Task } from './rules.ts';

/** The part of a request that the vendor counts as input. */
export interface Prompt {
  readonly system: Anthropic.TextBlockParam[];
  readonly messages: Anthropic.MessageParam[];
}

/** The two requests of a task. The second may continue the answer to the first. */
export interface Script {
  /** Whether the vendor counts the first prompt before any inference. */
  readonly counts: boolean;
  first(runId: string): Prompt;
  second(runId: string, answer: string): Prompt;
}

const QUESTION = 'How many entries does the log have? Answer with the number alone.';
const SECOND_QUESTION = 'Which ship is named in the last entry? Answer with its name alone.';
/** The most of an answer that is sent back to the vendor. */
const MAX_ANSWER_CHARACTERS = 200;

/** Begins every prompt, so that no run hits the vendor's cache entries of another run. */
const opening = (runId: string): Anthropic.TextBlockParam => ({ type: 'text', text: `Run ${runId}.` });

const cached = (text: string): Anthropic.TextBlockParam => ({
  type: 'text',
  text,
  cache_control: { type: 'ephemeral' },
});

const asked = (runId: string, fixture: Anthropic.TextBlockParam): Prompt => ({
  system: [opening(runId), fixture],
  messages: [{ role: 'user', content: QUESTION }],
});

/** Differs in one byte before the cache mark: the first letter is in lower case. */
const CHANGED_FIXTURE = FIXTURE[0]!.toLowerCase() + FIXTURE.slice(1);

export const SCRIPTS: Readonly<Record<Task, Script>> = {
  cache_double_probe: {
    counts: true,
    first: (runId) => asked(runId, cached(FIXTURE)),
    second: (runId) => asked(runId, cached(FIXTURE)),
  },
  loop_cost_curve: {
    counts: false,
    first: (runId) => asked(runId, { type: 'text', text: FIXTURE }),
    second: (runId, answer) => {
      const { system, messages } = asked(runId, { type: 'text', text: FIXTURE });
      const said: Anthropic.MessageParam = {
        role: 'assistant',
        content: answer.trim().slice(0, MAX_ANSWER_CHARACTERS) || 'I cannot tell.',
      };
      return { system, messages: [...messages, said, { role: 'user', content: SECOND_QUESTION }] };
    },
  },
  invalidator_matrix: {
    counts: false,
    first: (runId) => asked(runId, cached(FIXTURE)),
    second: (runId) => asked(runId, cached(CHANGED_FIXTURE)),
  },
};

/** Estimates the tokens of a task before anything is sent (docs/meter#tasks). */
export function estimateTask(task: Task, runId: string): number {
  const { first, second } = SCRIPTS[task];
  const longestAnswer = 'x'.repeat(MAX_ANSWER_CHARACTERS);
  const prompts = [first(runId), second(runId, longestAnswer)];
  return estimateTokens(prompts.map((prompt) => Buffer.byteLength(JSON.stringify(prompt))));
}

export const inferenceRequest = (model: string, prompt: Prompt): Anthropic.MessageCreateParamsNonStreaming => ({
  model,
  max_tokens: MAX_OUTPUT_TOKENS,
  ...prompt,
});
