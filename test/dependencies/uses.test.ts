import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What code for internal members and patches looks like: `$_terms`, `_flags`, `processID`, a library function that is
 * replaced.
 */
const INTERNAL =
  /\$_\w|\._(?:flags|rules|valids|preferences|events|handle|result|parsers|client|clients|pool|ending|connection)\b|\bprocessID\b|as unknown as \{|\.prototype\.\w+ = |\b(?:Joi|pg|Koa|Redis)\.\w+ = /;

describe('internal members of dependencies', () => {
  it('are used only in src/dependencies', async () => {
    const found: string[] = [];
    for (const folder of ['src', 'workers']) {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (!/\.tsx?$/.test(path) || path.startsWith('src/dependencies/')) continue;
        const lines = (await readFile(path, 'utf8')).split('\n');
        for (const [index, line] of lines.entries()) {
          if (INTERNAL.test(line)) found.push(`${path}:${index + 1} ${line.trim()}`);
        }
      }
    }
    assert.deepEqual(found, []);
  });
});
