import { hostname } from 'node:os';
import Joi from 'joi';
import { fileVariable, loadEnvFile, readSecret } from './platform/envFile.ts';
import { ALL_SETTINGS, SECRET_SETTINGS, SETTINGS, type ValuesOf, valuesOf } from './settings.ts';

export { COUNTER_NAMES, COUNTERS, type CounterName } from './settings.ts';

const environment = Joi.object(Object.fromEntries(ALL_SETTINGS.map(({ name, schema }) => [name, schema])))
  .or('REDIS_URL', 'REDIS_CLUSTER_NODES')
  .with('LOG_PREVIOUS_SIGNING_KEY', 'LOG_SIGNING_KEY');

/** Keys that only a process that signs the log reads. */
const LOG_KEYS: readonly string[] = ['LOG_SIGNING_KEY', 'LOG_PREVIOUS_SIGNING_KEY'];

/** What the process was configured with: frozen, and read from the environment here alone (docs/operator#settings). */
export interface Config extends Omit<ValuesOf<typeof SETTINGS>, 'opsPorts'> {
  /** Of the API's ops listener and of the worker's. */
  readonly opsPorts: { readonly api: number; readonly worker: number };
  /** Names this process in leases, connections and metrics. */
  readonly processName: string;
}

/** Everything that is wrong with the environment, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Joi's own repeat the value, which may be a key that was mistyped. */
const MESSAGES = {
  'string.pattern.name': '{{#label}} is no {{#name}}',
  'string.pattern.base': '{{#label}} has another form',
  'setting.address': '{{#label}} is no address that begins with {{#schemes}}',
  'setting.hosts': '{{#label}} names several hosts: give one, the address that leads to the primary',
  'setting.database': '{{#label}} must have nothing but the number of a database behind the host, such as /0',
  'setting.escape': '{{#label}} has a % in its user or password that stands for no character: write it as %25',
  'setting.named': '{{#label}} must not hold a name or a password',
  'setting.origin': '{{#label}} must be an origin alone, such as https://forum.example, with nothing behind it',
  'object.with': '{{#mainWithLabel}} needs {{#peerWithLabel}}, too',
  'object.missing': 'REDIS_URL or REDIS_CLUSTER_NODES is required',
};

/**
 * Reads the configuration of docs/operator#settings from `env` (by default the process environment, completed from
 * `.env`). Empty variables count as unset. Throws `ConfigError` naming all problems at once; values are never repeated
 * in it.
 */
export function loadConfig(env: NodeJS.ProcessEnv = environmentWithFile()): Config {
  const unreadable: string[] = [];
  const readSetting = (name: string): string | undefined => {
    if (!SECRET_SETTINGS.includes(name)) return env[name];
    try {
      return readSecret(env, name);
    } catch (error) {
      unreadable.push((error as Error).message);
      return undefined;
    }
  };
  const values = ALL_SETTINGS.map(({ name }) => [name, readSetting(name)] as const);
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  const given = Object.fromEntries(values.filter(([, value]) => value));
  const { value, error } = environment.validate(given, {
    abortEarly: false,
    errors: { wrap: { label: false } },
    messages: MESSAGES,
  });
  if (error) throw new ConfigError(error.details.map((detail) => detail.message));
  return deepFreeze(fromEnvironment(value));
}

/**
 * The same for every process that does not sign the log, such as an API: it removes the keys of the log from its environment,
 * does not read their files, and warns. What the process was started with stays in `/proc/PID/environ` until it ends.
 */
export function loadConfigWithoutLogKeys(warn: (message: string) => void = console.warn): Config {
  const env = environmentWithFile();
  for (const name of LOG_KEYS) {
    if (env[name])
      warn(`${name} is set for a process that does not sign: set it for workers alone, best as ${fileVariable(name)}`);
    delete env[name];
    delete env[fileVariable(name)];
  }
  return loadConfig(env);
}

function environmentWithFile(): NodeJS.ProcessEnv {
  loadEnvFile();
  return process.env;
}

function fromEnvironment(env: Readonly<Record<string, unknown>>): Config {
  const values = valuesOf(SETTINGS, env);
  const { api, worker = portAfter(api) } = values.opsPorts;
  return { ...values, opsPorts: { api, worker }, processName: `${hostname()}:${process.pid}` };
}

function portAfter(port: number): number {
  return port === 0 || port === 65_535 ? 0 : port + 1;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

/** The name of a log without `LOG_ORIGIN`: `<host of the public address>/log/<first 8 characters of the deployment's id>`. */
export function defaultLogOrigin({ publicBaseUrl, host, port }: Config, deployment: string): string {
  const place = publicBaseUrl === undefined ? `${host}:${port}` : new URL(publicBaseUrl).host;
  return `${place}/log/${deployment.slice(0, 8)}`;
}
