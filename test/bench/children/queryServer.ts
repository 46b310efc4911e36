import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import type { Statement } from '../../../src/platform/postgres/postgres.ts';
import type { BareAnswer } from '../scenario.ts';
import { answering } from './answering.ts';
import { listen } from './listen.ts';

// The lower bound of a read: runs the operation's prepared statements concurrently and returns their rows as JSON, or
// bytes that exist already. The path is a JSON array with the parameters of each statement. A body is read and parsed
// as JSON.

const MAX_CONNECTIONS = 20;

const statements = JSON.parse(process.env.BENCH_STATEMENTS!) as Statement[];
const fixed = process.env.BENCH_ANSWER ? (JSON.parse(process.env.BENCH_ANSWER) as BareAnswer) : undefined;
const fixedBytes = fixed && Buffer.from(fixed.body);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: MAX_CONNECTIONS });
const url = await listen(async (request, response) => {
  const values = valuesIn(request.url!);
  if (request.method === 'POST') JSON.parse(await bodyOf(request));
  const results = await Promise.all(
    statements.map(({ name, text }, index) => pool.query({ name, text, values: values[index]! })),
  );
  if (fixed) return void response.writeHead(fixed.status, fixed.headers).end(fixedBytes);
  response.statusCode = results[0]!.rows.length === 0 ? 404 : 200;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(results.map(({ rows }) => rows)));
});
answering({}, url);

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function valuesIn(path: string): unknown[][] {
  return JSON.parse(decodeURIComponent(path.slice(1))) as unknown[][];
}
