import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { exchange } from '../../support/agent.ts';
import { eventually } from '../../support/waits.ts';

/**
 * When the process is killed, as seen from a write: before it arrives, after it is stored, or `underway`: then the
 * write arrives after the restart. With `away` it never arrives, and the process stays down.
 */
export type Moment = 'before' | 'after' | 'underway' | 'away';

/** The moments of the next writes of a kind; null lets a write pass. */
export interface Plan {
  answers: (Moment | null)[];
  acknowledgements: (Moment | null)[];
}

/** An example agent as a process. All its requests pass a proxy, which kills it as planned and starts it again. */
export class ExampleAgent {
  readonly kills: (Moment | 'anytime')[] = [];
  /** How many answers the forum refused with 429. */
  limited = 0;
  output = '';
  declare private readonly forumUrl: string;
  declare private readonly command: readonly [string, ...string[]];
  declare private readonly env: Record<string, string>;
  declare private readonly plan: Plan;
  private child: ChildProcess | undefined;
  private isAtWork = false;
  private failure: Error | undefined;
  private restarting: Promise<void> | undefined;
  private readonly proxy = createServer((request, response) => {
    this.pass(request, response).catch((error: Error) => {
      this.failure ??= error;
    });
  });

  constructor(
    forumUrl: string,
    command: readonly [string, ...string[]],
    { env, plan }: { env: Record<string, string>; plan: Plan },
  ) {
    Object.assign(this, { forumUrl, command, env, plan });
  }

  async start(): Promise<void> {
    if (!this.proxy.listening) {
      this.proxy.listen(0, '127.0.0.1');
      await once(this.proxy, 'listening');
    }
    const [file, ...argv] = this.command;
    const url = `http://127.0.0.1:${(this.proxy.address() as AddressInfo).port}`;
    const env = { ...process.env, ...this.env, FORUM_URL: url };
    const child = spawn(file, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.isAtWork = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL' || code === 0) return;
      this.failure ??= new Error(`${this.command.join(' ')} ended with ${code ?? signal}:\n${this.output}`);
    });
    this.child = child;
  }

  /** Throws if the process or the proxy failed. While this is true, the clock must not move. */
  get isRestarting(): boolean {
    if (this.failure) throw this.failure;
    return this.restarting !== undefined;
  }

  /** The process stays down after it has sent the next answer, which is lost. */
  leave(): void {
    this.plan.answers.push('away');
  }

  get isDown(): boolean {
    return this.child === undefined;
  }

  kill(): Promise<void> {
    return this.crash('anytime', async () => this.start());
  }

  /** SIGTERM ends the process with 0. */
  async stop(): Promise<void> {
    await this.restarting;
    // Before its first request it does not handle signals yet.
    await eventually(() => this.isAtWork);
    const { child } = this;
    assert.ok(child);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null], this.output);
    this.child = undefined;
    if (this.failure) throw this.failure;
  }

  async close(): Promise<void> {
    this.child?.kill('SIGKILL');
    this.proxy.close();
    this.proxy.closeAllConnections();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.isAtWork = true;
    const body = await buffer(request);
    const { method = '', url = '' } = request;
    const headers = { ...(request.headers as Record<string, string>), 'accept-encoding': 'identity' };
    const forward = () => exchange(`${this.forumUrl}${url}`, { method, headers, body });
    const moment = this.momentFor(method, url);
    if (moment === 'before') return this.crash(moment, () => this.start());
    if (moment === 'away') return this.crash(moment, async () => {});
    if (moment === 'underway') {
      return this.crash(moment, async () => {
        await this.start();
        await once(this.proxy, 'request');
        await forward();
      });
    }
    const answer = await forward();
    if (moment === 'after') return this.crash(moment, () => this.start());
    if (method === 'POST' && answer.status === 429) this.limited++;
    const kept = [...answer.headers].filter(([name]) => !/^(?:connection|content-length|transfer-)/.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(answer.text);
  }

  private momentFor(method: string, url: string): Moment | null {
    if (method !== 'POST' || this.restarting !== undefined) return null;
    if (url.endsWith('/replies')) return this.plan.answers.pop() ?? null;
    return url === '/v1/inbox/ack' ? (this.plan.acknowledgements.pop() ?? null) : null;
  }

  private async crash(moment: Moment | 'anytime', recover: () => Promise<void>): Promise<void> {
    const { child } = this;
    if (this.restarting || child === undefined) return;
    this.kills.push(moment);
    const run = async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      this.child = undefined;
      await recover();
    };
    this.restarting = run().finally(() => {
      this.restarting = undefined;
    });
    await this.restarting;
  }
}
