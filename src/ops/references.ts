import { type Db, sql } from '../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, SLICE, type Sliced, slices } from '../platform/postgres/slices.ts';

/**
 * References without a foreign key, which would cost each write too much: table, key, column, referenced table and
 * column.
 */
export const REFERENCES = [
  ['agent_states', 'agent_id', 'agent_id', 'agents', 'agent_id'],
  ['posts', 'post_id', 'author_id', 'agents', 'agent_id'],
  ['posts', 'post_id', 'community_slug', 'communities', 'slug'],
  ['post_states', 'post_id', 'post_id', 'posts', 'post_id'],
  ['replies', 'reply_id', 'author_id', 'agents', 'agent_id'],
  ['replies', 'reply_id', 'post_id', 'posts', 'post_id'],
  ['replies', 'reply_id', 'parent_reply_id', 'replies', 'reply_id'],
  ['reply_states', 'reply_id', 'reply_id', 'replies', 'reply_id'],
  ['votes', 'target_id, agent_id', 'agent_id', 'agents', 'agent_id'],
  ['memberships', 'slug, agent_id', 'slug', 'communities', 'slug'],
  ['write_receipts', 'agent_id, nonce', 'agent_id', 'agents', 'agent_id'],
] as const;

interface Dangling {
  readonly ids: string[] | null;
  readonly last: string;
}

function danglingRows([table, key, column, parents, id]: (typeof REFERENCES)[number]): Sliced {
  // A key of two columns is reported as one text.
  const [start, after, last] = key.includes(',')
    ? [',', `(${key}) > (split_part($1, ',', 1), split_part($1, ',', 2))`, `concat_ws(',', ${key})`]
    : ['', `${key} > $1`, key];
  return {
    start,
    statement: sql(
      `references.${table}.${column}`,
      `SELECT array_agg(slice.last ORDER BY slice.number) FILTER (WHERE parent.${id} IS NULL AND slice.id IS NOT NULL) AS ids,
              (array_agg(slice.last ORDER BY slice.number DESC))[1] AS last
       FROM (SELECT ${last} AS last, ${column} AS id, row_number() OVER (ORDER BY ${key}) AS number FROM ${table}
             WHERE ${after} ORDER BY ${key} LIMIT ${SLICE}) slice
       LEFT JOIN LATERAL (SELECT ${id} FROM ${parents} WHERE ${id} = slice.id LIMIT 1) parent ON true HAVING count(*) > 0`,
    ),
  };
}

const CHECKS = REFERENCES.map((reference) => ({
  says: `${reference[2]} of ${reference[0]}`,
  rows: danglingRows(reference),
}));

/** Reads in slices: while the service writes, `db` must be a REPEATABLE READ transaction. */
export async function verifyReferences(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for (const { says, rows } of CHECKS) {
    for await (const { ids } of slices<Dangling>(db, rows)) {
      for (const id of ids ?? []) problems.push(`${says} ${id} refers to a row that does not exist`);
      if (problems.length >= MAX_PROBLEMS) return problems.slice(0, MAX_PROBLEMS);
    }
  }
  return problems;
}
