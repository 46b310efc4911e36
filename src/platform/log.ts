import { type Logger, pino } from 'pino';

/** Lines that are written at once; below that pino gathers them, which saves a system call a request. */
const BUFFER_BYTES = 4_096;
const FLUSH_INTERVAL_MS = 500;

/** Where the database tells of an error what it was about: the row that broke a constraint stands there in full. */
const TOLD_BY_THE_ROW = ['detail', 'internalQuery'];

/** How values of the log are written that are no plain data. */
export const LOG_SERIALIZERS = {
  err: (error: Error): object => {
    const written: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
    for (const name of TOLD_BY_THE_ROW) delete written[name];
    return written;
  },
};

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
