import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import nacl from 'tweetnacl';
import { decodeBase64url } from '../../../src/platform/codec/text.ts';
import { bodyHash, canonicalQuery, parseQuery, requestText } from '../../../src/protocol/signing.ts';

export interface Received {
  method: string;
  path: string;
  query: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export type Answer = (request: Received, response: ServerResponse) => void;

/** A server on loopback that records what it is sent and answers as the test says. */
export class RecordingServer {
  readonly received: Received[] = [];
  answer: Answer = (_request, response) => sendJson(response, 200, {});
  private readonly server = createServer((request, response) => {
    void this.handle(request, response);
  });

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (last === undefined) throw new Error('nothing was received');
    return last;
  }

  reset(): void {
    this.received.length = 0;
    this.answer = (_request, response) => sendJson(response, 200, {});
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const body = await buffer(request);
    const received = { method: request.method ?? '', path, query, headers: request.headers, body };
    this.received.push(received);
    this.answer(received, response);
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Checks a signature with the second implementation, from what came over the wire alone. */
export function hasValidSignature(request: Received, publicKey: Uint8Array): boolean {
  const text = requestText({
    method: request.method,
    path: request.path,
    query: canonicalQuery(parseQuery(request.query)!),
    timestamp: String(request.headers['x-svc-timestamp']),
    nonce: String(request.headers['x-svc-nonce']),
    bodyHash: bodyHash(request.body),
  });
  const signature = decodeBase64url(String(request.headers['x-svc-signature']), 64);
  return signature !== null && nacl.sign.detached.verify(Buffer.from(text), signature, publicKey);
}
