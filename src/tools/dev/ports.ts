import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: none of those can take the port of a server while it
 * restarts, and a client that calls while it is away cannot be connected to itself.
 */
const range = { from: 20_000, to: 32_000 };
const tries = 100;

/** Whether a TCP port on 127.0.0.1 can be listened on right now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenProblem(port, '127.0.0.1')) === undefined;
}

/** Why a TCP port cannot be listened on right now; undefined where it can. */
export async function listenProblem(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** The first free one of the preferred ports on 127.0.0.1, else any free one. Throws when there is none. */
export async function chooseFreePort(preferred: readonly number[]): Promise<number> {
  const others = Array.from({ length: tries }, () => randomInt(range.from, range.to));
  for (const port of [...preferred, ...others]) {
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port on 127.0.0.1 between ${range.from} and ${range.to}`);
}
