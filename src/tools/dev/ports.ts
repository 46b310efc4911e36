import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral ports, so that no outgoing connection takes the port of a server while it restarts. */
const RANGE = { from: 20_000, to: 32_000 };
const TRIES = 100;

export async function isPortFree(port: number): Promise<boolean> {
  return (await listenProblem(port, '127.0.0.1')) === undefined;
}

export async function listenProblem(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Returns the first free preferred port on 127.0.0.1, else any free port. */
export async function chooseFreePort(preferred: readonly number[]): Promise<number> {
  const others = Array.from({ length: TRIES }, () => randomInt(RANGE.from, RANGE.to));
  for (const port of [...preferred, ...others]) {
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port on 127.0.0.1 between ${RANGE.from} and ${RANGE.to}`);
}
