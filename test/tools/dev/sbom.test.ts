import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials } from '../../../src/tools/dev/sbom.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const json = async (path: string) => JSON.parse(await readFile(join(ROOT, path), 'utf8'));

describe('the bill of materials', () => {
  it('has what is installed without development dependencies, and nothing else', async () => {
    const { packages } = await json('package-lock.json');
    const { name, version, dependencies, optionalDependencies, scripts } = await json('package.json');
    const bill = billOfMaterials(packages);
    const names = new Set(bill.components.map((component) => component.name));
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
      assert.ok(names.has(needed), needed);
    for (const developing of ['mocha', '@biomejs/biome']) {
      assert.ok(packages[`node_modules/${developing}`]);
      assert.ok(!names.has(developing));
    }
    assert.match(scripts.postbuild, /\bsbom$/);
    assert.equal(bill.metadata.component.purl, `pkg:npm/${name}@${version}`);

    const required = bill.components.filter(({ scope }) => scope === 'required');
    const installed = new Set<string>();
    for (const path of Object.keys(packages).filter((key) => key !== '' && !packages[key].optional)) {
      const { name: found, version: is } = await json(`${path}/package.json`).catch(() => ({}));
      installed.add(`${found}@${is}`);
    }
    for (const one of required) assert.ok(installed.has(`${one.name}@${one.version}`), one.purl);
  });

  it('states hashes and licences of all that is required, and what needs what', async () => {
    const { packages } = await json('package-lock.json');
    const { components, dependencies, metadata } = billOfMaterials(packages);
    for (const { scope, hashes, licenses, purl } of components) {
      if (scope === 'optional') continue;
      assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, purl);
      assert.ok(licenses?.[0]?.expression, purl);
    }
    const known = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
    assert.equal(known.size, components.length + 1);
    assert.deepEqual(new Set(dependencies.map(({ ref }) => ref)), known);
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) assert.ok(known.has(ref), ref);
  });

  it('finds a dependency as Node does: the nearest folder wins', () => {
    const { dependencies } = billOfMaterials({
      '': { name: 'top', version: '1.0.0', dependencies: { a: '1', b: '1' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { '@s/c': '1' } },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/@s/c': { version: '1.0.0', dependencies: { tool: '1' } },
      'node_modules/tool': { version: '1.0.0', dev: true },
    });
    assert.deepEqual(Object.fromEntries(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])), {
      'pkg:npm/top@1.0.0': ['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0'],
      'pkg:npm/a@1.0.0': ['pkg:npm/b@2.0.0'],
      'pkg:npm/b@2.0.0': ['pkg:npm/%40s/c@1.0.0'],
      'pkg:npm/b@1.0.0': [],
      'pkg:npm/%40s/c@1.0.0': [],
    });
  });
});
