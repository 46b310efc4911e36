import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordTime } from '../../../src/tools/backup/origin.ts';
import { type ServiceProcess, startProcess } from '../../faults/support/processes.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../../support/database.ts';
import { makeTestDirectory } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';
import { readDashboardExpressions, readRules } from './support/deployment.ts';

/** What Prometheus makes itself, of every process that it asks and of every alarm. */
const OF_PROMETHEUS = { up: ['job', 'instance'], ALERTS: ['alertname', 'alertstate'] };
/** As their projects publish them. */
const OF_EXPORTERS = {
  probe_success: [],
  probe_ssl_earliest_cert_expiry: [],
  ...Object.fromEntries(
    ['avail_bytes', 'size_bytes', 'files_free', 'files'].map((name) => [
      `node_filesystem_${name}`,
      ['device', 'fstype', 'mountpoint'],
    ]),
  ),
  pg_up: [],
  pg_stat_database_numbackends: ['datid', 'datname'],
  pg_settings_max_connections: ['server'],
  pg_replication_slots_pg_wal_lsn_diff: ['slot_name', 'database', 'server'],
  redis_up: [],
  redis_memory_used_bytes: [],
  redis_memory_max_bytes: [],
};
/** Labels that Prometheus adds to what it reads. */
const ADDED_LABELS = ['instance', 'job'];
const KEYWORDS = ['and', 'or', 'unless', 'offset', 'bool'];

type Labels = Map<string, Set<string>>;

/** Metrics, each with the labels that its selectors name. */
function namedIn(expression: string): Labels {
  const named: Labels = new Map();
  const bare = expression
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  for (const [, name = '', selector = ''] of bare.matchAll(/(?<!\w)([a-zA-Z_]\w*)(?!\w|\s*\()(?:\{([^}]*)\})?/g)) {
    if (KEYWORDS.includes(name)) continue;
    const labels = [...selector.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label]) => label!);
    named.set(name, new Set([...(named.get(name) ?? []), ...labels]));
  }
  return named;
}

/** Metrics of an answer, each with the labels that its series have. */
function metricsOf(text: string): Labels {
  const found: Labels = new Map();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!);
    found.set(name, new Set([...(found.get(name) ?? []), ...names]));
  }
  return found;
}

/** Kept for dashboards of others, with another metric in their place. */
const DEPRECATED = ['forum_requests_turned_away'];

describe('what dashboard and alarms name', () => {
  let database: TestDatabase;
  let directory: string;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  const read = async ({ opsUrl }: ServiceProcess) => metricsOf(await (await fetch(`${opsUrl}/metrics`)).text());

  before(async () => {
    database = await createDatabase();
    await recordTime(database.url, 'last_backup_at');
    await recordTime(database.url, 'last_rehearsal_at');
    directory = await makeTestDirectory();
    // Any server does as a replica that is asked: the database itself is never behind.
    const env = {
      DATABASE_URL: database.url,
      DATABASE_READ_URL: database.url,
      REDIS_URL: (await redisForTest()).url,
      BLOCK_LIST_FILE: join(directory, 'blocked'),
    };
    await writeFile(env.BLOCK_LIST_FILE, '203.0.113.0/24 2100-01-01T00:00:00Z spam\n');
    [api, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
    await fetch(`${api.url}/v1/posts`);
  });
  after(async () => {
    await Promise.all([api?.end('SIGTERM'), worker?.end('SIGTERM')]);
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  it('reads metrics and labels out of expressions', () => {
    const named = namedIn(
      'sum by (a) (rate(x_total{b=~"c d",e!=""}[5m])) > 0.01 and on() max_y offset 5m or absent(z == 1)',
    );
    assert.deepEqual(
      [...named].map(([name, labels]) => [name, [...labels]]),
      [
        ['x_total', ['b', 'e']],
        ['max_y', []],
        ['z', []],
      ],
    );
  });

  it('is all there on /metrics of an API and a worker', async () => {
    await eventually(async () => (await read(worker)).has('forum_job_seconds_count'));
    const others = { ...OF_PROMETHEUS, ...OF_EXPORTERS };
    const found = new Map(Object.entries(others).map(([name, labels]) => [name, new Set(labels)]));
    for (const each of [await read(api), await read(worker)]) {
      for (const [name, labels] of each) found.set(name, new Set([...(found.get(name) ?? []), ...labels]));
    }
    const expressions = [...(await readRules()).map(({ expr }) => expr), ...(await readDashboardExpressions())];
    assert.ok(expressions.length > 40);
    for (const expression of expressions) {
      for (const [name, labels] of namedIn(expression)) {
        const there = found.get(name);
        assert.ok(there, `${name}: ${expression}`);
        for (const label of labels) {
          assert.ok(there.has(label) || ADDED_LABELS.includes(label), `${name}{${label}}: ${expression}`);
        }
      }
    }
  });

  it('has no metric of the forum that the dashboard does not show', async () => {
    const shown = new Set((await readDashboardExpressions()).flatMap((expression) => [...namedIn(expression).keys()]));
    for (const each of [await read(api), await read(worker)]) {
      for (const name of [...each.keys()].filter((name) => name.startsWith('forum_') && !DEPRECATED.includes(name))) {
        const parts = [name, name.replace(/_(?:sum|count)$/, '_bucket'), name.replace(/_sum$/, '_count')];
        assert.ok(
          parts.some((part) => shown.has(part)),
          name,
        );
      }
    }
  });

  it('tells each of the processes that share a port', async () => {
    const env = { DATABASE_URL: database.url, REDIS_URL: (await redisForTest()).url, API_PROCESSES: '2' };
    const cluster = await startProcess('api', env);
    try {
      const text = await (await fetch(`${cluster.opsUrl}/metrics`)).text();
      const names = [...text.matchAll(/^forum_build_info\{.*name="([^"]+)",process="api"\} 1$/gm)];
      assert.equal(new Set(names.map(([, name]) => name)).size, 2, text);
      assert.match(text, /^forum_requests_under_way\{kind="read",process="api"\} \d+$/m);
    } finally {
      await cluster.end('SIGTERM');
    }
  });

  it('tells an API from a worker, and each by its name', async () => {
    for (const [process, kind] of [
      [api, 'api'],
      [worker, 'worker'],
    ] as const) {
      const text = await (await fetch(`${process.opsUrl}/metrics`)).text();
      assert.match(text, new RegExp(`^forum_build_info\\{.*name="[^"]+:${process.pid}",process="${kind}"\\} 1$`, 'm'));
      assert.match(
        await (await fetch(process.opsUrl)).text(),
        new RegExp(`<h1>Forum ${kind} [^<]+:${process.pid}</h1>`),
      );
    }
  });
});
