import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy to a server: its address stays the same when the server changes. */
export class Way {
  readonly url: string;
  readonly #server: Server;
  readonly #links = new Set<readonly [Socket, Socket]>();
  #target: URL;

  private constructor(url: string, server: Server, target: URL) {
    this.url = url;
    this.#server = server;
    this.#target = target;
  }

  static async to(target: string): Promise<Way> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const own = String((server.address() as AddressInfo).port);
    const url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: own }).href;
    const way = new Way(url, server, new URL(target));
    server.on('connection', (near) => {
      const far = connect(Number(way.#target.port), way.#target.hostname);
      way.#links.add([near, far]);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.pipe(to).on('error', () => undefined);
        from.once('close', () => to.destroy());
      }
    });
    return way;
  }

  /** New connections lead there. Existing ones stay. */
  leadTo(target: string): void {
    this.#target = new URL(target);
  }

  /** Drops everything on existing connections, as if a host had vanished. New connections are not affected. */
  silence(): void {
    for (const [near, far] of this.#links) {
      near.unpipe(far).resume();
      far.unpipe(near).resume();
    }
  }

  close(): void {
    this.#server.close();
    for (const [near] of this.#links) near.destroy();
  }
}
