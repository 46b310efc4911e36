import assert from 'node:assert/strict';
import { handlesIn } from '../../src/formats/mentions.ts';

const F = '```';

/** A text, and whom it names. */
const CASES: Readonly<Record<string, readonly [text: string, ...handles: string[]]>> = {
  'a handle behind an @': ['Ask @ada, (@bob) or @c-3.', 'ada', 'bob', 'c-3'],
  'each once, in the order of the text': ['@bob @ada @bob', 'bob', 'ada'],
  'nobody behind a character of a word or address': ['a@ada _@ada .@ada @@ada -@ada 9@ada x.y@ada.org'],
  'somebody behind any other character': ['é@ada /@bob \\@cid', 'ada', 'bob', 'cid'],
  'the longest run of 3 to 64': [`@ab @ada-99.x @${'a'.repeat(70)}`, 'ada-99', 'a'.repeat(64)],
  'as far as its letters go': ['@adaX @Ada @bob_', 'ada', 'bob'],
  'nobody in a code span': ['`@ada` ``@bob ` @cid`` @dan', 'dan'],
  'somebody where no span is closed': ['`@ada ``@bob', 'ada', 'bob'],
  'no span across paragraphs': ['one ` @ada\n\ntwo ` @bob', 'ada', 'bob'],
  'a span across lines': ['one ` @ada\n@bob ` @cid', 'cid'],
  'no span behind a backslash': ['\\`@ada` @bob', 'ada', 'bob'],
  'a span whose end has a backslash': ['`@ada\\` @bob', 'bob'],
  'somebody beside a span': ['`x`@ada', 'ada'],
  'nobody in a fenced block': [`@ada\n${F}ts @bob\n@cid\n${F}\n@dan`, 'ada', 'dan'],
  'nobody in a block of tildes': ['~~~\n@ada\n```\n@bob\n~~~~\n@cid', 'cid'],
  'nobody behind a fence that is never closed': [`${F}\n@ada\n\n@bob`],
  'no end of a block that is indented or has text': [`${F}\n    ${F}\n${F} x\n@ada\n  ${F}  \n@bob`, 'bob'],
  'a shorter fence ends no longer one': [`${F}\`\n@ada\n${F}\n@bob\n${F}\`\n@cid`, 'cid'],
  'a run with another backtick on its line is no fence': [`${F} @ada ${F}\n@bob`, 'bob'],
  'nobody in an indented block': ['    @ada\n\n\t@bob\n\n  @cid', 'cid'],
  'an indented line goes on with a paragraph': ['one\n    @ada', 'ada'],
  'an indented line behind a heading or rule is a block': ['# @ada\n    @bob\n---\n    @cid\n***\n    @dan', 'ada'],
  'an indented line behind an underline is a block': ['@ada\n===\n    @bob', 'ada'],
  'a block in a quote': [`> ${F}\n> @ada\n> ${F}\n> @bob`, 'bob'],
  'a block in a quote ends with the quote': [`> ${F}\n> @ada\n@bob`, 'bob'],
  'a quote that a line goes on with lazily': ['> one `x\n@ada` @bob', 'bob'],
  'an indented block in a quote': ['>     @ada\n>\n> @bob', 'bob'],
  'a block in a list item': [`- ${F}\n  @ada\n  ${F}\n- @bob`, 'bob'],
  'a block in a list item ends with the item': [`- ${F}\n  @ada\n\n@bob`, 'bob'],
  'what is indented as its item is text': ['1. one\n\n   @ada\n\n       @bob', 'ada'],
  'an indented block as an item begins': ['-     @ada\n- @bob', 'bob'],
  'a tab is as wide as its stop': ['-\t@ada\n\n\t@bob\n\n\t    @cid\n>\t@dan', 'ada', 'bob', 'dan'],
  'an item that begins empty': ['-\n  @ada\n-\n\n      @bob', 'ada'],
  'a list that interrupts no paragraph': ['one\n2. `@ada\nx` @bob', 'bob'],
  'carriage returns end lines': [`${F}\r\n@ada\r\n${F}\r\n@bob\r    @cid`, 'bob', 'cid'],
  'a rule is no list': ['- - -\n    @ada\n- - @bob', 'bob'],
};

describe('whom a text names', () => {
  for (const [title, [text, ...handles]] of Object.entries(CASES)) {
    it(title, () => assert.deepEqual(handlesIn(text), handles, JSON.stringify(text)));
  }

  it('is found in time that grows with the text alone', () => {
    const shapes: ((n: number) => string)[] = [
      (n) => '`'.repeat(n / 2) + ' ` '.repeat(n / 6),
      (n) => Array.from({ length: Math.sqrt(n) }, (_, run) => '`'.repeat(run + 1)).join(' '),
      (n) => '> '.repeat(n / 4) + '\n>'.repeat(n / 4),
      (n) => '- '.repeat(n / 2),
      (n) => `${'- '.repeat(n / 4)}x${'\n'.repeat(n / 2)}`,
      (n) => `> ${'- '.repeat(n / 4)}x${'\n>'.repeat(n / 4)}`,
      (n) => `${'- '.repeat(n / 4)}x\n${' '.repeat(n / 2)}x`,
      (n) => `${'- '.repeat(n / 2)}x`,
      (n) => '\t'.repeat(n),
      (n) => '*\t'.repeat(n / 2),
      (n) => '\\`'.repeat(n / 2),
      (n) => '@abc'.repeat(n / 4),
      (n) => '- \n'.repeat(n / 3),
      (n) => `${'#'.repeat(n / 2)}${'='.repeat(n / 2)}`,
    ];
    for (const [index, shape] of shapes.entries()) {
      const timed = (n: number) => {
        const text = `${shape(n)} @ada`;
        const start = process.cpuUsage().user;
        handlesIn(text);
        return process.cpuUsage().user - start;
      };
      timed(20_000);
      // Twenty times the longest body: quadratic would take minutes.
      const micros = timed(400_000);
      assert.ok(micros < 4_000_000, `${index}: ${micros}`);
    }
  });
});
