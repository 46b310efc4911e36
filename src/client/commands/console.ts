/** `forum operator serve`: starts the console of `src/console` (docs/operator#the-console). */
import { UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { type Command, command } from '../command.ts';

export interface ConsoleOptions {
  readonly client: ForumClient;
  /** The origin of the forum, for links to its pages. */
  readonly forum: string;
  /** 0 is any free port. */
  readonly port: number;
}

export interface RunningConsole {
  /** Its address with the secret that opens it. */
  readonly url: string;
  readonly role: string;
  close(): void;
}

interface ConsoleModule {
  startConsole(options: ConsoleOptions): Promise<RunningConsole>;
}

/**
 * Loaded at run time, because the package has it as one file with its dependencies, which no other command needs. The
 * compiler makes the import rewrite the extension.
 */
const CONSOLE = '../../console/server.ts';
const MAX_PORT = 65_535;

export const serve: Command = command({
  summary: 'serve the console: a page on this machine for reports, feedback, moderators, the meter and sweeps',
  examples: ['forum operator serve', 'forum operator serve --port 8095 --key moderator.json'],
  options: { port: { value: 'PORT', help: 'the port on 127.0.0.1 (default: any free port)' } },
  async run(args) {
    const port = args.integer('port') ?? 0;
    if (port > MAX_PORT) throw new UsageError(`--port is at most ${MAX_PORT}`);
    const { client } = await args.signingClient();
    const { startConsole } = (await import(CONSOLE)) as ConsoleModule;
    const { url, role, close } = await startConsole({ client, forum: args.origin, port }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new UsageError(`--port ${port} is in use: name another one`, { cause: error });
    });
    args.print({ console: url, role });
    await args.untilInterrupted();
    close();
    return undefined;
  },
});
