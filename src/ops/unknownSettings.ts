import { didYouMean } from '../hints/nearest.ts';
import { ALL_SETTINGS, SECRET_SETTINGS } from '../settings.ts';
import { fileVariable } from '../start/envFile.ts';

/** Variables of `npm start`, of Docker Compose, and those that Kubernetes sets for services. */
const NO_SETTINGS = /^(LOG_FORMAT|REDIS_(PASSWORD|MEMORY|MAXMEMORY))$|_SERVICE_|_PORT(_|$)/;

/** Finds misspelt settings, such as `LIMIT_POST`: their prefix is that of two settings. Returns no values. */
export function unknownSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = [...ALL_SETTINGS.map(({ name }) => name), ...SECRET_SETTINGS.map(fileVariable)];
  const prefixes = known.map(prefixOf).filter((prefix, n, all) => prefix !== '' && all.indexOf(prefix) !== n);
  return Object.keys(env)
    .filter((name) => !known.includes(name) && !NO_SETTINGS.test(name) && prefixes.includes(prefixOf(name)))
    .toSorted()
    .map((name) => `${name} is not a setting and is ignored${didYouMean(name, known)}`);
}

function prefixOf(name: string): string {
  return name.slice(0, name.indexOf('_') + 1);
}
