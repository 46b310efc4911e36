import { StartupError } from '../startupError.ts';
import { recreateCommand } from './startFailure.ts';
import { type Db, sql } from './statement.ts';

const READ_ENCODING = sql('encoding.read', `SELECT current_setting('server_encoding') AS encoding`);

/** Throws `StartupError` unless the database is in UTF-8. In other encodings PostgreSQL cannot store every text. */
export async function requireUtf8(db: Db, url: string): Promise<void> {
  const [row] = await db.query<{ encoding: string }>(READ_ENCODING);
  if (row!.encoding === 'UTF8') return;
  throw new StartupError(
    `The database has the encoding ${row!.encoding}, and the forum needs UTF8. Make it anew: ${recreateCommand(url)}`,
  );
}
