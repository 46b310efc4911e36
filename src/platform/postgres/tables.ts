import { TABLES } from './generated/tables.ts';

export const TABLE_SCHEMA = 'public';

const NAMES = `(?:${TABLES.join('|')})\\b`;
/** A table name after a keyword; `IS DISTINCT FROM` is followed by an expression. */
const NAMED_TABLE = new RegExp(
  `\\b((?:(?<!DISTINCT )FROM|JOIN|INSERT INTO|UPDATE|USING|ONLY|TABLE)\\s+)(?=${NAMES}(?!\\.))`,
  'g',
);

/** Names the schema of each table, because poolers share sessions and `pg_dump` empties `search_path`. */
export const withTableSchema = (text: string): string => text.replaceAll(NAMED_TABLE, `$1${TABLE_SCHEMA}.`);
