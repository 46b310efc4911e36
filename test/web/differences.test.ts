import assert from 'node:assert/strict';
import { renderToString } from 'preact-render-to-string';
import { constitutionText } from '../../src/web/pages/constitution.tsx';
import { markdownOf } from '../../src/web/view/markdown.ts';
import { scaleWait } from '../support/waits.ts';

const PARAGRAPHS = Array.from({ length: 20 }, (_, n) => `Paragraph number ${n} has words <b>`);
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
  const text = PARAGRAPHS.join('\n\n');
  const wordsOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ');

  it('shows changed paragraphs side by side with one on either side, and folds the rest', () => {
    const after = PARAGRAPHS.with(9, 'Paragraph number nine has words <b>').join('\n\n');
    const { html, markdown } = compare(text, after);
    assert.deepEqual(
      [...html.matchAll(/<summary>([^<]+)</g)].map(([, summary]) => summary),
      ['8\u00A0unchanged paragraphs', '9\u00A0unchanged paragraphs'],
    );
    assert.match(html, /<strong>1\u00A0paragraph changed\.<\/strong>/);
    assert.match(html, />Paragraph number <del>9<\/del> has words &lt;b></);
    assert.match(html, />Paragraph number <ins>nine<\/ins> has words &lt;b></);
    assert.match(
      markdown,
      /\n\nBefore\n\nParagraph number \[-9-\] has[^\n]+\n\nAfter\n\nParagraph number \{\+nine\+\} has/,
    );
  });

  it('counts what was changed, added and removed', () => {
    const after = [...PARAGRAPHS.slice(0, 4), 'Another rule', ...PARAGRAPHS.slice(4, -1)].with(
      0,
      `${PARAGRAPHS[0]} now`,
    );
    const { html } = compare(text, after.join('\n\n\n'));
    assert.match(html, /<strong>1\u00A0paragraph changed, 1 added, 1 removed\.<\/strong>/);
    assert.match(html, /<p class="by">Added<\/p><p[^>]*><ins>Another rule<\/ins>/);
    assert.match(html, /<p class="by">Removed<\/p><p[^>]*><del>Paragraph number 19 /);
  });

  it('folds nothing where little is unchanged, and loses no paragraph', () => {
    const { html } = compare('# One\n\ntwo\n\nthree and four', '# One\n\ntwo\n\nthree and five');
    assert.ok(!html.includes('<details'));
    assert.match(wordsOf(html), /One +two +Before +three and +four +After +three and +five/);
    assert.match(html, /<p class="para heading"[^>]*>One</);
  });

  it('is reported if there is no difference, or only one of spaces', () => {
    assert.match(compare('same', 'same').html, /The texts are the same/);
    assert.match(compare('one\ntwo\n\n\nthree', 'one\ntwo\n\nthree\n').html, /Only spaces and line breaks differ/);
  });

  it('ends within its time for texts that share nothing', () => {
    const many = (word: string) => Array.from({ length: 5_000 }, (_, n) => `${word}${n} ${n}`).join('\n\n');
    const begunAt = performance.now();
    const { html } = compare(many('a'), many('b'));
    assert.ok(performance.now() - begunAt < scaleWait(500));
    assert.match(html, /differ too much|paragraphs/);
  });
});
