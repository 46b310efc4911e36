// `npm run sbom [FILE]`: writes the software bill of materials of this package, by default into dist/.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const DEFAULT_PATH = 'dist/sbom.cdx.json';
const MODULES = 'node_modules/';

/** An entry of package-lock.json. Its key is the path of the package, '' for the root. */
interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
type Packages = Readonly<Record<string, LockedPackage>>;

/**
 * CycloneDX without development dependencies. `npm sbom --omit=dev` (npm 11) leaves out packages that those need too.
 */
export function billOfMaterials(packages: Packages) {
  const paths = Object.keys(packages).filter((path) => path !== '' && packages[path]!.dev !== true);
  const all = ['', ...paths];
  // A package that is installed twice in the same version is one component.
  const components = new Map(paths.map((path) => [purlOf(path, packages), component(path, packages)]));
  const needs = new Map(all.map((path) => [purlOf(path, packages), needsOf(path, packages)]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('', packages) },
    components: [...components.values()],
    dependencies: [...needs].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

function component(path: string, packages: Packages) {
  const { version, integrity, license, optional, devOptional } = packages[path]!;
  const purl = purlOf(path, packages);
  return {
    type: path === '' ? 'application' : 'library',
    'bom-ref': purl,
    name: nameOf(path, packages),
    version,
    ...(path === '' ? {} : { scope: optional || devOptional ? 'optional' : 'required' }),
    ...(integrity === undefined ? {} : { hashes: integrity.split(' ').map(hash) }),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl,
  };
}

/** Converts a hash of the lock file: `sha512-` and base64. */
function hash(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-');
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

function nameOf(path: string, packages: Packages): string {
  return packages[path]!.name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length);
}

const purlOf = (path: string, packages: Packages): string =>
  `pkg:npm/${nameOf(path, packages).replace('@', '%40')}@${packages[path]!.version}`;

/**
 * Returns the installed dependencies of a package. Node looks in its own folder first, then in the folders around it.
 */
function needsOf(path: string, packages: Packages): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = packages[path]!;
  const names = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies });
  const found = names.map((name) => foundFrom(path, name, packages)).filter((place) => place !== undefined);
  return [...new Set(found.map((place) => purlOf(place, packages)))].sort((a, b) => (a < b ? -1 : Number(a > b)));
}

function foundFrom(path: string, name: string, packages: Packages): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${MODULES}`)))) {
    const place = folder === '' ? `${MODULES}${name}` : `${folder}/${MODULES}${name}`;
    if (packages[place] && packages[place].dev !== true) return place;
    if (folder === '') return undefined;
  }
}

async function main(path = DEFAULT_PATH): Promise<void> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Packages };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv[2]);
