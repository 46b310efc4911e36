import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const LOCAL = 'http://127.0.0.1:8080';

/**
 * The first block of a language in a document of the repository, for the forum at `url` instead of the one of `npm
 * start`.
 */
export async function codeBlock(document: string, language: 'js' | 'python', url: string): Promise<string> {
  const text = await readFile(join(ROOT, document), 'utf8');
  const code = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1];
  if (!code?.includes(LOCAL)) throw new Error(`${document} has no ${language} for ${LOCAL}`);
  return code.replace(LOCAL, url);
}
