import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Account } from '../../../src/tools/dev/account.ts';
import { type OwnServer, startOwnServer } from '../../faults/support/ownServer.ts';
import { eventually } from '../../support/waits.ts';
import { addressesOf, writeDeployed } from './deployed.ts';
import type { Host } from './network.ts';
import { asAccount, makeCertificates } from './redis.ts';

interface Node {
  readonly host: Host;
  readonly directory: string;
  readonly sentinel: Redis;
  servers: OwnServer[];
}

/** Three hosts, each with a Redis and a Sentinel as `deploy/redis` says, and with TLS. */
export class SentinelRedis {
  readonly url: string;
  /** The certificate of the authority that signed the certificates. */
  readonly authority: string;
  readonly #nodes: readonly Node[];
  readonly #account: Account | undefined;
  readonly #client: (port: number, host: Host) => Redis;

  private constructor(
    parts: { password: string; authority: string; certificate: Buffer; account: Account | undefined },
    hosts: readonly Host[],
    directory: string,
  ) {
    const { password, authority, certificate, account } = parts;
    this.authority = authority;
    this.#account = account;
    this.#client = (port, host) => {
      const tls = { ca: certificate };
      const options = { host: host.address, port, password, tls, maxRetriesPerRequest: 0, retryStrategy: () => 100 };
      return new Redis(options).on('error', () => {});
    };
    const client = this.#client;
    this.#nodes = hosts.map((host) => {
      return { host, directory: join(directory, host.name), sentinel: client(26_379, host), servers: [] };
    });
    const addresses = hosts.map(({ address }) => `${address}:26379`).join(',');
    this.url = `rediss+sentinel://:${password}@${addresses}/forum/0`;
  }

  static async start(hosts: readonly Host[], directory: string, account: Account | undefined): Promise<SentinelRedis> {
    const password = randomBytes(16).toString('hex');
    const authority = await makeCertificates(hosts, directory, account);
    const certificate = await readFile(authority);
    const redis = new SentinelRedis({ password, authority, certificate, account }, hosts, directory);
    const tls = [
      ...['tls-replication yes', 'tls-auth-clients no', `tls-ca-cert-file ${authority}`],
      `tls-cert-file ${join(directory, 'redis.crt')}`,
      `tls-key-file ${join(directory, 'redis.key')}`,
    ];
    try {
      for (const [index, node] of redis.#nodes.entries()) {
        const { host, directory: home } = node;
        await mkdir(home, { mode: 0o700 });
        if (account) await chown(home, account.uid, account.gid);
        const own = { ADDRESS: host.address, 'letters-and-digits': password, '/var/lib/redis': home };
        const values = { ...addressesOf('redis', hosts), ...own };
        // The first master follows none. With TLS no other port is open.
        const server = { ...values, ...(index === 0 ? { '\nreplicaof ': '\n# ' } : {}) };
        await writeDeployed(join(home, 'redis.conf'), 'redis/redis.conf', server, account);
        const sentinel = { ...values, '\nport 26379': '\nport 0\ntls-port 26379' };
        await writeDeployed(join(home, 'sentinel.conf'), 'redis/sentinel.conf', sentinel, account);
        const lines = ['port 0', 'tls-port 6379', `dir ${home}`, ...tls];
        await appendFile(join(home, 'redis.conf'), `${lines.join('\n')}\n`);
        await appendFile(join(home, 'sentinel.conf'), `${tls.join('\n')}\n`);
        await redis.startAgain(host.name);
      }
      await redis.whole();
    } catch (error) {
      await redis.stop();
      throw error;
    }
    return redis;
  }

  /** The name of the master's host, as the first sentinel that responds knows it. */
  async master(): Promise<string> {
    const answers = await Promise.allSettled(
      this.#nodes.map(({ sentinel }) => sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'forum')),
    );
    const known = answers.find((answer) => answer.status === 'fulfilled')?.value as [string] | undefined;
    return this.#nodes.find(({ host }) => host.address === known?.[0])!.host.name;
  }

  /** Waits until all sentinels know each other and two replicas. */
  async whole(): Promise<void> {
    const isWhole = async ({ sentinel }: Node) => {
      const state = String(await sentinel.info('sentinel').catch(() => ''));
      return /status=ok,.*slaves=2,sentinels=3/.test(state);
    };
    const isConnected = async ({ host }: Node) => {
      const client = this.#client(6_379, host);
      const [role, , , state] = ((await client.call('ROLE').catch(() => [])) as string[]) ?? [];
      client.disconnect();
      return role === 'master' || state === 'connected';
    };
    const all = async () =>
      (await Promise.all(this.#nodes.flatMap((node) => [isWhole(node), isConnected(node)]))).every(Boolean);
    await eventually(all, 60_000, 'a master with two replicas and three sentinels');
  }

  /** Ends the Redis and the Sentinel of a host at once. */
  async kill(name: string): Promise<void> {
    await Promise.all(
      this.#node(name)
        .servers.splice(0)
        .map((server) => server.stop()),
    );
  }

  async startAgain(name: string): Promise<void> {
    const { host, directory, sentinel, servers } = this.#node(name);
    const client = this.#client(6_379, host);
    const start = (program: string, file: string, probe: () => Promise<unknown>) =>
      startOwnServer({
        ...host.command(program, [join(directory, file)], asAccount(this.#account)),
        account: undefined,
        detached: true,
        cwd: directory,
        probe,
      });
    servers.push(await start('redis-server', 'redis.conf', () => client.ping()));
    servers.push(await start('redis-sentinel', 'sentinel.conf', () => sentinel.ping()));
    client.disconnect();
  }

  async stop(): Promise<void> {
    for (const { host, sentinel } of this.#nodes) {
      sentinel.disconnect();
      await this.kill(host.name);
    }
  }

  #node(name: string): Node {
    return this.#nodes.find(({ host }) => host.name === name)!;
  }
}
