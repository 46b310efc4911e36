import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Account } from '../../../src/tools/dev/account.ts';
import { type OwnServer, startOwnServer } from '../../faults/support/ownServer.ts';
import { eventually } from '../../support/waits.ts';
import { addressesOf, writeDeployed } from './deployed.ts';
import type { Host } from './network.ts';
import { asAccount } from './redis.ts';

const run = promisify(execFile);
const WHOLE_MS = 120_000;
const LOG_END = 2_000;

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

interface Node {
  readonly host: Host;
  readonly directory: string;
  patroni: OwnServer | undefined;
}

/** Three hosts with etcd, Patroni and PostgreSQL, and HAProxy on hosts of the service, all as `deploy/patroni` says. */
export class PatroniCluster {
  /** Names all three hosts. */
  readonly url: string;
  /** Leads through the HAProxy on the same host. */
  readonly proxiedUrl: string;
  readonly #password: string;
  readonly #nodes: readonly Node[];
  readonly #account: Account | undefined;
  readonly #servers: OwnServer[] = [];

  private constructor(password: string, nodes: readonly Node[], account: Account | undefined) {
    this.#password = password;
    this.#nodes = nodes;
    this.#account = account;
    const hosts = nodes.map(({ host }) => `${host.address}:5432`).join(',');
    this.url = `postgres://forum:${password}@${hosts}/forum?target_session_attrs=read-write`;
    this.proxiedUrl = `postgres://forum:${password}@127.0.0.1:5000/forum`;
  }

