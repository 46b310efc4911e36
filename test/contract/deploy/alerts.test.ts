import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { readRules, readYaml, runTool, skipWithout } from './support/deployment.ts';

const DIRECTORY = 'deploy/prometheus';

interface RuleTest {
  readonly name: string;
  readonly promql_expr_test: readonly { readonly expr: string; readonly exp_samples: readonly unknown[] }[];
}

describe('the alarms', () => {
  it('fire and clear, each of them, by promtool', async function () {
    const result = await runTool('promtool', {
      probe: ['--version'],
      args: ['test', 'rules', 'alerts.test.yml'],
      cwd: DIRECTORY,
    });
    if (result === undefined) return skipWithout(this, 'promtool');
    assert.ok(!result.failed, result.output);
  });

  it('are read by configurations that are right, by promtool', async function () {
    const args = ['check', 'config', 'prometheus.yml', 'host.yml'];
    const result = await runTool('promtool', { probe: ['--version'], args, cwd: DIRECTORY });
    if (result === undefined) return skipWithout(this, 'promtool');
    assert.ok(!result.failed, result.output);
  });

  it('have a test each that shows them quiet, firing and cleared', async () => {
    const { tests } = await readYaml<{ tests: RuleTest[] }>(`${DIRECTORY}/alerts.test.yml`);
    const shown = new Set<string>();
    for (const { name, promql_expr_test: looks } of tests) {
      const alert = name.split(',')[0]!;
      assert.deepEqual(
        looks.map(({ expr, exp_samples: samples }) => [expr, samples.length]),
        [0, 1, 0].map((samples) => [`count(ALERTS{alertname="${alert}",alertstate="firing"})`, samples]),
      );
      shown.add(alert);
    }
    const names = (await readRules()).map(({ alert }) => alert);
    assert.deepEqual([...shown].sort(), names.sort());
  });

  it('say what they mean and have a section of the runbook', async () => {
    const runbook = await readFile('deploy/RUNBOOK.md', 'utf8');
    const sections = [...runbook.matchAll(/^### (Forum\w+)$/gm)].map(([, name]) => name!);
    const rules = await readRules();
    assert.deepEqual(sections.sort(), rules.map(({ alert }) => alert).sort());
    for (const { alert, labels, annotations } of rules) {
      assert.equal(annotations.runbook, `deploy/RUNBOOK.md#${alert.toLowerCase()}`);
      assert.match(annotations.summary, /\.$/);
      assert.ok(['page', 'ticket'].includes(labels.severity!), alert);
    }
  });
});
