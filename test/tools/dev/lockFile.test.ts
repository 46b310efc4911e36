import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

describe('package-lock.json', () => {
  it('has the integrity of every package', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
      packages: Record<string, LockedPackage>;
    };
    const installed = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
    assert.ok(installed.length > 100, String(installed.length));
    const without = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    assert.deepEqual(
      without.map(([path]) => path),
      [],
    );
  });
});
