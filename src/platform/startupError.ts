/** A mistake of the operator or environment (docs/operations#starting): problem and remedy in one line, no stack. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/** Ends with code 1. Any other error than a `StartupError` is a fault of the program and shows its stack. */
export function exitWith(error: unknown): never {
  console.error(error instanceof StartupError ? error.message : stacksOf(error));
  process.exit(1);
}

/** Lets a program finish its work after the reader of its output has exited, such as `| head`. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Leaves out the properties of errors: drivers store there what they sent, including passwords. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\nbecause of ${stacksOf(error.cause)}`;
}
