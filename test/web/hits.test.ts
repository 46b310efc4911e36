import assert from 'node:assert/strict';
import fc from 'fast-check';
import { excerptWithHits, splitAtHits, termsOf } from '../../src/web/text/hits.ts';

const marked = (parts: readonly string[]): string =>
  parts.map((part, n) => (n % 2 === 1 ? `[${part}]` : part)).join('');

describe('hits of a search', () => {
  it('are marked whatever the case of A to Z is, the longest where several begin', () => {
    assert.equal(marked(splitAtHits('Karma is KARMA', ['karma'])), '[Karma] is [KARMA]');
    assert.equal(marked(splitAtHits('the reader reads', ['read', 'reader'])), 'the [reader] [read]s');
    assert.equal(marked(splitAtHits('nothing', ['karma'])), 'nothing');
    assert.equal(marked(splitAtHits('Ärger', termsOf('ärger', false))), 'Ärger');
  });

  it('are in the excerpt, which begins and ends with whole words', () => {
    const text = `${'before words '.repeat(40)}the needle is here ${'after words '.repeat(40)}`;
    const excerpt = marked(excerptWithHits(text, ['needle']));
    assert.match(excerpt, /^… (?:words|before) .*\[needle\].* (?:words|after) …$/);
    assert.ok(excerpt.length < 300);
  });

  it('keep the markup of a text only if the query contains it', () => {
    assert.equal(marked(excerptWithHits('A **bold** word', ['bold'])), 'A [bold] word');
    assert.equal(marked(excerptWithHits('A **bold** word', ['**bold'])), 'A [**bold]** word');
    assert.equal(marked(excerptWithHits('One\n\nline', termsOf('one\n\nline', false))), '[One line]');
  });

  it('are found where hidden characters are written out', () => {
    assert.deepEqual(termsOf('a\u202Eb', false), ['a⟨u+202e⟩b']);
    assert.equal(marked(excerptWithHits('x a⟨U+202E⟩b', termsOf('a\u202Eb', false))), 'x [a⟨U+202E⟩b]');
  });

  it('are visible in every excerpt of a text that contains the query, and no character is cut', () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((each) => /^[\p{L}\p{N}]+$/u.test(each));
    const words = fc.array(word, { maxLength: 80 }).map((each) => each.join(' '));
    fc.assert(
      fc.property(words, word, words, (before, query, after) => {
        const terms = termsOf(query, false);
        const parts = excerptWithHits(`${before} ${query} ${after}`, terms);
        assert.ok(parts.length > 1, query);
        assert.equal(Buffer.from(parts.join('')).toString(), parts.join(''));
        for (const [n, part] of parts.entries()) if (n % 2 === 1) assert.equal(part.toLowerCase(), query.toLowerCase());
      }),
    );
  });
});
