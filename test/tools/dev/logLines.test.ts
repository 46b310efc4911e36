import assert from 'node:assert/strict';
import { pino } from 'pino';
import { LOG_SERIALIZERS } from '../../../src/platform/log.ts';
import { formatLogLine } from '../../../src/tools/dev/logLines.ts';

const AT = new Date(2026, 0, 2, 3, 4, 5, 67).getTime();
const HOSTILE = 'x\n03:04:05.067 INFO  api    post.create POST 201\r\x1b[2J\x9b31m\u2028\u2029\u202eerror=none "';

function line(entry: object): string {
  return JSON.stringify({ level: 30, time: AT, pid: 7, name: 'api', ...entry });
}

const format = (text: string, colors = false) => formatLogLine(text, { colors });

describe('the log for people', () => {
  it('shows a request in one line', () => {
    const request = { op: 'post.create', method: 'POST', status: 401, ms: 0.76, error: 'unauthorized' };
    const details = { reason: 'not signed', field: 'body.format', statements: 0, id: 'z5o8' };
    assert.equal(
      format(line({ ...request, ...details })),
      '03:04:05.067 INFO  api    post.create POST 401 0.76 ms error=unauthorized reason="not signed" ' +
        'field=body.format statements=0 id=z5o8',
    );
  });

  it('shows a message with its fields', () => {
    const text = format(
      line({ level: 40, msg: 'slow statement', statement: 'replies.create', ms: 700, settings: ['a'] }),
    );
    assert.equal(text, '03:04:05.067 WARN  api    slow statement 700 ms statement=replies.create settings=["a"]');
  });

  it('shows the stack of an error on lines behind bars, whatever its message', () => {
    const written: string[] = [];
    const log = pino(
      { name: 'api', base: {}, serializers: LOG_SERIALIZERS },
      { write: (text: string) => void written.push(text) },
    );
    log.error({ err: Object.assign(new Error(HOSTILE), { code: 'E_TEST' }), id: 'a' }, 'fault');
    const [first, ...stack] = format(written[0]!.trimEnd()).split('\n');
    assert.match(first!, /^\S+ ERROR api {4}fault id=a$/);
    assert.ok(stack.length > 2 && stack.at(-1)!.endsWith('| {"code":"E_TEST"}'), stack.join('\n'));
    for (const each of stack) assert.match(each, /^ {4}\| [^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u);
  });

  it('cannot be forged by what somebody wrote', () => {
    const places = [{ op: HOSTILE }, { msg: HOSTILE }, { reason: HOSTILE }, { [HOSTILE]: 1 }, { name: HOSTILE }];
    const nested = [{ settings: [HOSTILE] }, { status: { [HOSTILE]: HOSTILE } }, { level: 30.5, method: HOSTILE }];
    for (const entry of [...places, ...nested]) {
      assert.match(format(line(entry)), /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u, JSON.stringify(entry));
    }
    assert.ok(format(line({ reason: 'a status=200' })).endsWith(' reason="a status=200"'));
    assert.ok(format(line({ msg: 'a status=200' })).endsWith(' "a status=200"'));
    assert.ok(format(line({ op: '/a status=200' })).endsWith(' "/a status=200"'));
  });

  it('lets through what is no entry, made safe', () => {
    assert.equal(format('a warning of Node'), 'a warning of Node');
    for (const text of ['null', '1', '"x"', '{}', '{"level":', `\x1b[31m${HOSTILE.replaceAll('\n', ' ')}`]) {
      assert.match(format(text), /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u);
    }
  });

  it('shows an entry whose fields are of other kinds', () => {
    for (const odd of [
      { msg: 1 },
      { err: null },
      { err: 'x' },
      { name: null },
      { ms: 'a' },
      { time: 1e300 },
      { level: 0 },
    ]) {
      assert.match(format(line({ id: 'a', ...odd })).split('\n')[0]!, / id=a$/);
    }
  });

  it('is coloured only when asked', () => {
    const failed = line({ level: 50, msg: 'fault' });
    assert.ok(format(failed, true).includes('\x1b[31mERROR\x1b[39m'));
    assert.ok(!format(failed).includes('\x1b'));
  });
});
