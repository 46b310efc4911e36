import { Cluster, type Command, Redis } from 'ioredis';
import { awakeMs } from '../awake.ts';

export type RedisConnection = Redis | Cluster;

/** Where Redis is: one server, or the nodes of a cluster (contract 15). */
export interface RedisAddress {
  readonly redisUrl: string | undefined;
  readonly redisClusterNodes: readonly { readonly host: string; readonly port: number }[] | undefined;
}

/** How a connection behaves when Redis is gone. */
const PURPOSES = {
  /** Requests wait for it: fail at once rather than queue, so that a lost Redis is a 503 at once. */
  admission: { enableOfflineQueue: false, maxRetriesPerRequest: 1, enableAutoPipelining: true },
  /** BullMQ blocks on it for long and reconnects by itself. */
  queue: { maxRetriesPerRequest: null },
};

/** Opens a connection for one purpose; it reconnects for ever, at most every second. */
export function connectRedis(address: RedisAddress, purpose: keyof typeof PURPOSES): RedisConnection {
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const connection = address.redisClusterNodes
    ? new Cluster([...address.redisClusterNodes], {
        redisOptions: PURPOSES[purpose],
        enableOfflineQueue: purpose !== 'admission',
      })
    : new Redis(address.redisUrl!, { ...PURPOSES[purpose], retryStrategy });
  if (purpose === 'admission') endLateCommands(connection);
  // Every failed command already rejects its caller; without a listener a lost connection would end the process.
  connection.on('error', () => {});
  return connection;
}

/** How long a request waits for Redis, by `awakeMs`. */
const COMMAND_TIMEOUT_MS = 500;
const LOOK_EVERY_MS = 50;

type Send = (command: Command, ...rest: unknown[]) => unknown;
interface Sent {
  readonly command: Command;
  readonly at: number;
}

/**
 * Rejects commands that Redis did not answer in time. The client's own time limit is the wall clock's: in a process that
 * was busy for half a second it takes all answers that lie unread in the socket for missing.
 */
function endLateCommands(connection: RedisConnection): void {
  const send = connection.sendCommand.bind(connection) as Send;
  /** In the order in which they were sent, which is that of their ends. */
  const sent = new Set<Sent>();
  connection.sendCommand = (command: Command, ...rest: unknown[]) => {
    const waiting = { command, at: awakeMs() };
    sent.add(waiting);
    const forget = () => sent.delete(waiting);
    command.promise.then(forget, forget);
    return send(command, ...rest);
  };
  const look = setInterval(() => {
    const lateSince = awakeMs() - COMMAND_TIMEOUT_MS;
    for (const waiting of sent) {
      if (waiting.at > lateSince) break;
      sent.delete(waiting);
      waiting.command.reject(new Error('Redis did not answer in time'));
    }
  }, LOOK_EVERY_MS);
  look.unref();
  connection.once('end', () => clearInterval(look));
}

/** Waits until the connection is usable, at most `timeoutMs`; throws otherwise. */
export async function redisReady(connection: RedisConnection, timeoutMs: number): Promise<void> {
  if (connection.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis was not ready in time')), timeoutMs);
    connection.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
