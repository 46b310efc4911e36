import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { ALL_SETTINGS } from '../../../src/settings.ts';
import { readYaml } from './support/deployment.ts';

const FOLDER = 'deploy/kubernetes';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
}
interface Kustomization extends Resource {
  readonly resources: readonly string[];
  readonly secretGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
}
/** The models of published schemas throw for a resource that is invalid. */
type Models = Record<string, new (resource: Resource) => { validate(): void }>;

const modelsOf = async (apiVersion: string): Promise<Models> =>
  import(
    apiVersion.startsWith('monitoring.coreos.com/')
      ? `@kubernetes-models/prometheus-operator/${apiVersion}`
      : `kubernetes-models/${apiVersion}`
  );

async function validate(resource: Resource): Promise<void> {
  const Model = (await modelsOf(resource.apiVersion))[resource.kind];
  assert.ok(Model, `${resource.apiVersion} has no ${resource.kind}`);
  new Model(resource).validate();
}

describe('the manifests for Kubernetes', () => {
  let kustomization: Kustomization;
  let resources: Resource[];
  before(async () => {
    kustomization = await readYaml<Kustomization>(join(FOLDER, 'kustomization.yaml'));
    const texts = await Promise.all(kustomization.resources.map((file) => readFile(join(FOLDER, file), 'utf8')));
    resources = texts.flatMap((text) => loadAll(text) as Resource[]);
  });

  it('are valid by the published schemas', async () => {
    for (const resource of resources) await validate(resource);
    assert.deepEqual(
      new Set(resources.map(({ kind }) => kind)),
      new Set([
        'Namespace',
        'Job',
        'Deployment',
        'StatefulSet',
        'Service',
        'PodDisruptionBudget',
        'NetworkPolicy',
        'PodMonitor',
      ]),
    );
  });

  it('would be refused with a value of the wrong type', async () => {
    const { spec, ...deployment } = resources.find(({ kind }) => kind === 'Deployment') as Resource & { spec: object };
    await assert.rejects(validate({ ...deployment, spec: { ...spec, replicas: 'two' } } as Resource), /replicas/);
  });

  it('are all in the kustomization', async () => {
    const others = ['forum.env', 'kustomization.yaml'];
    const files = (await readdir(FOLDER)).filter((file) => !others.includes(file));
    assert.deepEqual(files.toSorted(), kustomization.resources.toSorted());
  });

  it('set only settings that exist, and take secrets from files that the kustomization generates', async () => {
    const settings = new Map(ALL_SETTINGS.map((setting) => [setting.name, setting]));
    const secretFiles = kustomization.secretGenerator.flatMap(({ files }) => files.map((file) => file.split('/')[1]!));
    const lines = (await readFile(join(FOLDER, 'forum.env'), 'utf8')).trim().split('\n');
    const ofWorker = (await readFile(join(FOLDER, 'worker.yaml'), 'utf8')).matchAll(/name: ([A-Z_]+), value: (\S+)/g);
    const given = [...lines.map((line) => line.split('=')), ...[...ofWorker].map(([, name, value]) => [name, value])];
    assert.ok(given.length >= 10);
    for (const [name = '', value = ''] of given) {
      if (settings.has(name)) assert.ok(!settings.get(name)!.isSecret, `${name} is a secret`);
      else {
        assert.ok(settings.get(name.replace(/_FILE$/, ''))?.isSecret, `${name} is no setting`);
        assert.ok(
          secretFiles.some((file) => value.endsWith(`/${file}`)),
          value,
        );
      }
    }
  });
});
