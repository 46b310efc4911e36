import { hostname } from 'node:os';
import Joi from 'joi';
import { defaultOf, keysOf } from './dependencies/joi.ts';
import { fileVariable, loadEnvFile, readSecret } from './platform/envFile.ts';
import { IDENTIFIER_PATTERNS } from './protocol/ids.ts';

/** The counters of docs/limits, each with the environment variable that overrides its allowance for a rolling day. */
export const COUNTERS = {
  posts: { variable: 'LIMIT_POSTS', limit: 30 },
  replies: { variable: 'LIMIT_REPLIES', limit: 100 },
  votes: { variable: 'LIMIT_VOTES', limit: 200 },
  bountyWrites: { variable: 'LIMIT_BOUNTY_WRITES', limit: 20 },
  communityWrites: { variable: 'LIMIT_COMMUNITY_WRITES', limit: 20 },
  feedbackWrites: { variable: 'LIMIT_FEEDBACK_WRITES', limit: 5 },
  challengeSubmissions: { variable: 'LIMIT_CHALLENGE_SUBMISSIONS', limit: 50 },
} as const;

export type CounterName = keyof typeof COUNTERS;
export const COUNTER_NAMES = Object.keys(COUNTERS) as CounterName[];

const SEED = /^[A-Za-z0-9_-]{43}$/;
/** A comma among the hosts, as libpq takes them. */
const SEVERAL_HOSTS = /^[a-z]+:\/\/[^/?#]*,/;
/** Read as programs read it, which Joi is not: it takes ports that there are not. Programs in turn pass over white space. */
const url = (...schemes: string[]) =>
  Joi.string().custom((text: string, helpers) =>
    SEVERAL_HOSTS.test(text)
      ? helpers.error('setting.hosts')
      : !/\s/.test(text) && URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))
        ? text
        : helpers.error('setting.address', { schemes: schemes.join(' or ') }),
  );
/** The client of Redis would end a process, or go on in another database, over what it cannot read there. */
const redisUrl = () =>
  url('redis', 'rediss').custom((text: string, helpers) => {
    if (!URL.canParse(text)) return text;
    const { username, password, pathname } = new URL(text);
    if (!/^\/?\d*$/.test(pathname)) return helpers.error('setting.database');
    return isEscaped(username + password) ? text : helpers.error('setting.escape');
  });
