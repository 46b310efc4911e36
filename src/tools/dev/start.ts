// `npm start`: the whole forum on one machine, from nothing. The API and the worker alone are `npm run api` and
// `npm run worker`.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../config.ts';
import { fileVariable, loadEnvFile, readSecret } from '../../platform/envFile.ts';
import { ignoreClosedOutput, listenFailure } from '../../platform/startupError.ts';
import { SECRET_SETTINGS } from '../../settings.ts';
import { type Child, runToEnd, startChild } from './children.ts';
import { compileTree } from './compiled.ts';
import { writePrivateFile } from './files.ts';
import { loadLogSettings } from './log.ts';
import { formatLogLine } from './logLines.ts';
import { loadOperator, type Operator, registerOperator } from './operator.ts';
import { onParentGone } from './parent.ts';
import { listenProblem } from './ports.ts';
import { loadSecrets } from './secrets.ts';
import { type Services, startServices } from './services.ts';
import { describeWelcome } from './welcome.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const directory = resolve(process.argv[2] ?? '.forum');
/** Ours alone: a server on 5432 or 6379 belongs to somebody else. */
const preferredPorts = { postgres: 21_432, redis: 21_379 };

// A closed terminal breaks the pipe: then the servers are stopped in order all the same.
ignoreClosedOutput();

try {
  await start();
  process.exit(0);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

/** Returns when it was asked to stop and all has ended, throws when something did not start or ended by itself. */
async function start(): Promise<void> {
  const startedAt = performance.now();
  const stopRequest = listenForStopRequest();
  const config = readConfig();
  await requireFreePort(config);
  const compiled = compileTree(root);
  compiled.catch(() => undefined);
  const services = await provideServices(config).catch((error) => {
    // Ctrl-C reaches what the terminal started with us, such as the making of new data: that failed because it was asked to.
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
  /** Where the programs stand as JavaScript; made beside the start of the servers. */
  compiled: Promise<string>;
  /** Filled on the way, for whoever has to stop them. */
  children: Child[];
  stopRequest: AbortSignal;
  startedAt: number;
}

/** Goes on until a program ends; always throws, at the latest after `stopRequest`. */
async function run({ config, services, compiled, children, stopRequest, startedAt }: Run): Promise<never> {
  const operator = config.operatorAgentId ? undefined : await loadOperator(directory);
  const env = await environmentFor(config, services, operator);
  keepAddresses(services);

  const tree = await compiled;
  const migrated = await timed('Schema', () => runToEnd('The migration', { tree, path: 'migrations/run.js' }, env));
  if (migrated) console.log(`  ${migrated.replaceAll('\n', '\n  ')}`);
  stopRequest.throwIfAborted();

  const onLine = lineWriter();
  const api = startChild('The API', { tree, path: 'src/main.js' }, env, onLine);
  const logSettings = config.log.signingKey ? {} : await loadLogSettings(directory, env.DATABASE_URL!, console.log);
  const worker = startChild('The worker', { tree, path: 'workers/main.js' }, { ...env, ...logSettings }, onLine);
  children.push(api, worker);
  const ready = await timed('API and worker', () => Promise.all([api.ready, worker.ready]));
  const { url = `http://${config.host}:${config.port}` } = ready[0];
  const opsUrls = ready.flatMap(({ opsUrl }) => opsUrl ?? []);
  stopRequest.throwIfAborted();
  if (operator) await timed('Operator', () => registerOperator(url, operator));

  console.log(describeWelcome({ url, opsUrls, operator, seconds: (performance.now() - startedAt) / 1_000 }));
  // Without Redis reads go on, and who tries what becomes of a forum that loses a server sees it.
  services.onEnd((what) => console.error(`${what}. Nothing starts it again but the next npm start.`));
  const reason = await Promise.race(children.map(async (child) => `${child.title} ${await child.ended}`));
  throw new Error(`${reason} unexpectedly, so everything else was stopped.`);
}

/** Writes the log for people, or with LOG_FORMAT=json not at all: the programs' own lines then go through as they are. */
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
  void onParentGone(() => controller.abort('the process that started this one has gone'));
  return controller.signal;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Shows everything that is wrong with the configuration before anything is started. */
function readConfig(): Config {
  loadEnvFile();
  // The programs that this one starts get the values, beside those that it makes itself.
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
    `Cannot listen on ${host}:${port}: does the forum run already? Another port is set by PORT=8081 npm start`,
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

/** What was set stays; what was not gets the values that suit one machine (docs/operator#running-it). */
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
    // No load balancer stands before a forum on one machine.
    SHUTDOWN_DELAY_SECONDS: '0',
    CURSOR_SECRET: process.env.CURSOR_SECRET || cursorSecret,
    LIMIT_REGISTRATIONS_PER_ADDRESS: process.env.LIMIT_REGISTRATIONS_PER_ADDRESS || '0',
    ...(operator ? { OPERATOR_AGENT_ID: operator.agentId } : {}),
  };
}

/** For tools that are run beside the service, such as `npm run verify`; passwords are in it. */
function keepAddresses({ databaseUrl, redisUrl }: Services): void {
  writePrivateFile(join(directory, 'env'), `DATABASE_URL=${databaseUrl}\nREDIS_URL=${redisUrl}\n`);
}

async function timed<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${title} ready in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}
