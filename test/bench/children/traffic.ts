import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentKeys } from '../../../src/client/keys.ts';
import { Signer } from '../../../src/client/signer.ts';
import type { Call } from '../scenario.ts';
import { answering } from './answering.ts';
import { Connection, statusOf } from './connection.ts';
import { requestBytes } from './requestBytes.ts';

// Sends several kinds of request at once, each at its own rate, and counts the answers of each. Refusals are not fatal.

/** One kind of request. */
export interface Stream {
  readonly name: string;
  /** Sent one after the other. An unsigned call may be repeated, so a few are enough. */
  readonly calls: readonly Call[];
  readonly connections: number;
  /**
   * Arrivals per second, whether or not earlier requests are answered. If absent, each free connection sends the next
   * one.
   */
  readonly perSecond?: number;
  /** How long a client waits after a refusal with Retry-After. */
  readonly pauseMs?: number;
}

export interface TrafficOrder {
  readonly url: string;
  readonly seconds: number;
  readonly streams: readonly Stream[];
}

export interface StreamResult {
  readonly name: string;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Accepted requests per second. */
  readonly rate: number;
  /** Milliseconds from sending to the last byte of the answer, for accepted requests. */
  readonly median: number;
  readonly percentile99: number;
  readonly slowest: number;
}

let signers: readonly Signer[] = [];

answering({
  agents: (keys: readonly AgentKeys[]) => {
    signers = keys.map((each) => new Signer(each));
  },
  traffic,
});

async function traffic({ url, seconds, streams }: TrafficOrder): Promise<StreamResult[]> {
  const { host } = new URL(url);
  const ready = [];
  for (const stream of streams) {
    const requests = stream.calls.map((call) => requestBytes(call, host, signers));
    ready.push({ stream, requests, connections: await opened(url, stream.connections) });
  }
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  const results = await Promise.all(
    ready.map(({ stream, requests, connections }) => run(stream, requests, connections, { startedAt, endsAt })),
  );
  for (const { connections } of ready) for (const connection of connections) connection.close();
  return results;
}

async function opened(url: string, count: number): Promise<Connection[]> {
  const { hostname, port } = new URL(url);
  const connections: Connection[] = [];
  while (connections.length < count) {
    const batch = Math.min(100, count - connections.length);
    connections.push(
      ...(await Promise.all(Array.from({ length: batch }, () => Connection.open(Number(port), hostname)))),
    );
  }
  return connections;
}

async function run(
  { name, calls, perSecond, pauseMs = 0 }: Stream,
  requests: readonly Buffer[],
  connections: readonly Connection[],
  { startedAt, endsAt }: { startedAt: number; endsAt: number },
): Promise<StreamResult> {
  const isSigned = calls.some(({ signer }) => signer !== undefined);
  const statuses: Record<string, number> = {};
  const accepted: number[] = [];
  let next = 0;
  const work = async (connection: Connection) => {
    while (performance.now() < endsAt && !(isSigned && next >= requests.length)) {
      const index = next++;
      const dueAt = perSecond === undefined ? performance.now() : startedAt + (index * 1_000) / perSecond;
      if (dueAt > performance.now()) await sleep(dueAt - performance.now());
      const answer = await connection.exchange(requests[index % requests.length]!);
      const status = statusOf(answer);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 400) accepted.push(performance.now() - dueAt);
      else if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  await Promise.all(connections.map(work));
  const elapsed = (performance.now() - startedAt) / 1_000;
  accepted.sort((a, b) => a - b);
  const percentile = (share: number) =>
    accepted[Math.min(accepted.length - 1, Math.floor(accepted.length * share))] ?? 0;
  return {
    name,
    statuses,
    rate: accepted.length / elapsed,
    median: percentile(0.5),
    percentile99: percentile(0.99),
    slowest: percentile(1),
  };
}
