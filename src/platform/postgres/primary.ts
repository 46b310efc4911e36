import pg from 'pg';
import { hostUrls } from '../hostUrls.ts';
import { READ_ONLY, sqlState } from './errors.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 1_000;
/** Connections that open together ask once. A primary needs longer to become a standby, and ends its sessions. */
const REMEMBERED_MS = 500;

/** Returns the address of the host that takes writes. The driver takes one host. A single host is not asked. */
export async function primaryUrl(url: string): Promise<string> {
  const urls = hostUrls(url);
  if (urls.length === 1) return url;
  return Promise.any(urls.map(requireWritable)).catch(({ errors }: AggregateError) => {
    // The answer of a server says more than a host that is not reached.
    throw errors.find((error) => sqlState(error) !== undefined) ?? errors[0];
  });
}

/** Finds the address for each new connection, so that connections follow a failover. */
export function currentUrl(url: string): () => Promise<string> {
  let found: Promise<string> | undefined;
  const forget = () => setTimeout(() => (found = undefined), REMEMBERED_MS).unref();
  return () => {
    if (found !== undefined) return found;
    found = primaryUrl(url);
    found.then(forget, forget);
    return found;
  };
}

async function requireWritable(url: string): Promise<string> {
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: ANSWER_TIMEOUT_MS };
  const client = new pg.Client({ connectionString: url, ...timeouts });
  // The statement that waits reports the loss of a connection.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    if (rows[0]!.transaction_read_only === 'off') return url;
    throw Object.assign(new pg.DatabaseError('none of these hosts takes writes', 0, 'error'), { code: READ_ONLY });
  } finally {
    void client.end().catch(() => {});
  }
}
