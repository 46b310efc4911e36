import { chown, readFile, writeFile } from 'node:fs/promises';
import type { Account } from '../../../src/tools/dev/account.ts';

/** The addresses in the examples of `deploy`. */
const EXAMPLE_ADDRESSES = { databases: '192.0.2.11', redis: '192.0.2.21' };

/** Writes a file of `deploy` for one host, with the addresses, passwords and paths of this test. */
export async function writeDeployed(
  target: string,
  source: string,
  values: Readonly<Record<string, string>>,
  account: Account | undefined,
): Promise<void> {
  let text = await readFile(`deploy/${source}`, 'utf8');
  for (const [example, value] of Object.entries(values)) text = text.replaceAll(example, value);
  await writeFile(target, text, { mode: 0o600 });
  if (account) await chown(target, account.uid, account.gid);
}

/** The addresses of the examples, each with the address of a host. */
export const addressesOf = (
  kind: keyof typeof EXAMPLE_ADDRESSES,
  hosts: readonly { readonly address: string }[],
): Record<string, string> => {
  const [, network, first] = /^(.*\.)(\d+)$/.exec(EXAMPLE_ADDRESSES[kind])!;
  return Object.fromEntries(hosts.map(({ address }, index) => [`${network}${Number(first) + index}`, address]));
};
