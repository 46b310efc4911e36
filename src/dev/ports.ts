import { createServer } from 'node:net';

/** Whether a TCP port on a local address can be listened on right now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenBriefly(port, host)) !== undefined;
}

/** The first free one of the preferred ports on 127.0.0.1, else any free one. */
export async function chooseFreePort(preferred: readonly number[]): Promise<number> {
  for (const port of preferred) {
    if (await isPortFree(port)) return port;
  }
  const port = await listenBriefly(0, '127.0.0.1');
  if (port === undefined) throw new Error('No free port on 127.0.0.1');
  return port;
}

async function listenBriefly(port: number, host: string): Promise<number | undefined> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}
