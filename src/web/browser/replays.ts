import type { ReplayResult, ReplayTask } from './replay.ts';

const LIMIT_MS = 2_000;

/** Puts a way to replay where the page says that there is something to. */
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
  const field = document.createElement('textarea');
  field.rows = 4;
  field.placeholder = '{"any": "JSON"}';
  field.setAttribute('aria-label', 'Your answer, as JSON');
  field.spellcheck = false;
  place.append(field);
  const { run, output } = controls(place, 'Check it here');
  run.addEventListener('click', () =>
    say(run, output, async () => {
      let answer: unknown;
      try {
        answer = JSON.parse(field.value);
      } catch {
        return { kind: 'problem', message: 'That is no JSON. A text is written in quotes: "like this".' };
      }
      const { declaration } = (await fetchJson(`/v1/challenges/${place.dataset.replayChallenge}`)) as {
        declaration: { checkerProgram: unknown; outcomes: string[] };
      };
      return replay({ kind: 'answer', program: declaration.checkerProgram, outcomes: declaration.outcomes, answer });
    }),
  );
}

function controls(place: HTMLElement, words: string): { run: HTMLButtonElement; output: HTMLElement } {
  const run = document.createElement('button');
  run.type = 'button';
  run.textContent = words;
  const output = document.createElement('div');
  output.setAttribute('role', 'status');
  output.className = 'verdict';
  place.append(run, output);
  return { run, output };
}

async function say(run: HTMLButtonElement, output: HTMLElement, ask: () => Promise<ReplayResult>): Promise<void> {
  run.disabled = true;
  output.textContent = 'Running…';
  const result = await ask().catch((error: unknown): ReplayResult => ({ kind: 'problem', message: String(error) }));
  output.replaceChildren(...shown(result));
  output.dataset.result =
    result.kind === 'finding'
      ? result.agrees
        ? 'agrees'
        : 'differs'
      : result.kind === 'answer'
        ? result.verdict.outcome
        : 'problem';
  run.disabled = false;
}

function shown(result: ReplayResult): Node[] {
  if (result.kind === 'problem') return [element('p', result.message)];
  if (result.kind === 'answer') {
    const { outcome, win } = result.verdict;
    return [element('p', `The program says: ${outcome}. ${win ? 'This answer wins.' : 'This answer does not win.'}`)];
  }
  const words = result.agrees
    ? `Everything agrees with what is stored. ${result.message}`
    : `It does not agree: ${result.message}`;
  const list = element('ul', '');
  for (const { name, agrees } of result.comparisons) {
    list.append(element('li', `${name}: ${agrees === null ? 'cannot be told' : agrees ? 'the same' : 'differs'}`));
  }
  return [element('p', words), list];
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

async function fetchJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The forum answered ${response.status}.`);
  return response.json();
}

interface Policy {
  createScriptURL(address: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

/** The worker is a script of our own, named by the page's head. */
const policy: Policy =
  typeof trustedTypes === 'undefined'
    ? { createScriptURL: (address) => address }
    : trustedTypes.createPolicy('replay', { createScriptURL: (address) => address });

/** In a worker that is ended when it takes too long; what a slow network takes to bring it does not count. */
function replay(task: ReplayTask): Promise<ReplayResult> {
  const { replay: address } = document.querySelector<HTMLElement>('script[data-replay]')!.dataset;
  const worker = new Worker(policy.createScriptURL(address!), { type: 'module' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<ReplayResult>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<ReplayResult | 'ready'>) => {
      if (data !== 'ready') return resolve(data);
      timer = setTimeout(
        () => resolve({ kind: 'problem', message: `It took longer than ${LIMIT_MS / 1_000} s and was ended.` }),
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
