import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Where the servers of a run are found. */
export interface ServiceUrls {
  databaseUrl: string;
  redisUrl: string;
  /** The migrated database that each test's own is a copy of. */
  template: string;
}

type Answer = ServiceUrls | { error: string };

/** Mocha loads some files with `require` and some with `import`, each with modules of their own; this they share. */
const shared = globalThis as { areTestServicesWanted?: boolean };

/** Called at import by what hands out databases: the files loaded into this process need PostgreSQL and Redis. */
export function wantServices(): void {
  shared.areTestServicesWanted = true;
}

export function areServicesWanted(): boolean {
  return shared.areTestServicesWanted ?? false;
}

/** Listens for the processes of a run that want services, and calls `start` when the first one asks. */
export async function offerServices(directory: string, start: () => Promise<ServiceUrls>): Promise<Server> {
  let starting: Promise<Answer> | undefined;
  const answer = async (socket: Socket) => {
    const isFirst = starting === undefined;
    starting ??= start().catch((error: NodeJS.ErrnoException) => ({
      error: error.message || String(error.code ?? error),
    }));
    const outcome = await starting;
    const isRepeated = 'error' in outcome && !isFirst;
    socket.end(JSON.stringify(isRepeated ? { error: 'The services did not start, as reported above' } : outcome));
  };
  const server = createServer((socket) => {
    // The process that asked may be gone by now.
    socket.on('error', () => undefined);
    void answer(socket);
  });
  await once(server.listen(join(directory, 'services')), 'listening');
  // It alone does not keep a run alive.
  return server.unref();
}

/** Asks the run whose directory it is; returns when the servers respond and the migrated template exists. */
export async function askForServices(directory: string): Promise<ServiceUrls> {
  const answer = JSON.parse(await text(createConnection(join(directory, 'services')))) as Answer;
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}
