/** What keeps a program from starting, as one line that says what is wrong and what to do (docs/operations#starting); it is shown without a stack. */
export class CannotStart extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CannotStart';
  }
}

/** Errors whose message is all that somebody needs who starts a program. */
const IN_WORDS = ['CannotStart', 'ConfigError'];

/**
 * Ends this program with code 1: with the message alone where it says what to do, else with the stacks of the error and
 * its causes, because then the program itself is wrong.
 */
export function exitWith(error: unknown): never {
  const isInWords = error instanceof Error && IN_WORDS.includes(error.name);
  console.error(isInWords ? error.message : stacksOf(error));
  process.exit(1);
}

/** Lets a program finish its work when whoever read its output has gone, as `| head` does. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Properties of an error stay out: drivers keep there what they sent, passwords too. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\nbecause of ${stacksOf(error.cause)}`;
}

/** The error of a server that could not listen, in words where they are known. `setting` names the port's variable. */
export function listenFailure(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): Error {
  const place = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new CannotStart(`Cannot listen on ${place}, where another process does: set ${setting} to a free port.`);
  }
  if (error.code === 'EACCES') {
    return new CannotStart(`This user may not listen on ${place}: set ${setting} to a port above 1023.`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new CannotStart(
      `${host} is no address of this machine: set ${setting.replace('WORKER_', '').replace('PORT', 'HOST')}.`,
    );
  }
  return error;
}
