import { rm } from 'node:fs/promises';
import { migrateLatest } from '../../../migrations/run.ts';
import { type Services, startServices } from '../../../src/tools/dev/services.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';
import { stopAbandonedServices } from '../../support/stopAbandonedServices.ts';
import { type ServerPids, serverPids, withServers } from '../../tools/dev/support/servers.ts';

/** A PostgreSQL and a Redis of the test, which it stops and starts again at the same addresses. */
export class LosableServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly #directory: string;
  readonly #started: Services[];

  private constructor(directory: string, first: Services) {
    this.#directory = directory;
    this.#started = [first];
    this.databaseUrl = first.databaseUrl;
    this.redisUrl = first.redisUrl;
  }

  /** The database has every migration. */
  static async start(): Promise<LosableServers> {
    const directory = await makeTestDirectory();
    const servers = new LosableServers(directory, await startIn(directory));
    await migrateLatest(servers.databaseUrl);
    // The server is killed, not the machine, so the system's cache keeps what was committed.
    await withServers(servers, (client) => client.query('ALTER DATABASE forum SET synchronous_commit = on'));
    return servers;
  }

  /** The environment by which a process of the service finds the two servers. */
  get env(): { DATABASE_URL: string; REDIS_URL: string } {
    return { DATABASE_URL: this.databaseUrl, REDIS_URL: this.redisUrl };
  }

  pids(): Promise<ServerPids> {
    return serverPids(this.#directory);
  }

  /** Starts whichever of the two does not run. Redis starts empty. */
  async startMissing(): Promise<void> {
    this.#started.push(await startIn(this.#directory));
  }

  async stop(): Promise<void> {
    for (const services of this.#started.toReversed()) await services.stop();
    await stopAbandonedServices(this.#directory);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

const startIn = (directory: string): Promise<Services> =>
  startServices({ directory, cacheDirectory, durable: false, log: () => undefined });
