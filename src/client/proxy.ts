/** Sends `fetch` through HTTPS_PROXY, HTTP_PROXY and NO_PROXY (docs/client#proxies). Node 20 cannot, so undici does. */
import { ArgumentError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Proxies {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/** The lower-case name comes first, as in curl. */
const settingOf = (env: Environment, name: string): string => env[name.toLowerCase()] || env[name] || '';

export function proxiesOf(env: Environment): Proxies | undefined {
  const httpProxy = addressOf(env, 'HTTP_PROXY');
  const httpsProxy = addressOf(env, 'HTTPS_PROXY');
  return httpProxy || httpsProxy ? { httpProxy, httpsProxy, noProxy: settingOf(env, 'NO_PROXY') } : undefined;
}

/** Accepts `proxy.example:3128` too. The message does not repeat the value, which may hold a password. */
function addressOf(env: Environment, name: string): string {
  const text = settingOf(env, name);
  if (text === '') return '';
  const address = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new ArgumentError(`${name}: the address of an HTTP proxy, such as http://proxy.example:3128`);
}

export function fetchOf(env: Environment = process.env): typeof fetch {
  const proxies = proxiesOf(env);
  // Read at each call, because a program may replace the global `fetch`.
  if (proxies === undefined) return globalThis.fetch;
  let proxied: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    proxied ??= proxiedFetch(proxies);
    return (await proxied)(input, init);
  };
}

async function proxiedFetch(proxies: Proxies): Promise<typeof fetch> {
  const undici = await import('undici');
  // Many proxies refuse a tunnel to port 80, so plain requests use none.
  const dispatcher = new undici.EnvHttpProxyAgent({ ...proxies, proxyTunnel: false });
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return (input, init) => send(input, { ...init, dispatcher });
}
