/** Answers the parent's questions by name, and reports that the process is ready. */
export function answering(answers: Record<string, (value: never) => unknown>, url?: string): void {
  process.on('message', (message: { question: string; value: unknown }) => {
    const { question, value } = message;
    if (!(question in answers)) return;
    void answer(question, answers[question]!(value as never));
  });
  process.send!({ ready: true, url });
}

/** A rejection is not caught: it ends the process and with it the bench, which prints it. */
async function answer(question: string, value: unknown): Promise<void> {
  process.send!({ answer: question, value: await value });
}

/** The measurements of one run, taken in the process that made the calls. */
export interface Run {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds from sending to the last byte of the answer. */
  readonly median: number;
  readonly percentile99: number;
}

/** Makes every call, `concurrency` at a time. Each worker takes the next index once it has an answer. */
export async function timed(
  calls: number,
  concurrency: number,
  call: (worker: number, index: number) => Promise<void>,
): Promise<Run> {
  const latencies = new Float64Array(calls);
  let next = 0;
  const work = async (worker: number) => {
    while (next < calls) {
      const index = next++;
      const sentAt = performance.now();
      await call(worker, index);
      latencies[index] = performance.now() - sentAt;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  const seconds = (performance.now() - startedAt) / 1_000;
  latencies.sort();
  const percentile = (share: number) => latencies[Math.min(calls - 1, Math.floor(calls * share))]!;
  return { calls, seconds, median: percentile(0.5), percentile99: percentile(0.99) };
}
