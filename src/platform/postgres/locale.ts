import { StartupError } from '../startupError.ts';
import { sqlState } from './sqlState.ts';
import { recreateCommand } from './startFailure.ts';
import { type Db, sql } from './statement.ts';

const READ_ENCODING = sql('locale.encoding', `SELECT current_setting('server_encoding') AS encoding`);
/** `show_trgm` is of the extension that search is indexed by: with LC_CTYPE C it knows no letters beyond ASCII. */
const READ_LETTERS = sql('locale.letters', `SELECT cardinality(public.show_trgm('жук')) > 0 AS known`);

const UNDEFINED_FUNCTION = '42883';

/** What is wrong with the character classes, as `/ready` and the log say it. */
export const UNKNOWN_LETTERS =
  'the database has LC_CTYPE C: its index finds no word in other scripts than Latin, and such a search reads all posts';

/** Throws `StartupError` for a database that cannot store every text: what it measures in characters would be bytes. */
export async function requireUtf8(db: Db, url: string): Promise<void> {
  const [row] = await db.query<{ encoding: string }>(READ_ENCODING);
  if (row!.encoding === 'UTF8') return;
  throw new StartupError(
    `The database has the encoding ${row!.encoding}, and the forum needs UTF8. Make it anew: ${recreateCommand(url)}`,
  );
}

/**
 * True when the database knows the letters of all scripts, which the index of search goes by. Where it does not, nothing
 * is lost but time.
 */
export async function knowsLetters(db: Db): Promise<boolean> {
  try {
    const [row] = await db.query<{ known: boolean }>(READ_LETTERS);
    return row!.known;
  } catch (error) {
    // An administrator may have installed the extension in another schema: then nothing is known to be wrong.
    if (sqlState(error) === UNDEFINED_FUNCTION) return true;
    throw error;
  }
}

/** Throws `StartupError` unless a database that holds nothing yet was created as the service needs it. */
export async function requireLocale(db: Db, url: string): Promise<void> {
  await requireUtf8(db, url);
  if (await knowsLetters(db)) return;
  throw new StartupError(
    `The database was created with LC_CTYPE C, where search finds no word in other scripts than Latin by its index. ` +
      `Make it anew: ${recreateCommand(url)}`,
  );
}
