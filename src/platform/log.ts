import { type Logger, pino } from 'pino';

/** Lines that are written at once; below that pino gathers them, which saves a system call a request. */
const BUFFER_BYTES = 4_096;
const FLUSH_INTERVAL_MS = 500;

/**
 * Where drivers keep what an error was about: the row that broke a constraint stands there in full, and the command that
 * Redis refused with the password in it.
 */
const LEFT_OUT = ['detail', 'internalQuery', 'command'];

/** How values of the log are written that are no plain data. */
export const LOG_SERIALIZERS = {
  err: (error: Error): object => withoutContent({ ...pino.stdSerializers.err(error) }),
};

/** Errors that are kept in an error, too. */
function withoutContent(written: object): object {
  const kept = Object.entries(written).filter(([name]) => !LEFT_OUT.includes(name));
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    return typeof value === 'object' && value !== null && 'stack' in value ? withoutContent(value) : value;
  };
  return Object.fromEntries(kept.map(([name, value]) => [name, clean(value)]));
}

/**
 * The log: JSON lines on standard output, so that a line feed in what an agent sent cannot forge one. Bodies,
 * signatures and secrets are never handed to it.
 */
export function createLog(level: string, name: string): Logger {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  return pino({ level, name, base: { pid: process.pid }, serializers: LOG_SERIALIZERS }, destination);
}
