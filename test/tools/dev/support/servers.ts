import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { identify } from '../../../../src/tools/dev/processes.ts';
import { eventually } from '../../../support/waits.ts';

export interface ServerPids {
  postgres: number;
  redis: number;
}

/** The servers that the pid files in a directory name. */
export async function serverPids(directory: string): Promise<ServerPids> {
  return {
    postgres: await pidIn(join(directory, 'postgresql.pid.json')),
    redis: await pidIn(join(directory, 'redis.pid.json')),
  };
}

export async function areRunning(pids: ServerPids): Promise<{ postgres: boolean; redis: boolean }> {
  return { postgres: await isAlive(pids.postgres), redis: await isAlive(pids.redis) };
}

export async function isAlive(pid: number): Promise<boolean> {
  return (await identify(pid)) !== undefined;
}

/** Kills outright and waits for the end. */
export async function killOutright(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await eventually(async () => !(await isAlive(pid)));
}

/** Leaves a mark in both servers and replaces an earlier one. */
export async function writeMark(urls: { databaseUrl: string; redisUrl: string }, mark: string): Promise<void> {
  await withServers(urls, async (client, redis) => {
    await client.query('CREATE TABLE IF NOT EXISTS mark (text text)');
    await client.query('DELETE FROM mark');
    await client.query('INSERT INTO mark VALUES ($1)', [mark]);
    await redis.set('mark', mark);
  });
}

/** The marks that both servers hold, in the order PostgreSQL, Redis. */
export async function readMarks(urls: { databaseUrl: string; redisUrl: string }): Promise<unknown[]> {
  return await withServers(urls, async (client, redis) => {
    const { rows } = await client.query<{ text: string }>('SELECT text FROM mark');
    return [...rows.map((row) => row.text), await redis.get('mark')];
  });
}

/** Runs `work` on a connection to each of the two servers. */
export async function withServers<T>(
  urls: { databaseUrl: string; redisUrl: string },
  work: (client: pg.Client, redis: Redis) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: urls.databaseUrl });
  const redis = new Redis(urls.redisUrl, { retryStrategy: () => null });
  try {
    await client.connect();
    return await work(client, redis);
  } finally {
    await client.end();
    redis.disconnect();
  }
}

async function pidIn(recordPath: string): Promise<number> {
  const record = JSON.parse(await readFile(recordPath, 'utf8')) as { server: { pid: number } };
  return record.server.pid;
}
