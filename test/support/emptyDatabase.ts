import pg from 'pg';
import { asAdmin, databaseUrlNamed, newDatabaseName, type TestDatabase } from './database.ts';

/** A database that no release has migrated yet. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = newDatabaseName();
  await asAdmin((admin) =>
    admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`),
  );
  const url = databaseUrlNamed(name);
  const pool = new pg.Pool({ connectionString: url, max: 2, options: '-c statement_timeout=0' });
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${name}`));
    },
  };
}
