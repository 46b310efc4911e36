import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { COMMANDS } from '../../../src/client/commands.ts';
import { ALL_SETTINGS, SECRET_SETTINGS } from '../../../src/settings.ts';
import { fileVariable } from '../../../src/start/envFile.ts';
import { RENEW_DEPLOYMENT } from '../../../src/tools/backup/dump.ts';
import { readRules } from './support/deployment.ts';

/** Of npm start, compose or the shell of the runbook itself. */
const OTHER_VARIABLES = ['GRAFANA_PASSWORD', 'DAY', 'MOMENT', 'NAME', 'PID', 'END', 'AGENT', 'POST', 'GET'];
const TEXTS = ['deploy/RUNBOOK.md', ...['Caddyfile', 'nginx.conf'].map((name) => `deploy/proxy/${name}`)];

describe('the runbook and the files beside it', () => {
  let text: string;
  let runbook: string;
  before(async () => {
    runbook = await readFile('deploy/RUNBOOK.md', 'utf8');
    const units = (await readdir('deploy/systemd')).map((name) => `deploy/systemd/${name}`);
    text = (await Promise.all([...TEXTS, ...units].map((path) => readFile(path, 'utf8')))).join('\n');
  });

  it('names scripts, commands, files and units that are there', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    for (const [, script] of text.matchAll(/npm run ([\w:]+)/g)) assert.ok(script! in scripts, script);
    for (const [, command] of runbook.matchAll(/forum (operator \w+)/g)) assert.ok(command! in COMMANDS, command);
    const paths = text.matchAll(/(?<![\w/.])((?:deploy|src|workers|migrations)\/[\w./-]*\w)/g);
    for (const [, path] of paths) assert.ok(existsSync(path!), path);
    const units = await readdir('deploy/systemd');
    for (const [, unit] of runbook.matchAll(
      /(?<![\w/-])(forum-(?:api|worker|verify|backup|rehearse|pgbackrest)(?:-rehearse|@full|@incr)?(?:\.timer|\.service)?)(?![\w-])/g,
    )) {
      assert.ok(
        units.some((name) => name.startsWith(unit!)),
        unit,
      );
    }
  });

  it('has for containers, which have no TypeScript, the compiled program of each script', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    const rows = [
      ...runbook.matchAll(
        /^\| `npm run ([\w:]+)` +\| `(?:exec|run --rm)(?: --volume \S+)? \w+ node dist\/(\S+)\.js\b/gm,
      ),
    ];
    for (const [, script, program] of rows) assert.equal(scripts[script!], `node --import tsx ${program}.ts`);
    for (const [, program] of runbook.matchAll(/\bdist\/(\S+)\.js\b/g)) assert.ok(existsSync(`${program}.ts`), program);
    const told = [...runbook.matchAll(/^\| `npm run (?:-s )?([\w:]+)`/gm)].map(([, script]) => script!);
    // Of what is not in an image: the build, tests, npm start and its backups.
    const elsewhere = ['build', 'build:client', 'backup', 'restore', 'rehearse', 'test:hosts'];
    const named = new Set([...runbook.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script]) => script!));
    assert.deepEqual([...named].filter((script) => !elsewhere.includes(script)).toSorted(), told.toSorted());
    assert.equal(rows.length, told.length - 1);
  });

  it('names settings that the service has', () => {
    const settings = [...ALL_SETTINGS.map(({ name }) => name), ...SECRET_SETTINGS.map(fileVariable)];
    const known = [...settings, ...OTHER_VARIABLES];
    for (const [, name] of runbook.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)) {
      if (name!.includes('_')) assert.ok(known.includes(name!), name);
    }
    const env = /forum\.env <<'END'\n(.*?)\nEND/s.exec(runbook)![1]!;
    for (const line of env.split('\n')) assert.ok(known.includes(line.split('=')[0]!), line);
  });

  it('names tables, columns and settings that the schema has', async () => {
    const schema = await readFile('migrations/schema.sql', 'utf8');
    for (const [, statement] of runbook.matchAll(/(SELECT [^"`]*? FROM (?:outbox|releases|karma_rules)\b[^"`]*)/g)) {
      const [, columns = '', table = ''] = /^SELECT (.*?) FROM (\w+)/.exec(statement!)!;
      const [definition] = new RegExp(`CREATE TABLE ${table} \\(.*?\\);`, 's').exec(schema)!;
      for (const column of columns.split(', ')) assert.match(definition, new RegExp(`^  ${column} `, 'm'), statement);
    }
    for (const table of ['outbox', 'write_receipts', 'write_evidence', 'posts', 'replies', 'settings']) {
      assert.ok(runbook.includes(table) && schema.includes(`CREATE TABLE ${table} (`), table);
    }
  });

  it('halts the log of what is restored by hand and takes its name, as npm run restore does', () => {
    const [halt] = /UPDATE log_head SET .* FROM log_checkpoint\)/.exec(RENEW_DEPLOYMENT)!;
    const [, ...restores] = runbook.split(`"DELETE FROM settings WHERE name = 'deployment_id'"`);
    assert.equal(restores.length, 2);
    for (const rest of restores) assert.ok(rest.startsWith(` \\\n  -c "${halt}"\n`), rest.slice(0, 200));
  });

  it('leads nowhere else than to its own sections', () => {
    const slug = (title: string) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
    const sections = new Set([...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title]) => slug(title!)));
    for (const [, anchor] of runbook.matchAll(/\]\(#([\w-]+)\)/g)) assert.ok(sections.has(anchor!), anchor);
  });

  it('repeats log lines as the service writes them', async () => {
    const said = [
      'job failed',
      'periodic jobs are delayed',
      'slow statement',
      'fault',
      'was edited',
      'functions of this release missing',
      'settings reloaded',
    ];
    const sources = await Promise.all(
      [
        'workers/worker.ts',
        'workers/outcomeLog.ts',
        'src/api.ts',
        'migrations/hashes.ts',
        'src/ops/schema.ts',
        'src/ops/listener.ts',
        'src/ops/reload.ts',
      ].map((path) => readFile(path, 'utf8')),
    );
    for (const line of said) {
      assert.ok(runbook.includes(line) && sources.some((source) => source.includes(line)), line);
    }
    const mismatch = await readFile('src/features/karma/store.ts', 'utf8');
    assert.match(mismatch, /KARMA_HALF_LIFE_DAYS is \$\{\w+\}, but this ledger was started with/);
  });

  it('has units that start what is there as npm does, and give it longer to stop than it takes', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    const [, giveUpMs] = /STOP_TIMEOUT_MS = ([\d_]+)/.exec(await readFile('src/start/process.ts', 'utf8'))!;
    for (const [name, script] of [
      ['forum-api.service', 'api:built'],
      ['forum-worker@.service', 'worker:built'],
    ] as const) {
      const unit = await readFile(`deploy/systemd/${name}`, 'utf8');
      const setting = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1];
      assert.equal(setting('ExecStart'), `/usr/bin/${scripts[script]}`);
      const program = /^dist\/(.*)\.js$/.exec(setting('ExecStart')!.split(' ').at(-1)!)?.[1];
      assert.ok(existsSync(`${program}.ts`), name);
      assert.ok(Number(setting('TimeoutStopSec')) * 1_000 > Number(giveUpMs!.replaceAll('_', '')), name);
      assert.deepEqual(
        ['NoNewPrivileges', 'ProtectSystem', 'KillMode', 'EnvironmentFile', 'WorkingDirectory'].map(setting),
        ['yes', 'strict', 'mixed', '/etc/forum/forum.env', '/opt/forum/current'],
      );
    }
  });

  it('has units whose programs are there', () => {
    const programs = [...text.matchAll(/^ExecStart=.*\bdist\/(\S+)\.js\b/gm)].map(([, program]) => program!);
    assert.deepEqual([programs.length, programs.filter((program) => !existsSync(`${program}.ts`))], [5, []]);
    for (const [, file] of text.matchAll(/\/opt\/forum\/current\/(deploy\/\S+\w)/g)) assert.ok(existsSync(file!), file);
  });

  it('has units that are all confined alike', async () => {
    const confinement = async (name: string) => {
      const unit = await readFile(`deploy/systemd/${name}`, 'utf8');
      const lines = unit
        .split('\n')
        .filter((line) => /^(NoNew|Protect|Private|Restrict|Lock|RemoveIPC|Capab|SystemCall|UMask)/.test(line));
      return lines.toSorted();
    };
    const expected = await confinement('forum-api.service');
    assert.ok(expected.length > 20);
    for (const name of ['worker@', 'verify', 'backup', 'rehearse'].map((unit) => `forum-${unit}.service`))
      assert.deepEqual(await confinement(name), expected, name);
  });

  it('has proxies that wait longer than the service and keep connections shorter', async () => {
    const server = await readFile('src/http/app.ts', 'utf8');
    const seconds = (name: string) =>
      Number(new RegExp(`${name} = ([\\d_]+)`).exec(server)![1]!.replaceAll('_', '')) / 1_000;
    const caddy = await readFile('deploy/proxy/Caddyfile', 'utf8');
    const nginx = await readFile('deploy/proxy/nginx.conf', 'utf8');
    const figure = (proxy: string, setting: RegExp) => Number(setting.exec(proxy)![1]);
    for (const wait of [figure(caddy, /response_header_timeout (\d+)s/), figure(nginx, /proxy_read_timeout (\d+)s/)]) {
      assert.ok(wait > seconds('REQUEST_TIMEOUT_MS'));
    }
    for (const kept of [figure(caddy, /\bkeepalive (\d+)s/), figure(nginx, /keepalive_timeout (\d+)s/)]) {
      assert.ok(kept < seconds('KEEP_ALIVE_TIMEOUT_MS'));
    }
    assert.match(nginx, /proxy_pass http:\/\/forum;/);
  });

  it('is described in the chapter for operators, alarm by alarm', async () => {
    const chapter = await readFile('src/discovery/docs/operations.md', 'utf8');
    for (const { alert } of await readRules()) assert.ok(chapter.includes(`\`${alert}\``), alert);
  });
});
