/** A function of the database as `pg_proc` has it. */
export interface StoredFunction {
  readonly name: string;
  readonly body: string;
}

/** Functions that write the kinds that they are given. */
const WRITERS = ['put_event', 'record_writes'];
const CALL = /\brelease_?\w*\.put_event\(\s*/gi;
const INSERT = /\bINSERT\s+INTO\s+(?:public\.)?outbox\b/gi;
const OPENING = /^\s*\(\s*kind\b[^)]*\)\s*/i;

/**
 * The kinds of the outbox rows that a function writes. Understands what a kind is written as: a literal, a CASE of
 * literals, a variable that is declared as one of these, and such parts joined by `||`. Throws at anything else, so
 * that no kind goes by unseen.
 */
export function emittedKinds({ name, body }: StoredFunction): Set<string> {
  if (WRITERS.includes(name)) return new Set();
  const source = body.replaceAll(/--.*$/gm, '');
  const kinds = new Set<string>();
  const add = (expression: string): void => {
    const kind = expression.slice(0, endOf(expression, /^,/));
    for (const value of valuesOf(kind.trim(), source, name)) kinds.add(value);
  };
  for (const { index, 0: found } of source.matchAll(CALL)) add(source.slice(index + found.length));
  for (const { index, 0: found } of source.matchAll(INSERT)) {
    const rest = source.slice(index + found.length);
    const columns = OPENING.exec(rest)?.[0];
    if (!columns) throw new Error(`${name}: an INSERT INTO outbox whose first column is not the kind`);
    const rows = rest.slice(columns.length, endOf(rest.slice(columns.length), /^;/) + columns.length);
    for (const row of rows.split(/\bUNION\s+ALL\b/i)) {
      const values = /^\s*(?:VALUES\s*\(|SELECT\s+(?:DISTINCT\s+)?)/i.exec(row)?.[0];
      if (!values) throw new Error(`${name}: rows of the outbox that are neither VALUES nor SELECT`);
      add(row.slice(values.length));
    }
  }
  return kinds;
}

/** The first position of `end` outside parentheses and strings; without one, the end of the text. */
function endOf(text: string, end: RegExp): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "'") at = text.indexOf("'", at + 1);
    else if (depth === 0 && end.test(text.slice(at, at + 2))) return at;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
  }
  return text.length;
}

function valuesOf(expression: string, source: string, name: string): string[] {
  const joint = endOf(expression, /^\|\|/);
  if (joint < expression.length) {
    const ends = valuesOf(expression.slice(joint + 2).trim(), source, name);
    return valuesOf(expression.slice(0, joint).trim(), source, name).flatMap((start) => ends.map((end) => start + end));
  }
  const literal = /^'([^']*)'$/.exec(expression)?.[1];
  if (literal !== undefined) return [literal];
  if (/^CASE\b[^;]*\bELSE\b[^;]*\bEND$/i.test(expression)) {
    const results = [...expression.matchAll(/\b(?:THEN|ELSE)\s+('[^']*'|\S+)/gi)];
    return results.flatMap(([, result]) => valuesOf(result!, source, name));
  }
  const assigned = [...source.matchAll(new RegExp(`\\b${expression}\\b[^;:=]*:=([^;]*);`, 'g'))];
  if (/^v_\w+$/.test(expression) && assigned.length === 1) return valuesOf(assigned[0]![1]!.trim(), source, name);
  throw new Error(`${name}: nobody can read which kind this is: ${expression}`);
}
