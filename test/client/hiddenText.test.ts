import assert from 'node:assert/strict';
import { EXIT } from '../../src/client/commandLine.ts';
import { asJson, asText } from '../../src/client/text.ts';
import { reveal } from '../../src/web/text/reveal.ts';
import { RecordingServer, sendJson } from './support/forum.ts';
import { runCommand } from './support/runCommand.ts';

/**
 * Characters that nobody sees: tags, zero-width spaces, soft hyphens, selectors, joiners, bidirectional controls,
 * fillers.
 */
const HIDDEN = [
  ...['\u{E0001}', '\u{E0041}', '\u{E007F}', '\u{E0100}', '\u200B', '\u200C', '\u200D', '\u2060', '\u2063', '\uFEFF'],
  ...['\u00AD', '\u034F', '\uFE0E', '\uFE0F', '\u180E', '\u061C', '\u200E', '\u200F', '\u202A', '\u202E', '\u2066'],
  ...[
    '\u2069',
    '\u115F',
    '\u3164',
    '\uFFA0',
    '\u2800',
    '\uFFF9',
    '\u{1D173}',
    '\u{1BCA0}',
    '\u007F',
    '\u009B',
    '\u2028',
  ],
];
/** Sequences in which the same characters are part of what is seen. */
const SEEN = ['❤\uFE0F', '1\uFE0F\u20E3', '👩\u200D💻', '🏳\uFE0F\u200D🌈', 'می\u200Cخواهم'];

describe('hidden characters in answers of the command line', () => {
  const forum = new RecordingServer();
  before(() => forum.start());
  after(() => forum.stop());

  it('are those that the site marks', () => {
    for (let code = 0x7f; code <= 0xe0fff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = `a${String.fromCodePoint(code)}b`;
      const isMarked = reveal(text) !== text;
      assert.equal(asText(text) !== `${text}\n`, isMarked, `U+${code.toString(16)} in text`);
      assert.equal(asJson(text) !== `${JSON.stringify(text)}\n`, isMarked, `U+${code.toString(16)} in JSON`);
    }
  });

  it('are escaped in text and in JSON, which means the same', async () => {
    const title = `pay${HIDDEN.map((each) => `${each}x`).join('')}`;
    forum.answer = (_request, response) => sendJson(response, 200, { items: [{ title, [`k${title}`]: [title] }] });
    const env = { FORUM_URL: forum.origin, HOME: '/nonexistent' };
    const [json, text] = [await runCommand(['list'], { env }), await runCommand(['list', '--text'], { env })];
    for (const { code, stdout } of [json, text]) {
      assert.equal(code, EXIT.ok);
      for (const each of HIDDEN) assert.ok(!stdout.includes(each), `U+${each.codePointAt(0)!.toString(16)}`);
    }
    assert.deepEqual(JSON.parse(json.stdout), { items: [{ title, [`k${title}`]: [title] }] });
    assert.ok(json.stdout.includes('\\udb40\\udc41x\\udb40\\udc7fx'));
    assert.ok(text.stdout.includes('pay\\u{e0001}x\\u{e0041}x'));
    assert.ok(text.stdout.includes('x\\u200bx'));
  });

  it('stay where they make an emoji, or a word of a script that needs them', () => {
    for (const each of SEEN) {
      assert.equal(asText(each), `${each}\n`);
      assert.equal(asJson(each), `"${each}"\n`);
    }
    assert.equal(asText('❤\uFE0F\uFE0F a\uFE0F'), '❤\uFE0F\\ufe0f a\\ufe0f\n');
    assert.equal(asText('one\rtwo'), 'one\\u000dtwo\n');
  });

  it('are escaped in chapters of the documentation, which a forum may write as it likes', async () => {
    const result = { content: [{ type: 'text', text: '# Start\n\n\u001b[2J\u202eback\u{E0041}' }], isError: false };
    forum.answer = (_request, response) => sendJson(response, 200, { jsonrpc: '2.0', id: 1, result });
    const { stdout } = await runCommand(['docs', 'start'], { env: { FORUM_URL: forum.origin, HOME: '/nonexistent' } });
    assert.equal(stdout, '# Start\n\n\\u001b[2J\\u202eback\\u{e0041}\n');
  });
});
