import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { ALL_SETTINGS } from '../../../src/settings.ts';
import { readYaml, runTool, skipWithout } from './support/deployment.ts';

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly pids_limit?: number;
  readonly mem_limit?: string;
  readonly read_only?: boolean;
  readonly networks: readonly string[];
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart?: string;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}
interface Scrape {
  readonly job_name: string;
  readonly honor_labels: boolean;
  readonly dns_sd_configs: readonly { readonly names: readonly string[]; readonly port: number }[];
}

describe('the compose file', () => {
  let services: Record<string, Service>;
  let volumes: Record<string, unknown>;
  before(async () => {
    ({ services, volumes } = await readYaml<{ services: typeof services; volumes: typeof volumes }>(
      'docker-compose.yml',
    ));
  });

  it('is right, by docker compose config', async function () {
    const args = ['compose', '--profile', 'watch', 'config', '--quiet'];
    const options = { probe: ['compose', 'version'], args };
    const env = { POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r', GRAFANA_PASSWORD: 'g' };
    const result = await runTool('docker', { ...options, env });
    if (result === undefined) return skipWithout(this, 'docker compose');
    assert.ok(!result.failed, result.output);
    const refused = await runTool('docker', { ...options, env: { ...env, POSTGRES_PASSWORD: '' } });
    assert.ok(refused!.failed);
    assert.match(refused!.output, /POSTGRES_PASSWORD/);
  });

  it('has no default for a password', async () => {
    const text = await readFile('docker-compose.yml', 'utf8');
    const passwords = [...text.matchAll(/\$\{(\w+_PASSWORD)([^}]*)\}/g)].map(([, name, rest]) => [
      name,
      rest!.slice(0, 2),
    ]);
    assert.ok(passwords.length >= 6, String(passwords.length));
    // Compose would ask for the last even without its profile: the container itself refuses to start.
    for (const [name, rest] of passwords) assert.equal(rest, name === 'GRAFANA_PASSWORD' ? ':-' : ':?', name);
    assert.match(services.grafana!.entrypoint!.at(-1)!, /-n "\$\$GF_SECURITY_ADMIN_PASSWORD" \] \|\| .*exit 1/);
    const example = await readFile('.env.example', 'utf8');
    for (const [name] of passwords) assert.match(example, new RegExp(`^${name}=$`, 'm'));
  });

  it('limits registrations by the default of the service', () => {
    assert.equal(services.api!.environment!.LIMIT_REGISTRATIONS_PER_ADDRESS, undefined);
  });

  it('confines every container: no capabilities, no new privileges, limits, and files that cannot be written', () => {
    for (const [name, service] of Object.entries(services)) {
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      assert.ok(Number(service.pids_limit) > 0 && service.mem_limit, name);
      // Grafana unpacks plug-ins beside its program.
      assert.equal(service.read_only === true, name !== 'grafana', name);
    }
  });

  it('publishes on the host’s loopback alone, and neither PostgreSQL nor Redis', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    for (const [name, port] of published) assert.match(port!, /^127\.0\.0\.1:\$\{\w+:-\d+\}:\d+$/, name);
    assert.deepEqual(
      published.map(([name, port]) => [name, port!.split(':').at(-1)]),
      [
        ['api', '8080'],
        ['api', '9464'],
        ['worker', '9465'],
        ['prometheus', '9090'],
        ['grafana', '3000'],
      ],
    );
    for (const name of ['postgres', 'redis']) assert.deepEqual(services[name]!.networks, ['services']);
  });

  it('sets what the service knows, and listens for the operator where ports are published', () => {
    const known = ALL_SETTINGS.map(({ name }) => name);
    for (const name of ['migrate', 'api', 'worker']) {
      const { environment = {} } = services[name]!;
      for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), variable);
      const { OPS_HOST, OPS_PORT, WORKER_OPS_PORT } = environment;
      assert.deepEqual([OPS_HOST, OPS_PORT, WORKER_OPS_PORT], ['0.0.0.0', '9464', '9465']);
    }
  });

  it('starts its programs as npm does', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    const image = /^CMD (.*)$/m.exec(await readFile('Dockerfile', 'utf8'))![1]!;
    const commandOf = (name: string) => (services[name]!.command ?? JSON.parse(image)).join(' ');
    for (const name of ['api', 'worker', 'migrate']) assert.equal(commandOf(name), scripts[`${name}:built`]);
  });

  it('checks the health of everything that the forum is made of', () => {
    for (const name of ['postgres', 'redis', 'api', 'worker']) {
      const { healthcheck, restart } = services[name]!;
      assert.ok(healthcheck && restart === 'unless-stopped', name);
    }
    assert.match(services.worker!.healthcheck!.test.at(-1)!, /http:\/\/127\.0\.0\.1:9465\/ready/);
  });

  it('brings Prometheus and Grafana with the profile alone, and finds there what it mounts', async () => {
    const watching = Object.entries(services).filter(([, { profiles = [] }]) => profiles.includes('watch'));
    assert.deepEqual(
      watching.map(([name]) => name),
      ['prometheus', 'grafana'],
    );
    for (const { volumes: mounts = [] } of Object.values(services)) {
      for (const mount of mounts) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('./')) await access(source);
        else assert.ok(source in volumes, source);
      }
    }
    const provider = await readYaml<{ providers: { options: { path: string } }[] }>(
      'deploy/grafana/provisioning/dashboards/forum.yml',
    );
    const { path } = provider.providers[0]!.options;
    assert.ok(services.grafana!.volumes!.includes(`./deploy/grafana/dashboards:${path}:ro`));
  });

  it('is asked by Prometheus where it listens', async () => {
    const { scrape_configs: scrapes } = await readYaml<{ scrape_configs: Scrape[] }>(
      'deploy/prometheus/prometheus.yml',
    );
    for (const [index, [job, service, variable]] of (
      [
        ['forum-api', 'api', 'OPS_PORT'],
        ['forum-worker', 'worker', 'WORKER_OPS_PORT'],
      ] as const
    ).entries()) {
      const {
        job_name: name,
        honor_labels: honored,
        dns_sd_configs: [target],
      } = scrapes[index]!;
      assert.deepEqual([name, honored, target!.names], [job, true, [service]]);
      assert.equal(String(target!.port), services[service]!.environment![variable]);
      assert.ok(services[service]!.networks.includes('outside'));
    }
    const { datasources } = await readYaml<{ datasources: { url: string; uid: string }[] }>(
      'deploy/grafana/provisioning/datasources/prometheus.yml',
    );
    assert.deepEqual([datasources[0]!.url, datasources[0]!.uid], ['http://prometheus:9090', 'prometheus']);
  });
});
