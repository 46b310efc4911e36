import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

interface Import {
  readonly from: string;
  readonly to: string;
  /** `import type`: gone at run time. */
  readonly isType: boolean;
}

/** The layers below the service: `platform` has what belongs to no folder of its own. */
const PLATFORM = [
  'platform',
  'platform/postgres',
  'platform/redis',
  'platform/codec',
  'platform/crypto',
  'platform/files',
];

/**
 * What each part may import from, beside itself; `root` are the files in src/ that compose the processes, `operations`
 * is the table.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'tools/build': [
    'operations',
    'client',
    'console',
    'discovery',
    'operation',
    'protocol',
    'hints',
    'web',
    'platform',
    'platform/files',
  ],
  root: [
    'http',
    'mcp',
    'protocol',
    'web',
    'discovery',
    'ops',
    'operations',
    'operation',
    'pipeline',
    'recording',
    'features',
    'start',
    ...PLATFORM,
    'config',
  ],
  operations: ['features', 'operation'],
  workers: ['ops', 'operations', 'operation', 'recording', 'features', 'protocol', 'start', ...PLATFORM, 'config'],
  'tools/dev': [
    'tools/build',
    'start',
    'config',
    'client',
    'protocol',
    'migrations',
    'platform',
    'platform/postgres',
    'platform/files',
    'recording',
  ],
  // Runs an API of its own with another clock.
  'tools/demo': ['root', 'config', 'client', 'platform', 'platform/postgres'],
  'tools/backup': [
    'ops',
    'tools/dev',
    'protocol',
    'start',
    'platform',
    'platform/postgres',
    'platform/files',
    'migrations',
  ],
  'tools/export': [
    'operations',
    'operation',
    'pipeline',
    'recording',
    'features',
    'protocol',
    'start',
    ...PLATFORM,
    'config',
    'migrations',
  ],
  http: ['mcp', 'discovery', 'web', 'operation', 'pipeline', 'recording', 'protocol', 'start', ...PLATFORM, 'config'],
  // Pages have no way to data but the reads of the table, which they know as clients do.
  web: ['operation', 'pipeline', 'protocol', 'platform', 'client', 'checker'],
  // In the client's package it is one file, which shares the modules of the client.
  console: ['client', 'web', 'protocol', 'platform/codec'],
  mcp: ['operation', 'pipeline', 'protocol', 'hints', 'platform', 'config'],
  hints: ['protocol', 'platform/codec', 'checker'],
  discovery: [
    'dependencies',
    'operation',
    'pipeline',
    'recording',
    'protocol',
    'start',
    'platform',
    'config',
    'checker',
  ],
  ops: ['recording', 'features', 'protocol', 'hints', 'start', ...PLATFORM, 'config', 'migrations'],
  pipeline: ['operation', 'recording', 'protocol', 'checker', ...PLATFORM, 'config'],
  operation: ['recording', 'protocol', 'checker', 'dependencies', ...PLATFORM, 'config'],
  recording: ['protocol', 'platform', 'platform/postgres'],
  features: ['operation', 'pipeline', 'recording', 'protocol', ...PLATFORM, 'config', 'checker'],
  'platform/postgres': ['platform', 'dependencies'],
  'platform/redis': ['platform'],
  'platform/codec': [],
  'platform/crypto': [],
  'platform/files': [],
  platform: [],
  protocol: ['platform/codec', 'platform/crypto'],
  checker: [],
  dependencies: [],
  client: ['protocol', 'hints', 'platform/codec', 'platform/crypto', 'platform/files', 'checker'],
  config: ['protocol', 'start', 'platform', 'dependencies'],
  start: ['platform', 'platform/postgres'],
  migrations: ['start', 'platform', 'platform/postgres', 'config'],
};

/** Deeper features further down. Equals never import each other; each may import whatever is deeper. */
const FEATURE_LEVELS = [
  // Proofs of what every other one writes.
  ['log'],
  ['overview', 'reconcile'],
  // Briefing, pulse and greeting show a little of each.
  ['governance/moderation', 'history', 'inbox', 'watches'],
  ['governance/proposals', 'votes', 'questions', 'challenges', 'feedback', 'search', 'mutes'],
  ['replies'],
  ['posts'],
  ['governance/amendments', 'communities', 'findings', 'meter'],
  ['agents'],
  ['karma'],
];
/** All that features import from the pipeline that runs them; of `authenticate.ts` types alone. */
const PIPELINE_FOR_FEATURES = ['src/pipeline/authenticate.ts', 'src/pipeline/admission.ts'];

/** What other folders may import from search; the rest is behind `searchIndex.ts`. */
const SEARCH_INTERFACE = ['operations', 'rules', 'schemas', 'searchIndex'].map(
  (name) => `src/features/search/${name}.ts`,
);

