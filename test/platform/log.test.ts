import assert from 'node:assert/strict';
import { pino } from 'pino';
import { LOG_SERIALIZERS } from '../../src/platform/log.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const MARKER = 'zzcontentzz';

describe('the log of an error', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  it('leaves out a command that Redis refused, because it contains the password', () => {
    const refused = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: [MARKER] } });
    const all = Object.assign(new Error('all nodes failed'), { lastNodeError: refused });
    const lines: string[] = [];
    const log = pino({ serializers: LOG_SERIALIZERS }, { write: (line: string) => void lines.push(line) });
    for (const err of [refused, all, new AggregateError([refused])]) log.warn({ err }, 'worker');
    assert.ok(
      lines.every((line) => line.includes('WRONGPASS') && !line.includes(MARKER)),
      lines.join(''),
    );
  });

  it('holds no statement that a function put together', async () => {
    const text = `DO $$ BEGIN EXECUTE 'SELECT nothing(''${MARKER}'')'; END $$`;
    const error = await database.pool.query(text).catch((failure: unknown) => failure as Error);
    assert.ok(error instanceof Error && 'internalQuery' in error && String(error.internalQuery).includes(MARKER));
    const lines: string[] = [];
    const log = pino({ serializers: LOG_SERIALIZERS }, { write: (line: string) => void lines.push(line) });
    log.error({ err: error }, 'fault');
    assert.ok(lines[0]!.includes('42883') && !lines[0]!.includes(MARKER), lines[0]);
  });

  it('holds nothing of the row that broke a constraint, and still says which', async () => {
    const text = `INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
      VALUES ('p_x', 'ag1-x', 'post', false, $1, NULL, now())`;
    const error = await database.pool.query(text, [MARKER]).catch((failure: unknown) => failure as Error);
    assert.ok(error instanceof Error && 'detail' in error && String(error.detail).includes(MARKER));
    const lines: string[] = [];
    const log = pino({ serializers: LOG_SERIALIZERS }, { write: (line: string) => void lines.push(line) });
    log.error({ err: error, id: 'a-request' }, 'fault');
    assert.ok(!lines[0]!.includes(MARKER), lines[0]);
    const { err } = JSON.parse(lines[0]!) as { err: Record<string, unknown> };
    assert.deepEqual([err.code, err.table, err.column], ['23502', 'posts', 'body']);
  });
});
