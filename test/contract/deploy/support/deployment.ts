import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

const run = promisify(execFile);

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

/** As compose reads it: with merge keys. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

export const readYaml = async <T>(path: string): Promise<T> =>
  load(await readFile(path, 'utf8'), { schema: SCHEMA }) as T;

export async function readRules(): Promise<Rule[]> {
  const { groups } = await readYaml<{ groups: { rules: Rule[] }[] }>('deploy/prometheus/alerts.yml');
  return groups.flatMap(({ rules }) => rules);
}

/** Every expression that a panel of the dashboard asks for. */
export async function readDashboardExpressions(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile('deploy/grafana/dashboards/forum.json', 'utf8'));
  return panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr));
}

/** Runs a tool that not every machine has; undefined where it, or what of it is asked with `probe`, is not there. */
export async function runTool(
  tool: string,
  {
    probe,
    args,
    cwd,
    env,
  }: { probe: readonly string[]; args: readonly string[]; cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<{ failed: boolean; output: string } | undefined> {
  const there = await run(tool, [...probe]).catch(() => undefined);
  if (there === undefined) return undefined;
  try {
    const { stdout, stderr } = await run(tool, [...args], { cwd, ...(env ? { env: { ...process.env, ...env } } : {}) });
    return { failed: false, output: stdout + stderr };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { failed: true, output: stdout + stderr };
  }
}

/** Skips the test, and says of what it did not look at. */
export function skipWithout(test: Mocha.Context, tool: string): never {
  console.log(`      not run: there is no ${tool} here`);
  return test.skip();
}
