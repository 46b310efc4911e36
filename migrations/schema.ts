import pg from 'pg';

/** Partitions come and go with time, except the default ones. */
const PARTITIONS = `SELECT relname FROM pg_class WHERE relispartition AND relname NOT LIKE '%\\_default'`;

/** The shown parts of the catalogue in order: a heading and the statement that lists its lines. */
const SECTIONS: readonly (readonly [heading: string, text: string])[] = [
  [
    'Tables',
    `SELECT format('CREATE TABLE %I (%s)%s;', c.relname,
       string_agg(format(E'\\n  %I %s%s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
         CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %I', o.collname) ELSE '' END,
         CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
         CASE WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE '' END,
         coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')), ',' ORDER BY a.attnum),
       coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') || coalesce(' PARTITION BY ' || pg_get_partkeydef(c.oid), '')) AS line
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_collation o ON o.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace GROUP BY c.oid, c.relname, c.reloptions ORDER BY c.relname`,
  ],
  [
    'Constraints',
    `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
       AND conrelid NOT IN (SELECT oid FROM pg_class WHERE relispartition)
     ORDER BY conrelid::regclass::text, contype, conname`,
  ],
  [
    'Indexes',
    `SELECT indexdef || ';' AS line FROM pg_indexes i WHERE schemaname = 'public' AND NOT i.tablename IN (${PARTITIONS})
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname AND c.contype IN ('p', 'u'))
     ORDER BY tablename, indexname`,
  ],
  [
    'Functions of triggers',
    `SELECT format(E'%s\\n', pg_get_functiondef(p.oid)) AS line FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype = 'trigger'::regtype
     ORDER BY p.proname, pg_get_function_identity_arguments(p.oid)`,
  ],
  [
    'Triggers',
    `SELECT pg_get_triggerdef(t.oid) || ';' AS line FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE NOT t.tgisinternal AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, t.tgname`,
  ],
];

/** Major versions show expressions differently. */
async function majorVersion(client: Pick<pg.Client, 'query'>): Promise<number> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  return Math.floor(Number(rows[0]!.server_version_num) / 10_000);
}

/** The schema of a database as text, equal for equal schemas. For reading and comparing, not for loading. */
export async function schemaText(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const parts: string[] = [
      `-- What all migrations together make, as PostgreSQL ${await majorVersion(client)} shows it. Written by \`npm run schema\`, not for loading.`,
    ];
    for (const [heading, text] of SECTIONS) {
      const { rows } = await client.query<{ line: string }>(text);
      parts.push(`-- ${heading}`, ...rows.map(({ line }) => line.trimEnd()));
    }
    return `${parts.join('\n\n')}\n`;
  } finally {
    await client.end();
  }
}
