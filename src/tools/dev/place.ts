import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Account, chooseAccount, enterableDirectory } from './account.ts';

/** Where the servers of a directory have their data, and as whom they run. */
export interface Place {
  directory: string;
  /** Holds data and logs; the account can enter it. */
  home: string;
  cacheDirectory: string;
  account: Account | undefined;
}

export async function choosePlace(options: { directory: string; cacheDirectory?: string }): Promise<Place> {
  const { directory } = options;
  const account = await chooseAccount(directory);
  const home = await enterableDirectory(directory, account);
  const cacheDirectory = await enterableDirectory(resolve(options.cacheDirectory ?? directory), account);
  return { directory, home, cacheDirectory, account };
}

/**
 * A directory that is there, by the name that it has without links: by it a server that runs on it is told from a number that is
 * somebody else's by now.
 */
export const trueName = async (directory: string): Promise<string> => realpath(resolve(directory));

/** Held by whoever starts or stops the servers of a directory, or makes their data. */
export function lockOf(directory: string): string {
  return join(directory, 'services.lock');
}