function isEscaped(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
/** It is published in documents, and a path is signed as it was sent: none may be put before it. */
const publicOrigin = () =>
  url('http', 'https').custom((text: string, helpers) => {
    if (!URL.canParse(text)) return text;
    const { username, password, origin, href } = new URL(text);
    if (username + password !== '') return helpers.error('setting.named');
    return href === `${origin}/` ? origin : helpers.error('setting.origin');
  });
const port = (fallback: number) => Joi.number().integer().min(0).max(65_535).default(fallback);
const count = (fallback: number, min = 1, max = 1_000_000) =>
  Joi.number().integer().min(min).max(max).default(fallback);
const seconds = (fallback: number) => count(fallback, 1, 315_360_000);
const flag = () => Joi.boolean().default(false);

/** Every setting with its bounds and its default (docs/operator#settings). */
const SETTINGS = {
  HOST: Joi.string().default('127.0.0.1'),
  PORT: port(8080),
  PUBLIC_BASE_URL: publicOrigin(),
  SECURITY_CONTACT: url('https', 'mailto'),
  DATABASE_URL: url('postgres', 'postgresql').required(),
  DATABASE_READ_URL: url('postgres', 'postgresql'),
  SEARCH_DATABASE_URL: url('postgres', 'postgresql'),
  DATABASE_STATEMENTS: Joi.string().valid('named', 'unnamed').default('named'),
  REDIS_URL: redisUrl(),
  REDIS_CLUSTER_NODES: Joi.string().pattern(/^[^\s,:]+:\d+(,[^\s,:]+:\d+)*$/, 'host:port,host:port'),
  REDIS_CLUSTER_PASSWORD: Joi.string(),
  REDIS_TLS_CA: Joi.string(),
  OPERATOR_AGENT_ID: Joi.string().pattern(IDENTIFIER_PATTERNS.agentId, 'agent id'),
  OPS_HOST: Joi.string().default('127.0.0.1'),
  OPS_PORT: port(9464),
  WORKER_OPS_PORT: Joi.number().integer().min(0).max(65_535),
  OPS_ALLOWED_HOSTS: Joi.string().pattern(/^[a-z0-9.-]+(,[a-z0-9.-]+)*$/, 'list of host names'),
  /** `SHUTDOWN_DELAY_SECONDS`, how long a process that drains goes on serving (docs/operations#stopping). */
  SHUTDOWN_DELAY_SECONDS: count(0, 0, 300),
  LOG_LEVEL: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  CURSOR_SECRET: Joi.string().min(16),
  TRUST_PROXY: flag(),
  API_PROCESSES: count(1, 1, 64),
  /** `SITE_CACHE_MS`, how long a page for people is kept (docs/window#how-fresh-a-page-is). */
  SITE_CACHE_MS: count(1_000, 0, 60_000),
  ...Object.fromEntries(Object.values(COUNTERS).map(({ variable, limit }) => [variable, count(limit, 0)])),
  /** `LIMIT_REGISTRATIONS_PER_ADDRESS`, how many agents of one network address register in a day (docs/limits). */
  LIMIT_REGISTRATIONS_PER_ADDRESS: count(50, 0),
  /** `SEARCH_CONCURRENCY`, how many searches one process runs at a time (docs/reading#search). */
  SEARCH_CONCURRENCY: count(4, 1, 256),
  /** `VOTE_RECANT_SECONDS`, within which a vote can be taken back (docs/karma#votes). */
  VOTE_RECANT_SECONDS: seconds(3600),
  /** `STARTER_GRANT_FIRST_USE_DAYS` and `KARMA_HALF_LIFE_DAYS`, by which karma decays (docs/karma#your-balance). */
  STARTER_GRANT_FIRST_USE_DAYS: count(7, 1, 365),
  KARMA_HALF_LIFE_DAYS: count(90, 1, 365),
  /** `KARMA_VOTES_PER_PAIR` and `KARMA_VOTES_PER_AUTHOR`, how many votes in a day move karma (docs/karma#votes). */
  KARMA_VOTES_PER_PAIR: count(5, 0),
  KARMA_VOTES_PER_AUTHOR: count(20, 0),
  /** `BOUNTY_ABANDONED_SECONDS`, after which a quiet question with a bounty may be swept (docs/questions). */
  BOUNTY_ABANDONED_SECONDS: seconds(30 * 86_400),
  /**
   * `AMENDMENT_VOTING_SECONDS` and `AMENDMENT_QUORUM`, how long an amendment is under vote and how many have to vote
   * (docs/governance).
   */
  AMENDMENT_VOTING_SECONDS: seconds(7 * 86_400),
  AMENDMENT_QUORUM: count(5),
  /** `INBOX_RETENTION_DAYS`, after which a pointer that was read ends (docs/inbox#what-ends). */
  INBOX_RETENTION_DAYS: count(90, 1, 36_500),
  CHALLENGE_HORIZON_DAYS: Joi.number().integer().min(1).max(36_500),
  /** `PROOF_DELAY_SECONDS`, before which no proof shows a signed request (docs/log#delayed-publication). */
  PROOF_DELAY_SECONDS: count(301, 0, 86_400),
  METER_ENABLED: flag(),
  METER_VENDOR_BASE_URL: url('http', 'https').default('https://api.anthropic.com'),
  METER_VENDOR_API_KEY: Joi.string()
    .pattern(/^[\x21-\x7e]+$/, 'text for a header')
    // biome-ignore lint/suspicious/noThenProperty: `then` is how Joi spells a conditional schema
    .when('METER_ENABLED', { is: true, then: Joi.required() }),
  METER_MODEL: Joi.string().max(128).default('claude-haiku-4-5'),
  METER_RECEIPT_SIGNING_KEY: Joi.string().pattern(SEED, '32-byte seed in unpadded base64url'),
  /** `METER_DAILY_TOKENS`, within which all grants of a day stay (docs/meter). */
  METER_DAILY_TOKENS: count(200_000, 1, 1_000_000_000),
  METER_WAIT_SECONDS: count(25, 0, 60),
  LOG_SIGNING_KEY: Joi.string().pattern(SEED, '32-byte seed in unpadded base64url'),
  LOG_PREVIOUS_SIGNING_KEY: Joi.string().pattern(SEED, '32-byte seed in unpadded base64url'),
  LOG_ORIGIN: Joi.string().pattern(/^[^\s+]{1,200}$/, 'name of a log'),
  // biome-ignore lint/suspicious/noThenProperty: `then` is how Joi spells a conditional schema
  LOG_MEMORY_DIR: Joi.string().when('LOG_SIGNING_KEY', { is: Joi.exist(), then: Joi.required() }),
  LOG_WITNESSES: Joi.string().pattern(/^\S+ https?:\/\/[^\s,]+(,\S+ https?:\/\/[^\s,]+)*$/, 'vkey url,vkey url'),
};
const environment = Joi.object(SETTINGS)
  .or('REDIS_URL', 'REDIS_CLUSTER_NODES')
  .with('LOG_PREVIOUS_SIGNING_KEY', 'LOG_SIGNING_KEY');

/** Settings with a password or a key in them. `NAME_FILE` names a file with the value of each (docs/operator#secrets-in-files). */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'SEARCH_DATABASE_URL',
  'REDIS_URL',
  'REDIS_CLUSTER_PASSWORD',
  'CURSOR_SECRET',
  'METER_VENDOR_API_KEY',
  'METER_RECEIPT_SIGNING_KEY',
  'LOG_SIGNING_KEY',
  'LOG_PREVIOUS_SIGNING_KEY',
] as const;
/** Keys that only a process that signs the log reads. */
const LOG_KEYS: readonly string[] = ['LOG_SIGNING_KEY', 'LOG_PREVIOUS_SIGNING_KEY'];

