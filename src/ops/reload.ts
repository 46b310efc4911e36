import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { type Config, ConfigError, loadConfig, variablesThatReload } from '../config.ts';
import { changedSettings } from '../settings.ts';
import { unknownSettings } from './unknownSettings.ts';

/**
 * Returns what a process does at a reload: it reads the settings again, and passes them to `apply`. If one is invalid,
 * nothing changes (docs/operator#reload).
 */
export function reloader(config: Config, log: Logger, apply: (next: Config) => void = () => {}): () => void {
  let current = config;
  return () => {
    try {
      const next = loadConfig(process.env);
      const changed = changedSettings(current, next);
      if (cluster.isPrimary) for (const problem of unknownSettings(variablesThatReload())) log.warn(problem);
      current = next;
      log.level = next.logLevel;
      apply(next);
      log.info({ changed }, 'settings reloaded');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.error({ problems: error.problems }, 'settings not reloaded, because they are invalid');
    }
  };
}
