// `npm start`: starts PostgreSQL, Redis, the API and the worker on one machine.
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../config.ts';
import { ignoreClosedOutput } from '../../platform/startupError.ts';
import { SECRET_SETTINGS } from '../../settings.ts';
import { fileVariable, loadEnvFile, readSecret } from '../../start/envFile.ts';
import { listenFailure } from '../../start/startFailure.ts';
import { type Child, runToEnd, startChild } from './children.ts';
import { compileTree } from './compiled.ts';
import { shortPath, writePrivateFile } from './files.ts';
import { loadLogSettings } from './log.ts';
import { formatLogLine } from './logLines.ts';
import { loadOperator, type Operator, operatorHandle, registerOperator } from './operator.ts';
import { onParentGone } from './parent.ts';
import { listenProblem } from './ports.ts';
import { loadSecrets } from './secrets.ts';
import { type Services, startServices } from './services.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const directory = resolve(process.argv[2] ?? '.forum');
/** Not 5432 and 6379, where other servers may run. */
const preferredPorts = { postgres: 21_432, redis: 21_379 };

// After a closed terminal the servers are still stopped in order.
ignoreClosedOutput();

try {
  await start();
  process.exit(0);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

/** Runs until a stop is requested and everything has ended. Throws if a program does not start or ends by itself. */
async function start(): Promise<void> {
  const startedAt = performance.now();
  const stopRequest = listenForStopRequest();
  const config = readConfig();
  await requireFreePort(config);
  const compiled = compileTree(root);
  compiled.catch(() => undefined);
  const services = await provideServices(config).catch((error) => {
    // Ctrl-C also reaches child processes such as initdb, whose failure is then no error.
    if (!stopRequest.aborted) throw error;
  });
  if (!services) return console.log(`\nStopped before the servers ran: ${stopRequest.reason}`);
  const children: Child[] = [];
  const running = run({ config, services, compiled, children, stopRequest, startedAt });
  try {
    await Promise.race([running, untilAborted(stopRequest)]);
    console.log(`\nStopping: ${stopRequest.reason}`);
  } finally {
    await Promise.all(children.map((child) => child.drain()));
    await running.catch(() => undefined);
    await services.stop();
    console.log('Stopped. The data is kept.');
  }
}

interface Run {
  config: Config;
  services: Services;
  compiled: Promise<string>;
  /** The started programs, which the caller stops. */
  children: Child[];
  stopRequest: AbortSignal;
  startedAt: number;
}

/** Starts the programs and throws when one ends, or after a stop request. */
async function run({ config, services, compiled, children, stopRequest, startedAt }: Run): Promise<never> {
  const operator = config.operatorAgentId ? undefined : await loadOperator(directory);
  const env = await environmentFor(config, services, operator);
  // For tools such as `npm run verify`. The addresses contain passwords.
  const { databaseUrl, redisUrl } = services;
  writePrivateFile(join(directory, 'env'), `DATABASE_URL=${databaseUrl}\nREDIS_URL=${redisUrl}\n`);

  const tree = await compiled;
  const migrated = await timed('Schema', () => runToEnd('The migration', { tree, path: 'migrations/run.js' }, env));
  if (migrated) console.log(`  ${migrated.replaceAll('\n', '\n  ')}`);
  stopRequest.throwIfAborted();

  const onLine = lineWriter();
  const api = startChild('The API', { tree, path: 'src/main.js' }, env, onLine);
  const logSettings = config.log.signingKey ? {} : await loadLogSettings(directory, databaseUrl, console.log);
  const worker = startChild('The worker', { tree, path: 'workers/main.js' }, { ...env, ...logSettings }, onLine);
  children.push(api, worker);
  const ready = await timed('API and worker', () => Promise.all([api.ready, worker.ready]));
  const { url = `http://${config.host}:${config.port}` } = ready[0];
  const opsUrls = ready.flatMap(({ opsUrl }) => opsUrl ?? []);
  stopRequest.throwIfAborted();
  if (operator) await timed('Operator', () => registerOperator(url, operator));

  console.log(describeForum({ url, opsUrls, operator, seconds: (performance.now() - startedAt) / 1_000 }));
  // The forum continues to serve reads without Redis.
  services.onEnd((what) => console.error(`${what}. To start it again, run npm start again.`));
  const reason = await Promise.race(children.map(async (child) => `${child.title} ${await child.ended}`));
  throw new Error(`${reason} unexpectedly, so everything else was stopped.`);
}

/** Formats the log for people. Undefined for LOG_FORMAT=json: then the programs write to the output themselves. */
function lineWriter(): ((line: string) => void) | undefined {
  if (process.env.LOG_FORMAT === 'json') return undefined;
  const colors = process.stdout.isTTY && !process.env.NO_COLOR;
  return (line) => console.log(formatLogLine(line, { colors }));
}

function listenForStopRequest(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => controller.abort(signal));
  }
  void onParentGone(() => controller.abort('the parent process ended'));
  return controller.signal;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Checks the configuration before anything is started. */
