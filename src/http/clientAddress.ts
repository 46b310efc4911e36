/**
 * The network address of a caller: the address of its connection, or behind a trusted proxy the last one in `X-Forwarded-For`
 * (docs/operator#running-it). Every address that the service counts by is read here.
 */
import { isIP, SocketAddress } from 'node:net';
import type { Kernel } from '../pipeline/run.ts';
import type { HttpContext } from './operations.ts';

/** What the service knows of a caller when a proxy sends no address: that of the proxy. */
export function clientAddress(
  koa: HttpContext,
  { config, onUnreadableAddress }: Pick<Kernel, 'config' | 'onUnreadableAddress'>,
): string {
  const peer = koa.req.socket.remoteAddress ?? '';
  const forwarded = config.trustProxy ? koa.get('x-forwarded-for').split(',').at(-1)!.trim() : '';
  if (forwarded !== '') {
    const address = canonicalAddress(forwarded);
    if (address !== undefined) return address;
    onUnreadableAddress();
  }
  return canonicalAddress(peer) ?? peer;
}

/**
 * The one spelling of an IP address, without port, brackets or zone: IPv6 as RFC 5952 writes it, an IPv4 address that is mapped into
 * IPv6 as IPv4. Undefined for anything else.
 */
export function canonicalAddress(text: string): string | undefined {
  // Most are: this is asked for every request.
  if (isIP(text) === 4) return text;
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const withoutPort = bracketed ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
  const version = isIP(withoutPort);
  if (version === 0) return undefined;
  if (version === 4) return withoutPort;
  const { address } = new SocketAddress({ address: withoutPort.replace(/%.*$/, ''), family: 'ipv6' });
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
}