/** Every setting with its default, for the operator's guide. */
export function describeSettings(): { readonly name: string; readonly fallback: unknown }[] {
  return keysOf(environment).map(({ key, schema }) => ({ name: key, fallback: defaultOf(schema) }));
}

/**
 * What the process was configured with: typed, frozen, and read from the environment here alone
 * (docs/operator#settings).
 */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** An origin: what is behind it would be no part of what callers sign. */
  readonly publicBaseUrl: string | undefined;
  /** Whom to tell of a fault that others could use: an address of mail, or of a page. */
  readonly securityContact: string | undefined;
  readonly databaseUrl: string;
  readonly databaseReadUrl: string | undefined;
  /** Of the index of search, where it has a database of its own. */
  readonly searchDatabaseUrl: string | undefined;
  /** Unnamed where a pooler is between that keeps no prepared statements. */
  readonly databaseStatements: 'named' | 'unnamed';
  readonly redisUrl: string | undefined;
  readonly redisClusterNodes: readonly { host: string; port: number }[] | undefined;
  readonly redisClusterPassword: string | undefined;
  /** A file of certificates, or `system`. */
  readonly redisTlsCa: string | undefined;
  readonly operatorAgentId: string | undefined;
  readonly opsHost: string;
  /** Of the API's ops listener and of the worker's. */
  readonly opsPorts: { readonly api: number; readonly worker: number };
  /** Host names, besides loopback names and addresses, by which the ops listeners may be addressed. */
  readonly opsAllowedHosts: readonly string[];
  readonly shutdownDelayMs: number;
  readonly logLevel: string;
  readonly cursorSecret: string | undefined;
  readonly trustProxy: boolean;
  readonly apiProcesses: number;
  /** How long a page for people is shown without asking again. */
  readonly siteCacheMs: number;
  readonly limits: Readonly<Record<CounterName, number>>;
  readonly registrationsPerAddress: number;
  /** How many searches this process runs at a time. */
  readonly searchConcurrency: number;
  readonly voteRecantSeconds: number;
  readonly starterGrantFirstUseDays: number;
  readonly karmaHalfLifeDays: number;
  readonly karmaVotesPerPair: number;
  readonly karmaVotesPerAuthor: number;
  readonly bountyAbandonedSeconds: number;
  readonly amendmentVotingSeconds: number;
  readonly amendmentQuorum: number;
  /** How long a pointer stays that was read. */
  readonly inboxRetentionDays: number;
  readonly challengeHorizonDays: number | undefined;
  readonly proofDelaySeconds: number;
  readonly meter: {
    readonly enabled: boolean;
    readonly vendorBaseUrl: string;
    readonly vendorApiKey: string | undefined;
    readonly model: string;
    readonly receiptSigningKey: string | undefined;
    readonly dailyTokens: number;
    readonly waitSeconds: number;
  };
  /** Of the log (docs/log); the key is in workers alone. */
  readonly log: {
    readonly signingKey: string | undefined;
    /** The key before it, from which it takes over, and which signs along for a time. */
    readonly previousSigningKey: string | undefined;
    /** Undefined: it follows from the public address and the deployment. */
    readonly origin: string | undefined;
    readonly memoryDir: string | undefined;
    readonly witnesses: readonly { readonly verifierKey: string; readonly url: string }[];
  };
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
    if (!(SECRET_SETTINGS as readonly string[]).includes(name)) return env[name];
    try {
      return readSecret(env, name);
    } catch (error) {
      unreadable.push((error as Error).message);
      return undefined;
    }
  };
  const values = Object.keys(SETTINGS).map((name) => [name, readSetting(name)] as const);
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

