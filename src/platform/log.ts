import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';

/** Lines are written in blocks of this size, which saves a system call for each request. */
const BUFFER_BYTES = 4_096;
const FLUSH_INTERVAL_MS = 500;

/** Properties of errors with content: the row that broke a constraint, or a command with its password. */
const LEFT_OUT = ['detail', 'internalQuery', 'command'];

export const LOG_SERIALIZERS = {
  err: (error: Error): unknown => withoutContent(pino.stdSerializers.err(error)),
};

function withoutContent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutContent);
  if (typeof value !== 'object' || value === null || !('stack' in value)) return value;
  const shown = Object.entries(value).filter(([name]) => !LEFT_OUT.includes(name));
  return Object.fromEntries(shown.map(([name, each]) => [name, withoutContent(each)]));
}

/** JSON lines on standard output: a line feed in a text cannot forge one. Never pass bodies, signatures or secrets. */
export function createLog(level: string, name: string, version?: string): Logger {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  const base = { pid: process.pid, host: hostname(), service: `forum-${name}`, version };
  return pino({ level, name, base, serializers: LOG_SERIALIZERS }, destination);
}
