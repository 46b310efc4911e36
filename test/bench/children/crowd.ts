import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentKeys } from '../../../src/client/keys.ts';
import { Signer } from '../../../src/client/signer.ts';
import type { Call } from '../scenario.ts';
import { answering } from './answering.ts';
import { Connection, statusOf } from './connection.ts';
import { requestBytes } from './requestBytes.ts';

// Many agents, each on its own connection, that each send one request and try again after `Retry-After`.

export interface CrowdOrder {
  /** The agents are distributed over these servers. */
  readonly urls: readonly string[];
  /** One call of each agent. */
  readonly calls: readonly Call[];
  /** Arrivals per second. If absent, all arrive at once. */
  readonly perSecond?: number;
  /** An agent that is not accepted within this time gives up. */
  readonly patienceMs: number;
}

export interface CrowdResult {
  /** From the first arrival to the last acceptance. */
  readonly seconds: number;
  /** Agents that were accepted in the end. */
  readonly accepted: number;
  /** Milliseconds from an agent's arrival until it was accepted, including its pauses. */
  readonly median: number;
  readonly percentile99: number;
  readonly longest: number;
  /** The longest time in milliseconds from one request to its answer, whether accepted or refused. */
  readonly longestAnswer: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of the agent that was turned away most often. */
  readonly mostTries: number;
  /** Responses 503 without `Retry-After`. */
  readonly withoutRetryAfter: number;
}

interface Outcome {
  readonly waitedMs: number | undefined;
  readonly tries: number;
}

const RETRY_AFTER = /\r\nretry-after: (\d+)\r\n/i;
const OPENED_AT_ONCE = 100;
let signers: readonly Signer[] = [];

answering({
  agents: (keys: readonly AgentKeys[]) => {
    signers = keys.map((each) => new Signer(each));
  },
  crowd,
});

async function crowd({ urls, calls, perSecond, patienceMs }: CrowdOrder): Promise<CrowdResult> {
  const addresses = calls.map((_, index) => new URL(urls[index % urls.length]!));
  // Later arrivals connect when they arrive, because the server closes a silent connection after ten seconds.
  const opened = perSecond === undefined ? await openAll(addresses) : [];
  const statuses: Record<string, number> = {};
  let longestAnswer = 0;
  let withoutRetryAfter = 0;
  const requestOf = (index: number) => requestBytes(calls[index]!, addresses[index]!.host, signers);
  const first = calls.map((_, index) => requestOf(index));
  const startedAt = performance.now();

  const insist = async (address: URL, index: number): Promise<Outcome> => {
    const dueAt = perSecond === undefined ? startedAt : startedAt + (index * 1_000) / perSecond;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    const connection = opened[index] ?? (await open(address));
    try {
      return await untilAccepted(connection, index, dueAt);
    } finally {
      connection.close();
    }
  };

  const untilAccepted = async (connection: Connection, index: number, dueAt: number): Promise<Outcome> => {
    for (let tries = 1; ; tries++) {
      const sentAt = performance.now();
      // A refused request has used up its nonce.
      const answer = await connection.exchange(tries === 1 ? first[index]! : requestOf(index));
      longestAnswer = Math.max(longestAnswer, performance.now() - sentAt);
      const status = statusOf(answer);
      statuses[status] = (statuses[status] ?? 0) + 1;
      const waitedMs = performance.now() - dueAt;
      if (status < 400) return { waitedMs, tries };
      const seconds = RETRY_AFTER.exec(answer.toString('latin1'))?.[1];
      if (status === 503 && seconds === undefined) withoutRetryAfter += 1;
      if (status !== 503 || waitedMs > patienceMs) return { waitedMs: undefined, tries };
      await sleep(Number(seconds ?? 1) * 1_000);
    }
  };

  const outcomes = await Promise.all(addresses.map(insist));
  const seconds = (performance.now() - startedAt) / 1_000;
  const waits = outcomes.flatMap(({ waitedMs }) => waitedMs ?? []).sort((a, b) => a - b);
  const percentile = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  return {
    seconds,
    accepted: waits.length,
    median: percentile(0.5),
    percentile99: percentile(0.99),
    longest: percentile(1),
    longestAnswer,
    statuses,
    mostTries: Math.max(...outcomes.map(({ tries }) => tries)),
    withoutRetryAfter,
  };
}

const open = ({ port, hostname }: URL): Promise<Connection> => Connection.open(Number(port), hostname);

async function openAll(urls: readonly URL[]): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < urls.length) {
    const some = urls.slice(connections.length, connections.length + OPENED_AT_ONCE);
    connections.push(...(await Promise.all(some.map(open))));
  }
  return connections;
}