const partOf = (file: string): string => {
  const [top = '', second = '', third = ''] = file.split('/');
  if (top !== 'src') return top;
  if (second === 'config.ts' || second === 'settings.ts') return 'config';
  if (second === 'operations.ts') return 'operations';
  if (second === 'platform' && !third.endsWith('.ts')) return `platform/${third}`;
  if (second === 'tools') return `tools/${third}`;
  return second.endsWith('.ts') ? 'root' : second;
};
const featureOf = (file: string): string | undefined => /^src\/features\/((?:governance\/)?[^/]+)\//.exec(file)?.[1];
const levelOf = (feature: string): number => FEATURE_LEVELS.findIndex((level) => level.includes(feature));

async function sourceFiles(directory: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, directory), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).split(sep).join('/'));
}

/** With `to` a file of this repository, or the name of a package. */
async function importsOf(file: string): Promise<Import[]> {
  const text = await readFile(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, type, specifier, dynamic]) => {
    const target = (specifier ?? dynamic)!;
    const path = normalize(join(dirname(file), target));
    const to = target.startsWith('.') ? path.split(sep).join('/') : target;
    return { from: file, to, isType: type !== undefined };
  });
}

/** Everything that the files under `start` lead to, types too: a package's declarations need them. */
function reachable(imports: readonly Import[], start: string): ReadonlySet<string> {
  const found = new Set(imports.map(({ from }) => from).filter((file) => file.startsWith(start)));
  for (const file of found) for (const { from, to } of imports) if (from === file) found.add(to);
  return found;
}

/** Why an import is not allowed, or undefined. */
function problemOf({ from, to, isType }: Import): string | undefined {
  const [part, target] = [partOf(from), partOf(to)];
  if (part !== target && !ALLOWED[part]?.includes(target)) return `${part} may not import ${target}`;
  const isSearch = (file: string) => file.startsWith('src/features/search/');
  if (isSearch(to) && !isSearch(from) && !SEARCH_INTERFACE.includes(to)) return `${to} is internal to search`;
  if (part === 'features') return problemOfFeature(from, to, isType);
  if (part === 'web') return problemOfWeb(from, to, isType);
  return undefined;
}

/**
 * The site reads only through `execute`, and imports types from the client. Only scripts for the browser import its
 * code.
 */
function problemOfWeb(from: string, to: string, isType: boolean): string | undefined {
  const isBrowser = from.startsWith('src/web/browser/');
  if (to.startsWith('src/web/browser/') !== isBrowser && to.startsWith('src/web/'))
    return 'scripts for the browser and pages do not import each other';
  if (to.startsWith('src/client/') && !isBrowser && !isType) return 'the site imports only types from the client';
  if (to.startsWith('src/pipeline/') && !isType && to !== 'src/pipeline/execute.ts')
    return 'the site reads through execute';
  return undefined;
}

function problemOfFeature(from: string, to: string, isType: boolean): string | undefined {
  const isRules = from.endsWith('/rules.ts');
  if (isRules && !to.endsWith('/rules.ts') && !to.startsWith('src/protocol/')) {
    return 'rules are pure: they import rules and protocol alone';
  }
  if (to.startsWith('src/pipeline/')) {
    const isAllowed = PIPELINE_FOR_FEATURES.includes(to) && (isType || !to.endsWith('/authenticate.ts'));
    return isAllowed ? undefined : `features may not import ${to}`;
  }
  const [feature, target] = [featureOf(from), featureOf(to)];
  if (!feature || !target || feature === target) return undefined;
  if (levelOf(feature) === -1) return `the feature ${feature} has no level`;
  if (levelOf(target) <= levelOf(feature)) return `${feature} is no higher than ${target}`;
  return to.endsWith('/store.ts') ? "another feature's store" : undefined;
}

/** A circle of files through imports that exist at run time, or undefined. */
function findCircle(imports: readonly Import[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { from, to, isType } of imports) if (!isType) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of targets.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}

