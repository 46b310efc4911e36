/** The result of `work`, or of `late` after the limit. The work continues, and its result is ignored. */
export function withTimeout<T, Late>(work: Promise<T>, limitMs: number, late: () => Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  return Promise.race([work, limit.then(late)]).finally(() => clearTimeout(timer));
}
