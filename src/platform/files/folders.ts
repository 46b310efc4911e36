import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder and its parents. `recursive` of Node's mkdir never ends in a folder such as /proc. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await makeFolder(above, mode);
  await mkdir(path, { mode }).catch(async (error: unknown) => {
    // Another process was faster.
    if (!(await isFolder(path))) throw error;
  });
}

/** True for the error of a file or folder that this user may not change. */
export const isForbidden = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
