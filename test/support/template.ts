import { migrateLatest } from '../../migrations/run.ts';
import { asAdmin, databaseUrlNamed, templateName } from './database.ts';

/** Makes the migrated database that `createDatabase` copies, on the server of TEST_DATABASE_URL. */
export async function createTemplate(): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query(`DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
    await admin.query(
      `CREATE DATABASE ${templateName} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`,
    );
  });
  await migrateLatest(databaseUrlNamed(templateName));
  // A connection to the template would make every copy wait.
  await asAdmin((admin) => admin.query(`ALTER DATABASE ${templateName} ALLOW_CONNECTIONS false`));
}
