import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

// A fifth of a run waits for time to pass, so that three files run at a time on two cores (four take no less); but a storm that must not be
// refused, or what is measured, is given no more company than one.

const SEATS = 3;
const SEATS_OF_HEAVY = 2;

/** Mocha loads some files with `require` and some with `import`, each with modules of their own; this they share. */
const shared = globalThis as { isTestFileHeavy?: boolean };

/** Called at its top by a file that loads the machine, or measures what a loaded one cannot: at most one other runs beside it. */
export function wantCalm(): void {
  shared.isTestFileHeavy = true;
}

/**
 * Seats the files of a run in the order in which they ask, but that others go before a heavy one that waits for another heavy one.
 * A file has its seats until its connection ends.
 */
export async function offerSeats(directory: string): Promise<Server> {
  let free = SEATS;
  let isHeavySeated = false;
  let waiting: { socket: Socket; seats: number }[] = [];
  const seat = () => {
    for (const next of waiting) {
      const { socket, seats } = next;
      const isHeavy = seats === SEATS_OF_HEAVY;
      if (isHeavy && isHeavySeated) continue;
      if (seats > free) return;
      waiting = waiting.filter((each) => each !== next);
      free -= seats;
      isHeavySeated ||= isHeavy;
      socket.once('close', () => {
        free += seats;
        if (isHeavy) isHeavySeated = false;
        seat();
      });
      socket.write('seated');
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (wish) => {
      waiting.push({ socket, seats: Number(wish) });
      seat();
    });
    // Whoever gave up while waiting holds up nobody.
    socket.once('close', () => {
      waiting = waiting.filter((each) => each.socket !== socket);
      seat();
    });
  });
  await once(server.listen(join(directory, 'seats')), 'listening');
  // It alone does not keep a run alive.
  return server.unref();
}

/** Waits for the seats of the files that were loaded into this process since the last call; `leave` gives them back. */
export async function takeSeats(directory: string): Promise<{ leave(): void }> {
  const seats = shared.isTestFileHeavy ? SEATS_OF_HEAVY : 1;
  shared.isTestFileHeavy = false;
  const socket = createConnection(join(directory, 'seats'));
  socket.on('error', () => undefined);
  socket.write(String(seats));
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.unref();
  return { leave: () => socket.destroy() };
}
