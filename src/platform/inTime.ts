const LATE = Symbol();

/** What the work answers, or after so long what `late` answers or throws; the work goes on, and nobody hears how it ends. */
export async function inTime<T, Late>(work: Promise<T>, limitMs: number, late: () => Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, limitMs, LATE);
  });
  const first = await Promise.race([work, limit]).finally(() => clearTimeout(timer));
  return first === LATE ? late() : first;
}
