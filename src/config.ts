import { hostname } from 'node:os';
import Joi from 'joi';
import { SEVERAL_HOSTS } from './platform/hostUrls.ts';
import { StartupError } from './platform/startupError.ts';
import { ALL_SETTINGS, SETTINGS, type ValuesOf, valuesOf } from './settings.ts';
import { fileVariable, loadEnvFile, readSecret, readVariables } from './start/envFile.ts';

export { COUNTER_NAMES, COUNTERS, type CounterName } from './settings.ts';

const environment = Joi.object(Object.fromEntries(ALL_SETTINGS.map(({ name, schema }) => [name, schema])))
  .or('REDIS_URL', 'REDIS_CLUSTER_NODES')
  .with('LOG_PREVIOUS_SIGNING_KEY', 'LOG_SIGNING_KEY');

/** Keys that only a process that signs the log reads. */
const LOG_KEYS: readonly string[] = ['LOG_SIGNING_KEY', 'LOG_PREVIOUS_SIGNING_KEY'];

/**
 * The checked configuration of a process, frozen. Only `loadConfig` reads settings from the environment
 * (docs/operator#settings).
 */
export interface Config extends Omit<ValuesOf<typeof SETTINGS>, 'opsPorts'> {
  readonly opsPorts: { readonly api: number; readonly worker: number };
  /** Names this process in leases, connections and metrics. */
  readonly processName: string;
}

/** The settings are invalid. The message has one line for each problem. */
export class ConfigError extends StartupError {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Joi's own messages repeat the value, which may be a mistyped key. */
const MESSAGES = {
  'string.pattern.name': '{{#label}} is not a valid {{#name}}',
  'string.pattern.base': '{{#label}} does not have the required form',
  'setting.address': '{{#label}} must be a URL that begins with {{#schemes}}',
  'setting.blockList': '{{#problem}}',
  'setting.host': '{{#label}} names several hosts. Give one host',
  'setting.hosts': `{{#label}} ${SEVERAL_HOSTS}`,
  'setting.master':
    '{{#label}} must end with the name of the master that the sentinels watch, such as /mymaster or /mymaster/0',
  'setting.database': '{{#label}} may have only a database number after the host, such as /0',
  'setting.escape': '{{#label}} has an unescaped % in its user or password. Write it as %25',
  'setting.named': '{{#label}} must not contain a user name or a password',
  'setting.origin': '{{#label}} must be an origin without a path, such as https://forum.example',
  'object.with': '{{#mainWithLabel}} requires {{#peerWithLabel}}. Set both',
  'object.missing': 'REDIS_URL or REDIS_CLUSTER_NODES is required',
};

/** Treats empty variables as unset. Throws `ConfigError` with all problems and no value (docs/operator#settings). */
export function loadConfig(env: NodeJS.ProcessEnv = environmentWithFile()): Config {
  const unreadable: string[] = [];
  const readable = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      unreadable.push((error as Error).message);
      return undefined;
    }
  };
  const reloaded = readable(() => variablesThatReload(env)) ?? {};
  const given: Record<string, string> = {};
  for (const { name, isSecret, reloads } of ALL_SETTINGS) {
    const text = readable(() => (isSecret ? readSecret(env, name) : (reloads ? reloaded : env)[name]));
    if (text) given[name] = text;
  }
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  const options = { abortEarly: false, errors: { wrap: { label: false as const } }, messages: MESSAGES };
  const { value, error } = environment.validate(given, options);
  if (error) throw new ConfigError(error.details.map((detail) => detail.message));
  const values = valuesOf(SETTINGS, value);
  const { api, worker = api === 0 || api === 65_535 ? 0 : api + 1 } = values.opsPorts;
  return deepFreeze({ ...values, opsPorts: { api, worker }, processName: `${hostname()}:${process.pid}` });
}

/**
 * For a process that does not sign the log: removes its keys from the environment, although `/proc/PID/environ` keeps
 * them.
 */
export function loadConfigWithoutLogKeys(warn: (message: string) => void = console.warn): Config {
  const env = environmentWithFile();
  for (const name of LOG_KEYS) {
    if (env[name])
      warn(
        `${name} is set, but this process does not sign the log. Set it for workers only, preferably as ${fileVariable(name)}`,
      );
    delete env[name];
    delete env[fileVariable(name)];
  }
  return loadConfig(env);
}

/** With `SETTINGS_FILE` that file, so that a line removed from it counts as unset. Otherwise the environment. */
export const variablesThatReload = (env: NodeJS.ProcessEnv = process.env): NodeJS.Dict<string> =>
  env.SETTINGS_FILE ? readVariables('SETTINGS_FILE', env.SETTINGS_FILE) : env;

function environmentWithFile(): NodeJS.ProcessEnv {
  loadEnvFile();
  return process.env;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

/**
 * The name of a log without `LOG_ORIGIN`: `<host of the public address>/log/<first 8 characters of the deployment's
 * id>`.
 */
export function defaultLogOrigin({ publicBaseUrl, host, port }: Config, deployment: string): string {
  const place = publicBaseUrl === undefined ? `${host}:${port}` : new URL(publicBaseUrl).host;
  return `${place}/log/${deployment.slice(0, 8)}`;
}