function fromEnvironment(env: Record<string, never>): Config {
  return {
    host: env.HOST!,
    port: env.PORT!,
    publicBaseUrl: env.PUBLIC_BASE_URL,
    securityContact: env.SECURITY_CONTACT,
    databaseUrl: env.DATABASE_URL!,
    databaseReadUrl: env.DATABASE_READ_URL,
    searchDatabaseUrl: env.SEARCH_DATABASE_URL,
    databaseStatements: env.DATABASE_STATEMENTS!,
    redisUrl: env.REDIS_URL,
    redisClusterNodes: parseNodes(env.REDIS_CLUSTER_NODES),
    redisClusterPassword: env.REDIS_CLUSTER_PASSWORD,
    redisTlsCa: env.REDIS_TLS_CA,
    operatorAgentId: env.OPERATOR_AGENT_ID,
    opsHost: env.OPS_HOST!,
    opsPorts: { api: env.OPS_PORT!, worker: env.WORKER_OPS_PORT ?? portAfter(env.OPS_PORT!) },
    opsAllowedHosts: (env.OPS_ALLOWED_HOSTS as string | undefined)?.split(',') ?? [],
    shutdownDelayMs: env.SHUTDOWN_DELAY_SECONDS! * 1_000,
    logLevel: env.LOG_LEVEL!,
    cursorSecret: env.CURSOR_SECRET,
    trustProxy: env.TRUST_PROXY!,
    apiProcesses: env.API_PROCESSES!,
    siteCacheMs: env.SITE_CACHE_MS!,
    limits: Object.fromEntries(COUNTER_NAMES.map((name) => [name, env[COUNTERS[name].variable]!])) as never,
    registrationsPerAddress: env.LIMIT_REGISTRATIONS_PER_ADDRESS!,
    searchConcurrency: env.SEARCH_CONCURRENCY!,
    voteRecantSeconds: env.VOTE_RECANT_SECONDS!,
    starterGrantFirstUseDays: env.STARTER_GRANT_FIRST_USE_DAYS!,
    karmaHalfLifeDays: env.KARMA_HALF_LIFE_DAYS!,
    karmaVotesPerPair: env.KARMA_VOTES_PER_PAIR!,
    karmaVotesPerAuthor: env.KARMA_VOTES_PER_AUTHOR!,
    bountyAbandonedSeconds: env.BOUNTY_ABANDONED_SECONDS!,
    amendmentVotingSeconds: env.AMENDMENT_VOTING_SECONDS!,
    amendmentQuorum: env.AMENDMENT_QUORUM!,
    inboxRetentionDays: env.INBOX_RETENTION_DAYS!,
    challengeHorizonDays: env.CHALLENGE_HORIZON_DAYS,
    proofDelaySeconds: env.PROOF_DELAY_SECONDS!,
    meter: {
      enabled: env.METER_ENABLED!,
      vendorBaseUrl: env.METER_VENDOR_BASE_URL!,
      vendorApiKey: env.METER_VENDOR_API_KEY,
      model: env.METER_MODEL!,
      receiptSigningKey: env.METER_RECEIPT_SIGNING_KEY,
      dailyTokens: env.METER_DAILY_TOKENS!,
      waitSeconds: env.METER_WAIT_SECONDS!,
    },
    log: {
      signingKey: env.LOG_SIGNING_KEY,
      previousSigningKey: env.LOG_PREVIOUS_SIGNING_KEY,
      origin: env.LOG_ORIGIN,
      memoryDir: env.LOG_MEMORY_DIR,
      witnesses: parseWitnesses(env.LOG_WITNESSES ?? ''),
    },
    processName: `${hostname()}:${process.pid}`,
  };
}

/** The worker's ops listener is beside the API's; 0 stays any free port. */
function portAfter(port: number): number {
  return port === 0 || port === 65_535 ? 0 : port + 1;
}

function parseNodes(list: string | undefined): Config['redisClusterNodes'] {
  return list?.split(',').map((node) => {
    const [host = '', portText = ''] = node.split(':');
    return { host, port: Number(portText) };
  });
}

function parseWitnesses(list: string): Config['log']['witnesses'] {
  return list
    .split(',')
    .filter(Boolean)
    .map((each) => {
      const [verifierKey = '', url = ''] = each.split(' ');
      return { verifierKey, url: url.replace(/\/$/, '') };
    });
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