describe('imports', () => {
  /** Of everything, and of this repository's own files. */
  let all: Import[];
  let imports: Import[];
  before(async () => {
    const files = (await Promise.all(['src', 'workers', 'migrations'].map(sourceFiles))).flat();
    all = (await Promise.all(files.map(importsOf))).flat();
    const known = new Set(files);
    imports = all.filter(({ to }) => known.has(to) || to.startsWith('src/'));
  });

  it('are found', () => {
    const pairs = imports.map(({ from, to }) => `${from} → ${to}`);
    assert.ok(pairs.includes('src/pipeline/execute.ts → src/pipeline/authenticate.ts'));
    assert.ok(pairs.includes('src/http/app.ts → src/http/operations.ts'));
    assert.ok(imports.length > 100);
  });

  it('go in one direction', () => {
    const problems = imports.flatMap((found) => {
      const problem = problemOf(found);
      return problem ? `${found.from} → ${found.to}: ${problem}` : [];
    });
    assert.deepEqual(problems, []);
  });

  it('make no circle at run time', () => {
    assert.equal(findCircle(imports)?.join(' → '), undefined);
  });

  it('of the client lead to nothing but what its own manifest names', async () => {
    const manifest = await readFile(join(ROOT, 'src/client/package.json'), 'utf8');
    const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
    const packages = (start: string) =>
      [...reachable(all, start)].filter((name) => !name.endsWith('.ts') && !name.startsWith('node:')).toSorted();
    assert.deepEqual(packages('src/client/'), Object.keys(dependencies));
    const service = packages('');
    for (const name of ['koa', 'knex', 'pg', 'ioredis', 'bullmq', 'joi', 'pino']) {
      assert.ok(service.includes(name), `${name} would not be found`);
    }
  });

  it('of the wrong kind would be found', () => {
    const wrong: [string, string, boolean?][] = [
      ['src/platform/postgres/clock.ts', 'src/operation/errors.ts'],
      ['src/pipeline/execute.ts', 'src/features/posts/service.ts'],
      ['src/pipeline/execute.ts', 'src/http/app.ts'],
      ['src/pipeline/execute.ts', 'src/operations.ts'],
      ['src/operation/operation.ts', 'src/pipeline/run.ts', true],
      ['src/recording/effect.ts', 'src/operation/operation.ts', true],
      ['src/features/posts/service.ts', 'src/operations.ts'],
      ['src/ops/searchIndex.ts', 'src/features/search/databases.ts'],
      ['src/operations.ts', 'src/http/app.ts'],
      ['src/client/types.ts', 'src/operations.ts', true],
      ['src/client/operations.ts', 'src/tools/build/clientSource.ts', true],
      ['src/operation/jsonSchema.ts', 'src/tools/build/typeWriter.ts'],
      ['src/features/posts/service.ts', 'src/pipeline/execute.ts'],
      ['src/features/posts/service.ts', 'src/pipeline/authenticate.ts'],
      ['src/features/posts/service.ts', 'src/features/agents/store.ts'],
      ['src/features/agents/service.ts', 'src/features/posts/service.ts', true],
      ['src/features/meter/service.ts', 'src/features/communities/service.ts'],
      ['src/features/posts/rules.ts', 'src/platform/codec/text.ts'],
      ['src/checker/index.ts', 'src/platform/codec/text.ts'],
      ['src/client/keys.ts', 'src/operation/errors.ts'],
      ['src/client/keys.ts', 'src/pipeline/admission.ts'],
      ['src/client/keys.ts', 'src/platform/threadPool.ts'],
      ['src/protocol/ids.ts', 'src/platform/postgres/statement.ts'],
      ['src/platform/codec/text.ts', 'src/protocol/ids.ts'],
      ['src/platform/postgres/postgres.ts', 'src/platform/redis/redis.ts'],
      ['src/platform/log.ts', 'src/platform/postgres/postgres.ts'],
      ['src/platform/redis/redis.ts', 'src/start/envFile.ts'],
      ['src/start/startFailure.ts', 'src/ops/schema.ts'],
      ['src/features/governance/amendments/service.ts', 'src/features/governance/moderation/reports.ts'],
      ['src/features/governance/amendments/outcomes.ts', 'src/features/posts/service.ts'],
      ['src/features/governance/moderation/service.ts', 'src/features/governance/amendments/store.ts'],
      ['migrations/run.ts', 'src/operation/errors.ts'],
      ['src/features/novelty/service.ts', 'src/features/posts/service.ts'],
      ['src/web/site.ts', 'src/features/posts/store.ts'],
      ['src/web/pages/front.tsx', 'src/features/posts/schemas.ts', true],
      ['src/web/reading.ts', 'src/platform/postgres/postgres.ts', true],
      ['src/web/reading.ts', 'src/pipeline/read.ts'],
      ['src/web/page.ts', 'src/client/operations.ts'],
      ['src/web/site.ts', 'src/http/app.ts'],
      ['src/web/view/layout.tsx', 'src/web/browser/keys.ts'],
    ];
    for (const [from, to, isType = false] of wrong) assert.notEqual(problemOf({ from, to, isType }), undefined, from);
    const circle = findCircle([
      { from: 'a', to: 'b', isType: false },
      { from: 'b', to: 'c', isType: false },
      { from: 'c', to: 'a', isType: false },
    ]);
    assert.deepEqual(circle, ['a', 'b', 'c', 'a']);
  });
});
