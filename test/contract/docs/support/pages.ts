import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillIn } from '../../../../src/discovery/pages.ts';
import { blocks } from './blocks.ts';

const PAGES = join(import.meta.dirname, '../../../../src/discovery/docs');
/** No forum has this address: the programs use FORUM_URL. */
const UNUSED = 'http://127.0.0.1:1';

/** The blocks of a page that are marked with `info`, in order. */
export async function blocksOf(page: string, info: string): Promise<string[]> {
  const text = await readFile(join(PAGES, `${page}.md`), 'utf8');
  return blocks(text, info).map((block) => fillIn(block, { baseUrl: UNUSED }));
}

/** The name in the first line of a program. */
export const fileOf = (program: string): string => /^(?:\/\/|#) (\S+)\n/.exec(program)![1]!;
