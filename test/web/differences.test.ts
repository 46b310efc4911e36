import assert from 'node:assert/strict';
import { renderToString } from 'preact-render-to-string';
import { constitutionText } from '../../src/web/pages/constitution.tsx';
import { markdownOf } from '../../src/web/view/markdown.ts';

const LINES = Array.from({ length: 40 }, (_, n) => `line ${n} <b>`);
const OLD = 'a'.repeat(64);
const NEW = 'b'.repeat(64);

type View = typeof constitutionText.view;

/** The page of a text against another. */
function compare(before: string, after: string) {
  const history = [{ version: 1, hash: OLD, ratifiedAt: '2026-01-01T00:00:00.000Z', postId: null }];
  const data = { shown: { history, hash: OLD }, hash: NEW, text: after, other: { hash: OLD, text: before } };
  const rendered = { html: new Map(), isFinal: true };
  const view = constitutionText.view(data as unknown as Parameters<View>[0], {} as Parameters<View>[1], rendered);
  const markdown = markdownOf(view, { own: '/', origin: '' });
  return { html: renderToString(view.main as Parameters<typeof renderToString>[0]), markdown };
}

describe('a difference of two texts', () => {
  it('shows what changed with three lines on either side, and folds the rest', () => {
    const after = LINES.with(20, 'another line');
    const { html, markdown } = compare(LINES.join('\n'), after.join('\n'));
    assert.deepEqual(
      [...html.matchAll(/<summary>([^<]+)</g)].map(([, text]) => text),
      ['17\u00A0unchanged lines', '16\u00A0unchanged lines'],
    );
    const hunk = html.split('</details>')[1]!.split('<details')[0]!;
    assert.match(hunk, />line 17 &lt;b>\nline 18 &lt;b>\nline 19 &lt;b>\n<del>line<\/del><ins>another<\/ins> /);
    assert.match(hunk, /line 21 &lt;b>\nline 22 &lt;b>\nline 23 &lt;b><\/pre>$/);
    assert.match(markdown, /^\[-line-\]\{\+another\+\} /m);
  });

  it('folds nothing where little is unchanged, and loses no line', () => {
    const { html } = compare('one\ntwo\nthree\nfour', 'one\ntwo\nthree\nfive');
    assert.ok(!html.includes('<details'));
    assert.match(html, /one\ntwo\nthree\n<del>four<\/del><ins>five<\/ins>/);
  });

  it('is reported if there is no difference', () => {
    assert.match(compare('same', 'same').html, /The texts are the same/);
  });
});
