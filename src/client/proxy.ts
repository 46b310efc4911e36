/**
 * `fetch` through the proxy that the environment names (docs/client#proxies): HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case.
 * Node 20 has no such `fetch`, so undici's is loaded, only where a proxy is named.
 */
import { ArgumentError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Proxies {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/** The lower-case name first, as curl has it. */
const settingOf = (env: Environment, name: string): string => env[name.toLowerCase()] || env[name] || '';

/** The proxies that the environment names; undefined for none. Throws ArgumentError for what is no address. */
export function proxiesOf(env: Environment): Proxies | undefined {
  const httpProxy = addressOf(env, 'HTTP_PROXY');
  const httpsProxy = addressOf(env, 'HTTPS_PROXY');
  return httpProxy || httpsProxy ? { httpProxy, httpsProxy, noProxy: settingOf(env, 'NO_PROXY') } : undefined;
}

/** Many write `proxy.example:3128` alone. The message does not repeat it: it may hold a password. */
function addressOf(env: Environment, name: string): string {
  const text = settingOf(env, name);
  if (text === '') return '';
  const address = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new ArgumentError(`${name}: the address of an HTTP proxy, such as http://proxy.example:3128`);
}

/** The global `fetch`, or where the environment names proxies one that goes through them. */
export function fetchOf(env: Environment = process.env): typeof fetch {
  const proxies = proxiesOf(env);
  // As it is now: a program may put the function that calls this one in its place.
  if (proxies === undefined) return globalThis.fetch;
  let proxied: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    proxied ??= proxiedFetch(proxies);
    return (await proxied)(input, init);
  };
}

async function proxiedFetch(proxies: Proxies): Promise<typeof fetch> {
  const undici = await import('undici');
  // Plain requests are passed on by the proxy as they are; a tunnel to port 80 is what many proxies refuse.
  const dispatcher = new undici.EnvHttpProxyAgent({ ...proxies, proxyTunnel: false });
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return (input, init) => send(input, { ...init, dispatcher });
}
