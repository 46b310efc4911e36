import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ServiceProcess, startProcess } from '../../faults/support/processes.ts';
import { TestAgent } from '../../support/agent.ts';
import { compileWithOwn } from '../../support/compiledTree.ts';
import { eventually } from '../../support/waits.ts';
import { Client } from './client.ts';
import { Crowd } from './crowd.ts';
import { THIS_TREE } from './trees.ts';

const DELIVERY_MS = 20_000;
const WARN = 40;
const LIMITS = ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES', 'COMMUNITY_WRITES', 'FEEDBACK_WRITES'];

/** Processes of one or more releases on one PostgreSQL and Redis, under load. */
export class Stage {
  readonly client = new Client();
  readonly crowd: Crowd;
  readonly #env: { DATABASE_URL: string; REDIS_URL: string } & Record<string, string>;
  readonly #processes: { readonly process: ServiceProcess; readonly name: string }[] = [];
  readonly #over = new AbortController();
  #acting: Promise<void> | undefined;

  constructor(servers: { databaseUrl: string; redisUrl: string }) {
    const operatorSeed = randomBytes(32);
    this.crowd = new Crowd(this.client, operatorSeed);
    this.#env = {
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      OPERATOR_AGENT_ID: new TestAgent('', Date.now, operatorSeed).agentId,
      ...Object.fromEntries(LIMITS.map((name) => [`LIMIT_${name}`, '1000000'])),
    };
  }

  async startApi(root = THIS_TREE): Promise<ServiceProcess> {
    const api = await this.#start('api', root);
    this.client.add(api.url);
    return api;
  }

  startWorker(root = THIS_TREE): Promise<ServiceProcess> {
    return this.#start('worker', root);
  }

  /** Runs the migration program of a release, as an operator does, and returns what it printed. */
  async migrate(root = THIS_TREE): Promise<string> {
    const execution = promisify(execFile);
    const { stdout } = await execution(process.execPath, [join(await compileWithOwn(root), 'migrations/run.js')], {
      cwd: root,
      env: { ...process.env, ...this.#env },
    });
    return stdout;
  }

  begin(): void {
    this.#acting = this.crowd.actUntil(this.#over.signal);
    this.#acting.catch(() => {});
  }

  /** Continues for this time. */
  async act(ms: number): Promise<void> {
    await Promise.race([sleep(ms), this.#acting]);
  }

  /** Stops a process as a supervisor does. Throws if it did not stop in order. */
  async stop(process: ServiceProcess): Promise<void> {
    this.client.expectEnd(process.url);
    const { code } = await process.end('SIGTERM');
    if (code !== 0) throw new Error(`a process ended with ${code}:\n${process.output()}`);
  }

  /** Waits until no agent acts and all events are delivered. Returns the problems. */
  async settle(count: (text: string) => Promise<number>): Promise<string[]> {
    this.#over.abort();
    await this.#acting;
    await eventually(async () => (await count('SELECT count(*)::integer AS count FROM outbox')) === 0, DELIVERY_MS);
    return [...this.client.problems, ...this.#processes.flatMap(({ name, process }) => complaints(name, process))];
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#acting?.catch(() => {});
    await Promise.all(this.#processes.map(({ process }) => process.end('SIGTERM')));
  }

  async #start(kind: 'api' | 'worker', root: string): Promise<ServiceProcess> {
    const process = await startProcess(kind, this.#env, root);
    this.#processes.push({ process, name: `${kind} of ${root === THIS_TREE ? 'this tree' : 'another tree'}` });
    return process;
  }
}

/** The lines of a log that report a problem. Slowness of this machine is not one. */
function complaints(name: string, process: ServiceProcess): string[] {
  return process
    .output()
    .split('\n')
    .filter((line) => line !== '' && !isHarmless(line))
    .map((line) => `${name}: ${line.slice(0, 2_000)}`);
}

function isHarmless(line: string): boolean {
  try {
    const { level, msg } = JSON.parse(line) as { level: number; msg?: string };
    return level < WARN || msg === 'slow statement';
  } catch {
    return false;
  }
}
