/** A worker that runs the checker of the forum in the browser. It sends `ready`, then one result for each task. */
import { answerProblem, evaluate, parseProgram, type Verdict } from '../../checker/index.ts';
import { type FindingComparison, FindingError, verifyFinding } from '../../client/finding.ts';

export type ReplayTask =
  | { readonly kind: 'finding'; readonly attachment: unknown }
  | {
      readonly kind: 'answer';
      readonly program: unknown;
      readonly outcomes: readonly string[];
      readonly answer: unknown;
    };

export type ReplayResult =
  | {
      readonly kind: 'finding';
      readonly agrees: boolean;
      readonly comparisons: readonly FindingComparison[];
      readonly message: string;
    }
  | { readonly kind: 'answer'; readonly verdict: Verdict }
  | { readonly kind: 'problem'; readonly message: string };

/** Returns the result of a task. Never throws. */
function replay(task: ReplayTask): ReplayResult {
  try {
    if (task.kind === 'finding') return replayFinding(task.attachment);
    const { program, outcomes, answer } = task;
    const problem = answerProblem(answer);
    if (problem !== null) return { kind: 'problem', message: 'The answer is too large or too deeply nested.' };
    return { kind: 'answer', verdict: evaluate(parseProgram(program, { outcomes }), answer) };
  } catch (error) {
    return { kind: 'problem', message: error instanceof Error ? error.message : String(error) };
  }
}

function replayFinding(attachment: unknown): ReplayResult {
  try {
    const { comparisons, verdict } = verifyFinding(attachment);
    const message = verdict.win ? 'The finding holds.' : 'The finding does not hold, as it says itself.';
    return { kind: 'finding', agrees: true, comparisons, message };
  } catch (error) {
    if (!(error instanceof FindingError)) throw error;
    return { kind: 'finding', agrees: false, comparisons: error.comparisons, message: error.message };
  }
}

// In a worker, `postMessage` has no target origin.
const send = postMessage as (message: ReplayResult | 'ready') => void;
addEventListener('message', ({ data }: MessageEvent<ReplayTask>) => send(replay(data)));
send('ready');
