// `npm run export -- FOLDER`: writes all public data as NDJSON with a manifest into a new folder, for `forum verify
// export`.
import { loadConfigWithoutLogKeys } from '../../config.ts';
import { Postgres } from '../../platform/postgres/postgres.ts';
import { exitWith, ignoreClosedOutput, StartupError } from '../../platform/startupError.ts';
import { loadOwnServices } from '../../start/envFile.ts';
import { startFailure } from '../../start/startFailure.ts';
import { exportForum } from './exportForum.ts';

async function main(): Promise<void> {
  ignoreClosedOutput();
  const [path, ...more] = process.argv.slice(2);
  if (path === undefined || path.startsWith('-') || more.length > 0)
    throw new StartupError('Usage: npm run export -- FOLDER');
  loadOwnServices();
  const config = loadConfigWithoutLogKeys();
  const { databaseUrl: url, databaseStatements: statements, processName } = config;
  const db = new Postgres({ url, statements, maxConnections: 1, applicationName: `forum export ${processName}` });
  try {
    const { files } = await exportForum(db, config, path).catch((error: unknown) => {
      throw startFailure(error, url);
    });
    for (const { name, rows, bytes } of files) console.log(`${name}: ${rows} rows, ${(bytes / 1e6).toFixed(1)} MB`);
    console.log(`Check it: npm run -s forum -- verify export ${path} --log-key VKEY`);
  } finally {
    await db.close();
  }
}

await main().catch(exitWith);