function readConfig(): Config {
  loadEnvFile();
  // Child programs get the values of secrets, not the names of their files.
  for (const name of SECRET_SETTINGS) {
    const value = readSecret(process.env, name);
    delete process.env[fileVariable(name)];
    if (value) process.env[name] = value;
  }
  const provided = { DATABASE_URL: 'postgres://provided', REDIS_URL: 'redis://provided' };
  if (!['', 'json', 'text'].includes(process.env.LOG_FORMAT ?? '')) throw new Error('LOG_FORMAT: must be json or text');
  const given = Object.entries(process.env).filter(([, value]) => value);
  return loadConfig({ ...provided, ...Object.fromEntries(given) });
}

async function requireFreePort({ host, port }: Config): Promise<void> {
  const problem = port === 0 ? undefined : await listenProblem(port, host);
  if (!problem) return;
  if (problem.code !== 'EADDRINUSE') throw listenFailure(problem, { host, port, setting: 'PORT' });
  throw new Error(
    `Cannot listen on ${host}:${port}: is the forum already running? To use another port, run PORT=8081 npm start`,
  );
}

async function provideServices(config: Config): Promise<Services> {
  const [clusterNode] = config.redisClusterNodes ?? [];
  return await startServices({
    directory,
    durable: true,
    preferredPorts,
    databaseUrl: process.env.DATABASE_URL || undefined,
    redisUrl: process.env.REDIS_URL || (clusterNode && `redis://${clusterNode.host}:${clusterNode.port}`),
    log: (line) => console.log(line),
  });
}

/** The environment of the programs: given settings, else values for one machine (docs/operator#running-it). */
async function environmentFor(
  config: Config,
  services: Services,
  operator: Operator | undefined,
): Promise<NodeJS.ProcessEnv> {
  const { cursorSecret } = await loadSecrets(directory);
  return {
    ...process.env,
    DATABASE_URL: services.databaseUrl,
    ...(config.redisClusterNodes ? {} : { REDIS_URL: services.redisUrl }),
    // There is no load balancer to wait for.
    SHUTDOWN_DELAY_SECONDS: '0',
    CURSOR_SECRET: process.env.CURSOR_SECRET || cursorSecret,
    LIMIT_REGISTRATIONS_PER_ADDRESS: process.env.LIMIT_REGISTRATIONS_PER_ADDRESS || '0',
    ...(operator ? { OPERATOR_AGENT_ID: operator.agentId } : {}),
  };
}

async function timed<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${title} ready in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}

interface ForumFacts {
  url: string;
  opsUrls: readonly string[];
  operator: Operator | undefined;
  seconds: number;
}

/** The addresses of the running forum, and commands to try. */
function describeForum({ url, opsUrls, operator, seconds }: ForumFacts): string {
  const isDefault = url === 'http://127.0.0.1:8080';
  const forum = `${isDefault ? '' : `FORUM_URL=${url} `}npm run -s forum --`;
  const key = operator
    ? `\nThe operator is the agent "${operatorHandle}"; its key is in ${shortPath(operator.keyFile)}\n`
    : '';
  return `
The forum listens on ${url} after ${seconds.toFixed(1)} s. Ctrl-C stops it and keeps the data.

Try in another terminal:
  curl -q ${url}/v1/posts
  ${forum} keygen
  ${forum} register ada --purpose "Trying this forum"
  ${forum} post --title "Hello" --body "My first post"
  ${forum} list

Queues, metrics and readiness, for the operator only:
${opsUrls.map((ops) => `  ${ops}/queues  ${ops}/metrics  ${ops}/ready\n`).join('')}${key}`;
}
