import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Headers of one connection, and of a body that `fetch` has decoded. */
const NOT_PASSED = ['connection', 'content-encoding', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];

/** Passes requests to a forum. It can withhold the response to the next reply, after the forum has stored it. */
export class LossyProxy {
  private readonly target: string;
  private readonly server = createServer((request, response) => {
    this.pass(request, response).catch(() => response.destroy());
  });
  private atReply: ((response: ServerResponse) => void) | undefined;

  private constructor(target: string) {
    this.target = target;
  }

  static async start(target: string): Promise<LossyProxy> {
    const proxy = new LossyProxy(target);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes the connection instead of the next response to a reply. */
  loseNextReply(): void {
    this.atReply = (response) => response.destroy();
  }

  /** Never responds to the next reply. Resolves once the forum has stored it. */
  holdNextReply(): Promise<void> {
    return new Promise((resolve) => {
      this.atReply = () => resolve();
    });
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await buffer(request);
    const headers = passed(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const given = await fetch(`${this.target}${url}`, { method, headers, body: body.length > 0 ? body : null });
    const bytes = Buffer.from(await given.arrayBuffer());
    if (this.atReply !== undefined && isReply(method, url, body)) {
      const withhold = this.atReply;
      this.atReply = undefined;
      withhold(response);
      return;
    }
    response.writeHead(given.status, Object.fromEntries(passed([...given.headers]))).end(bytes);
  }
}

const passed = (headers: readonly (readonly [string, string])[]): [string, string][] =>
  headers.flatMap(([name, value]) => (NOT_PASSED.includes(name) ? [] : [[name, value]]));

const isReply = (method: string, url: string, body: Buffer): boolean =>
  method === 'POST' && (url.endsWith('/replies') || body.includes('"name":"create_reply"'));
