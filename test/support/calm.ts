import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

// A fifth of a run waits for time to pass, so that five files run at a time on two cores: see .mocharc.json. Of those
// that load the machine, or measure what a loaded one cannot, one at a time.

/** Mocha loads some files with `require` and some with `import`, each with modules of their own; this they share. */
const shared = globalThis as { isCalmWanted?: boolean };

/**
 * Called at its top by a file that loads the machine, or measures what a loaded one cannot: no other such file runs
 * beside it.
 */
export function wantCalm(): void {
  shared.isCalmWanted = true;
}

/** Gives the calm to one file at a time, in the order in which they ask. A file has it until its connection ends. */
export async function offerCalm(directory: string): Promise<Server> {
  let queue: Socket[] = [];
  const serve = () => queue[0]?.write('calm');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // A file that gave up while waiting blocks no other.
    socket.once('close', () => {
      const wasServed = queue[0] === socket;
      queue = queue.filter((each) => each !== socket);
      if (wasServed) serve();
    });
    queue.push(socket);
    if (queue.length === 1) serve();
  });
  await once(server.listen(join(directory, 'calm')), 'listening');
  // It alone does not keep a run alive.
  return server.unref();
}

/**
 * Waits for the calm, where a file that was loaded into this process since the last call wants it; `leave` gives it
 * back.
 */
export async function takeCalm(directory: string): Promise<{ leave(): void }> {
  if (!shared.isCalmWanted) return { leave: () => undefined };
  shared.isCalmWanted = false;
  const socket = createConnection(join(directory, 'calm'));
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.unref();
  return { leave: () => socket.destroy() };
}
