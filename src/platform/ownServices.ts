import { loadEnvFile } from './envFile.ts';

/** Where `npm start` keeps the addresses of the services that it brought. */
const OWN_SERVICES = '.forum/env';

/** Without an address of a database, in `.env` neither, that of the forum which `npm start` serves here, if there is one. */
export function loadOwnServices(): void {
  loadEnvFile();
  if (!process.env.DATABASE_URL && !process.env.DATABASE_URL_FILE) loadEnvFile(OWN_SERVICES);
}
