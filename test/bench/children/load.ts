import type { AgentKeys } from '../../../src/client/keys.ts';
import { Signer } from '../../../src/client/signer.ts';
import type { Call } from '../scenario.ts';
import { answering, type Run, timed } from './answering.ts';
import { Connection, statusOf } from './connection.ts';
import { requestBytes } from './requestBytes.ts';

// Makes the load. Requests are signed and laid out in bytes before the measurement.

export interface LoadOrder {
  readonly url: string;
  readonly calls: readonly Call[];
  /** How often each call is sent. */
  readonly times: number;
  readonly concurrency: number;
  /** The status that every answer must have. */
  readonly status: number;
}

let signers: readonly Signer[] = [];
let ready: { requests: Buffer[]; times: number; connections: Connection[]; status: number } | undefined;

answering({
  agents: (keys: readonly AgentKeys[]) => {
    signers = keys.map((each) => new Signer(each));
  },
  prepare: async ({ url, calls, times, concurrency, status }: LoadOrder) => {
    const { hostname, port, host } = new URL(url);
    const requests = calls.map((call) => requestBytes(call, host, signers));
    const connections = await Promise.all(
      Array.from({ length: concurrency }, () => Connection.open(Number(port), hostname)),
    );
    ready = { requests, times, connections, status };
  },
  run,
});

async function run(): Promise<Run> {
  const { requests, times, connections, status } = ready!;
  const result = await timed(requests.length * times, connections.length, async (worker, index) => {
    const answer = await connections[worker]!.exchange(requests[index % requests.length]!);
    if (statusOf(answer) !== status) throw new Error(`expected ${status}, got:\n${answer.toString()}`);
  });
  for (const connection of connections) connection.close();
  ready = undefined;
  return result;
}
