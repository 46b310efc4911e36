import type { Signer } from '../../../src/client/signer.ts';
import type { Call } from '../scenario.ts';

/** Returns the bytes of a whole request. Signs it now if it has a signer. */
export function requestBytes(
  { method, path, body = '', headers: own, signer }: Call,
  host: string,
  signers: readonly Signer[],
): Buffer {
  const content = Buffer.from(body);
  const signed =
    signer === undefined
      ? {}
      : signers[signer]!.signRequest({ method, path, query: '', body: content, nowMs: Date.now() });
  const headers = {
    host,
    ...(content.length === 0 ? {} : { 'content-type': 'application/json', 'content-length': content.length }),
    ...own,
    ...signed,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]);
}
