import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Launch } from '../../faults/support/processes.ts';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);

const BRIDGE = 'forum';
const PREFIX = '10.77.0.';
/** An address without a host: packets to it get no answer. */
const NOWHERE = '02:00:00:00:00:01';

type Holder = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Hosts on one switch: network namespaces, joined by a bridge in the namespace of the test (`test/hosts/run.sh`). They
 * end with the processes that hold the namespaces, which end with this one.
 */
export class Network {
  readonly #hosts: Host[] = [];

  static async open(): Promise<Network> {
    await ip('link', 'add', BRIDGE, 'type', 'bridge');
    await ip('address', 'add', `${PREFIX}1/24`, 'dev', BRIDGE);
    await ip('link', 'set', BRIDGE, 'up');
    return new Network();
  }

  async addHost(name: string): Promise<Host> {
    const holder: Holder = spawn('unshare', ['--net', '--', 'sh', '-c', 'ip link set lo up && echo && exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const number = this.#hosts.length + 2;
    const host = new Host(name, `${PREFIX}${number}`, `port${number}`, holder);
    this.#hosts.push(host);
    await host.join();
    return host;
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.end()));
    await ip('link', 'delete', BRIDGE);
  }
}

export class Host {
  readonly name: string;
  readonly address: string;
  readonly #port: string;
  readonly #holder: Holder;

  constructor(name: string, address: string, port: string, holder: Holder) {
    this.name = name;
    this.address = address;
    this.#port = port;
    this.#holder = holder;
  }

  async join(): Promise<void> {
    await ip('link', 'add', this.#port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(this.#holder.pid));
    await ip('link', 'set', this.#port, 'master', BRIDGE, 'up');
    await this.ip('address', 'add', `${this.address}/24`, 'dev', 'eth0');
    await this.ip('link', 'set', 'eth0', 'up');
  }

  /** A command line that runs a program on this host. */
  command(file: string, args: readonly string[], more: readonly string[] = []): { file: string; args: string[] } {
    return { file: 'nsenter', args: [`--net=/proc/${this.#holder.pid}/ns/net`, ...more, '--', file, ...args] };
  }

  /** How a process of the service is started on this host. */
  get launch(): Launch {
    const { file, args } = this.command(process.execPath, []);
    return { execPath: file, execArgv: args, detached: true };
  }

  /** From now on packets between the two hosts are dropped without an error. */
  async cutFrom(other: Host): Promise<void> {
    await this.#lose(other);
    await other.#lose(this);
  }

  async reunite(other: Host): Promise<void> {
    await this.ip('neighbour', 'delete', other.address, 'dev', 'eth0');
    await other.ip('neighbour', 'delete', this.address, 'dev', 'eth0');
  }

  /** Disconnects the host from the network, or connects it again. */
  async plug(isIn: boolean): Promise<void> {
    await ip('link', 'set', this.#port, isIn ? 'up' : 'down');
  }

  async end(): Promise<void> {
    this.#holder.stdin.end();
    if (this.#holder.exitCode === null) await once(this.#holder, 'exit');
  }

  async ip(...args: string[]): Promise<void> {
    const { file, args: whole } = this.command('ip', args);
    await run(file, whole);
  }

  async #lose(other: Host): Promise<void> {
    await this.ip('neighbour', 'replace', other.address, 'lladdr', NOWHERE, 'nud', 'permanent', 'dev', 'eth0');
  }
}
