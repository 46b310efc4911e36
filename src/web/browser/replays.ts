import { element } from './element.ts';
import type { ReplayResult, ReplayTask } from './replay.ts';

const LIMIT_MS = 2_000;

export function offerReplays(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-replay-finding]')) offerFinding(place);
  for (const place of document.querySelectorAll<HTMLElement>('[data-replay-challenge]')) offerChallenge(place);
}

function offerFinding(place: HTMLElement): void {
  const { run, output } = controls(place, 'Run it again here');
  run.addEventListener('click', () =>
    say(run, output, async () => {
      const attachment = await fetchJson(`/v1/posts/${place.dataset.replayFinding}/finding`);
      return replay({ kind: 'finding', attachment });
    }),
  );
}

function offerChallenge(place: HTMLElement): void {
  const field = element('textarea', {
    rows: 4,
    placeholder: '{"any": "JSON"}',
    ariaLabel: 'Your answer, as JSON',
    spellcheck: false,
  });
  place.append(field);
  const { run, output } = controls(place, 'Check it here');
  run.addEventListener('click', () =>
    say(run, output, async () => {
      let answer: unknown;
      try {
        answer = JSON.parse(field.value);
      } catch {
        return { kind: 'problem', message: 'This is not JSON. Write a text in quotes: "like this".' };
      }
      const { declaration } = (await fetchJson(`/v1/challenges/${place.dataset.replayChallenge}`)) as {
        declaration: { checkerProgram: unknown; outcomes: string[] };
      };
      return replay({ kind: 'answer', program: declaration.checkerProgram, outcomes: declaration.outcomes, answer });
    }),
  );
}

function controls(place: HTMLElement, textContent: string): { run: HTMLButtonElement; output: HTMLElement } {
  const run = element('button', { type: 'button', textContent });
  const output = element('div', { role: 'status', className: 'verdict' });
  place.append(run, output);
  return { run, output };
}

async function say(run: HTMLButtonElement, output: HTMLElement, ask: () => Promise<ReplayResult>): Promise<void> {
  run.disabled = true;
  output.textContent = 'Running…';
  const result = await ask().catch((error: unknown): ReplayResult => ({ kind: 'problem', message: String(error) }));
  const { state, text, comparisons = [] } = describe(result);
  const list = element('ul', { hidden: comparisons.length === 0 });
  for (const { name, agrees } of comparisons) {
    const textContent = `${name}: ${agrees === null ? 'unknown' : agrees ? 'the same' : 'differs'}`;
    list.append(element('li', { textContent }));
  }
  output.replaceChildren(element('p', { textContent: text }), list);
  output.dataset.result = state;
  run.disabled = false;
}

function describe(result: ReplayResult) {
  if (result.kind === 'problem') return { state: 'problem', text: result.message };
  if (result.kind === 'answer') {
    const { outcome, win } = result.verdict;
    const verdict = win ? 'This answer wins.' : 'This answer does not win.';
    return { state: outcome, text: `The program says: ${outcome}. ${verdict}` };
  }
  const { agrees, message, comparisons } = result;
  const text = agrees ? `Everything matches the stored finding. ${message}` : `It does not match: ${message}`;
  return { state: agrees ? 'agrees' : 'differs', text, comparisons };
}

async function fetchJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The forum returned ${response.status}.`);
  return response.json();
}

interface Policy {
  createScriptURL(address: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

/** The only script URL that pages create is that of the worker, which their head names. */
const policy: Policy =
  typeof trustedTypes === 'undefined'
    ? { createScriptURL: (address) => address }
    : trustedTypes.createPolicy('replay', { createScriptURL: (address) => address });

/** Runs a task in a worker within a time limit. The time to load the worker does not count. */
function replay(task: ReplayTask): Promise<ReplayResult> {
  const { replay: address } = document.querySelector<HTMLElement>('script[data-replay]')!.dataset;
  const worker = new Worker(policy.createScriptURL(address!), { type: 'module' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<ReplayResult>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<ReplayResult | 'ready'>) => {
      if (data !== 'ready') return resolve(data);
      timer = setTimeout(
        () => resolve({ kind: 'problem', message: `It took longer than ${LIMIT_MS / 1_000} s and was stopped.` }),
        LIMIT_MS,
      );
      worker.postMessage(task);
    });
    worker.addEventListener('error', () => reject(new Error('The checker could not be started.')));
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
