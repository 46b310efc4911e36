import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml } from './support/deployment.ts';

const WORKFLOWS = '.github/workflows';
const TEMPLATES = '.github/ISSUE_TEMPLATE';

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly uses?: string;
        readonly needs?: string;
        readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
        readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
      }
    >
  >;
}

describe('the workflows for GitHub', () => {
  let workflows: Record<string, Workflow>;
  before(async () => {
    const names = await readdir(WORKFLOWS);
    workflows = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readYaml<Workflow>(join(WORKFLOWS, name))] as const)),
    );
  });

  it('test the oldest supported Node and that of the image', async () => {
    const { node } = workflows['test.yml']!.jobs.test!.strategy!.matrix;
    const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
    const [, image] = /^FROM node:(\d+)/.exec(await readFile('Dockerfile', 'utf8'))!;
    assert.deepEqual([`>=${node[0]}`, node.at(-1)], [engines.node, image]);
  });

  it('pin each action by its major version, and may only read unless a job needs more', () => {
    for (const [name, { permissions, jobs }] of Object.entries(workflows)) {
      assert.deepEqual(permissions, { contents: 'read' }, name);
      for (const { uses, steps = [] } of Object.values(jobs)) {
        if (uses) assert.ok(existsSync(uses), uses);
        for (const step of steps) if (step.uses) assert.match(step.uses, /^[\w-]+\/[\w-]+@(?:release\/)?v\d+$/);
      }
    }
  });

  it('publish only what was tested, and run scripts and files that are there', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    for (const { jobs } of Object.values(workflows)) {
      for (const [name, { needs, steps = [] }] of Object.entries(jobs)) {
        assert.equal(needs, name === 'test' ? undefined : 'test');
        const commands = steps.map(({ run = '' }) => run).join('\n');
        for (const [, script] of commands.matchAll(/npm run ([\w:]+)/g)) assert.ok(script! in scripts, script);
        for (const [path] of commands.matchAll(/(?<![\w/.])(?:src|\.ci)\/[\w./-]+|\b[A-Z]+\.md\b/g))
          assert.ok(existsSync(path), path);
      }
    }
  });

  it('come with forms for issues, whose fields have ids and labels', async () => {
    for (const name of ['bug.yml', 'question.yml']) {
      const form = await readYaml<{
        name: string;
        description: string;
        body: { type: string; id: string; attributes: { label: string } }[];
      }>(join(TEMPLATES, name));
      assert.ok(form.name && form.description && form.body.length > 0, name);
      for (const { type, id, attributes } of form.body)
        if (type !== 'markdown') assert.ok(id && attributes.label, `${name}: ${id}`);
    }
  });
});