  static async start(hosts: readonly Host[], directory: string, account: Account | undefined): Promise<PatroniCluster> {
    const nodes = hosts.map((host) => ({ host, directory: join(directory, host.name), patroni: undefined }));
    const cluster = new PatroniCluster(randomBytes(16).toString('hex'), nodes, account);
    try {
      for (const node of nodes) await cluster.#configure(node);
      await Promise.all(nodes.map((node) => cluster.#startEtcd(node)));
      for (const { host } of nodes) await cluster.startAgain(host.name);
      await cluster.whole();
      await cluster.#createDatabase();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The name of the primary's host. Undefined while there is none. */
  async leader(): Promise<string | undefined> {
    return (await this.#members()).find(({ role }) => role === 'leader')?.name;
  }

  /** Waits until all three servers run, and one standby is synchronous. */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const members = await this.#members();
      const roles = members.map(({ role }) => role).sort();
      const runs = members.every(({ state }) => ['running', 'streaming'].includes(state));
      return runs && String(roles) === 'leader,replica,sync_standby';
    };
    await eventually(isWhole, WHOLE_MS, 'a cluster with a synchronous standby').catch(async (error: unknown) => {
      const logs = this.#nodes.map(({ directory }) => readFile(join(directory, 'patroni.log'), 'utf8'));
      const ends = (await Promise.all(logs)).map((log) => log.slice(-LOG_END));
      throw new Error([JSON.stringify(await this.#members()), ...ends].join('\n\n'), { cause: error });
    });
  }

  /** Ends Patroni and PostgreSQL of a host at once, as a crash of the host does. */
  async kill(name: string): Promise<void> {
    await this.#node(name).patroni!.stop();
  }

  async startAgain(name: string): Promise<void> {
    const node = this.#node(name);
    const configuration = join(node.directory, 'config.yml');
    // Each start has process ids of its own, so a process may have the id of the killed server.
    for (const lock of ['data/postmaster.pid', '.s.PGSQL.5432.lock'])
      await rm(join(node.directory, lock), { force: true });
    // The processes of the host end with the first one.
    const alone = ['--pid', '--fork', '--kill-child', '--mount-proc', '--', 'setpriv'];
    const { uid, gid } = this.#account ?? { uid: 0, gid: 0 };
    alone.push(`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--pdeathsig=KILL');
    alone.push('sh', '-c', 'exec patroni "$1" >>patroni.log 2>&1', 'sh', configuration);
    node.patroni = await startOwnServer({
      ...node.host.command('unshare', alone),
      account: undefined,
      detached: true,
      cwd: node.directory,
      env: { HOME: node.directory },
      probe: () => fetch(`http://${node.host.address}:8008/cluster`),
    });
  }

  /** Makes a standby the primary, by command. Resolves when it is. */
  async switchOver(): Promise<void> {
    await this.whole();
    const members = await this.#members();
    const [leader, candidate] = ['leader', 'sync_standby'].map((role) => members.find((each) => each.role === role));
    const { host, directory } = this.#node(leader!.name);
    const names = ['--leader', leader!.name, '--candidate', candidate!.name, '--force'];
    const { file, args } = host.command('patronictl', [
      ...['-c', join(directory, 'config.yml'), 'switchover', 'forum', ...names],
    ]);
    await run(file, args, { cwd: directory });
  }

  /** Starts HAProxy on a host of the service. */
  async startProxy(host: Host, directory: string): Promise<void> {
    const path = join(directory, `${host.name}-haproxy.cfg`);
    await writeDeployed(path, 'patroni/haproxy.cfg', this.#addresses, this.#account);
    const { file, args } = host.command('haproxy', ['-db', '-f', path], asAccount(this.#account));
    const probe = host.command('bash', ['-c', 'exec 3<>/dev/tcp/127.0.0.1/5000']);
    const options = { account: undefined, detached: true, cwd: directory };
    this.#servers.push(await startOwnServer({ ...options, file, args, probe: () => run(probe.file, probe.args) }));
  }

  async stop(): Promise<void> {
    for (const { patroni } of this.#nodes) await patroni?.stop();
    for (const server of this.#servers.splice(0)) await server.stop();
  }

  get #addresses(): Record<string, string> {
    return addressesOf(
      'databases',
      this.#nodes.map(({ host }) => host),
    );
  }

  #node(name: string): Node {
    return this.#nodes.find(({ host }) => host.name === name)!;
  }

  /** As a host that is in the majority sees them. */
  async #members(): Promise<Member[]> {
    const answers = await Promise.allSettled(
      this.#nodes.map(async ({ host }) => {
        const answer = await fetch(`http://${host.address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) });
        return ((await answer.json()) as { members: Member[] }).members;
      }),
    );
    return answers.find((answer) => answer.status === 'fulfilled')?.value ?? [];
  }

  async #configure({ host, directory }: Node): Promise<void> {
    await mkdir(directory, { mode: 0o700 });
    if (this.#account) await chown(directory, this.#account.uid, this.#account.gid);
    // The embedded server has no pg_rewind.
    const version = Math.max(...(await readdir('/usr/lib/postgresql')).map(Number));
    const values = {
      ...this.#addresses,
      ADDRESS: host.address,
      ': NAME': `: ${host.name}`,
      'ETCD_NAME=NAME': `ETCD_NAME=${host.name}`,
      'letters-and-digits': this.#password,
      '/usr/lib/postgresql/17/bin': `/usr/lib/postgresql/${version}/bin`,
      '/var/lib/postgresql/17/forum': join(directory, 'data'),
      '/var/lib/postgresql/patroni.pgpass': join(directory, 'pgpass'),
      '/var/run/postgresql': directory,
      '/var/lib/etcd/forum': join(directory, 'etcd'),
    };
    for (const name of ['config.yml', 'etcd.env'])
      await writeDeployed(join(directory, name), `patroni/${name}`, values, this.#account);
  }

  async #startEtcd({ host, directory }: Node): Promise<void> {
    const lines = (await readFile(join(directory, 'etcd.env'), 'utf8')).split('\n');
    const env = Object.fromEntries(lines.flatMap((line) => (/^[A-Z]/.test(line) ? [line.split(/=(.*)/s)] : [])));
    const server = await startOwnServer({
      ...host.command('etcd', [], asAccount(this.#account)),
      account: undefined,
      detached: true,
      cwd: directory,
      env,
      probe: async () => {
        const { ok, status } = await fetch(`http://${host.address}:2379/health`);
        if (!ok) throw new Error(`etcd is not healthy: ${status}`);
      },
    });
    this.#servers.push(server);
  }

  async #createDatabase(): Promise<void> {
    const leader = this.#node((await this.leader())!).host;
    const client = new pg.Client({
      connectionString: `postgres://postgres:${this.#password}@${leader.address}:5432/postgres`,
    });
    await client.connect();
    try {
      await client.query(`CREATE ROLE forum LOGIN PASSWORD '${this.#password}'`);
      await client.query("CREATE DATABASE forum OWNER forum ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
    } finally {
      await client.end();
    }
  }
}
