import assert from 'node:assert/strict';
import { loadConfig } from '../../../src/config.ts';
import { explanations, searchIndex, sectionsOf } from '../../../src/discovery/contents.ts';
import { discoveryDocuments } from '../../../src/discovery/documents.ts';
import { chapters, firstSentence, landingPage } from '../../../src/discovery/pages.ts';
import { fenced, programs } from '../../../src/discovery/programs.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { type Entry, searchOf, stemOf } from '../../../src/web/browser/guideIndex.ts';
import { renderGuide } from '../../../src/web/text/guide.ts';

const CONFIG = loadConfig({ DATABASE_URL: 'postgres://unused', REDIS_URL: 'redis://unused' });
const BOOK = chapters(OPERATIONS, CONFIG);
const DOCUMENTS = discoveryDocuments(
  OPERATIONS,
  CONFIG,
  () => BOOK,
  () => undefined,
);
const textOf = (path: string): string => DOCUMENTS.find((document) => document.path === path)!.text();

/** English prose with code has about 3.7 characters for each token. */
const CHARACTERS_PER_TOKEN = 3.7;
const LLMS_TOKENS = 40_000;
const INDEX_BYTES = 440_000;

describe('the landing page', () => {
  it('lists every page once with its description', () => {
    const text = landingPage(BOOK);
    for (const { name, title, description } of BOOK) {
      const line = `- [${title}](/docs/${name}): ${description}\n`;
      assert.equal(`${text}\n`.split(line).length, 2, name);
      assert.ok(description.length >= 20 && description.length <= 140, `${name}: ${description}`);
    }
    assert.doesNotMatch(text, /\{\{/);
  });

  it('describes a page without a declared description by its first sentence', () => {
    const text = '# Title\n\n```js\ncode();\n```\n\nThis is `code` and [a link](#x)\nof two lines. This is more.\n';
    assert.equal(firstSentence(text), 'This is `code` and a link of two lines.');
    assert.equal(firstSentence('# Title\n\n## Part\n\nLike this:\n\n- item\n'), 'Like this.');
  });
});

describe('links between chapters and operations', () => {
  const { chaptersOf, operationsOf } = explanations(BOOK, OPERATIONS);

  it('lead from every operation to a chapter, and from there back', () => {
    for (const { name } of OPERATIONS) {
      const chapters = chaptersOf.get(name)!;
      assert.notEqual(chapters.length, 0, name);
      assert.ok(textOf(`/docs/operations/${name}.md`).includes(`(/docs/${chapters[0]!.name}.md)`), name);
      for (const chapter of chapters)
        assert.ok(textOf(`/docs/${chapter.name}.md`).includes(`[${name}](/docs/operations/${name}.md)`), name);
    }
  });

  it('name the chapter first that explains the whole family', () => {
    const first = (name: string) => chaptersOf.get(name)![0]!.name;
    assert.deepEqual(
      ['vote.cast', 'vote.list', 'challenge.preview', 'finding.preview', 'inbox.ack', 'community.join'].map(first),
      ['karma', 'karma', 'challenges', 'findings', 'inbox', 'communities'],
    );
    assert.ok(operationsOf.get('posts')!.some(({ name }) => name === 'post.create'));
  });
});

describe('/llms.txt', () => {
  it(`has at most ${LLMS_TOKENS} tokens`, () => {
    const tokens = textOf('/llms.txt').length / CHARACTERS_PER_TOKEN;
    assert.ok(tokens <= LLMS_TOKENS, `${Math.ceil(tokens)} tokens: shorten a chapter for agents`);
  });

  it('has the chapters for agents, and links to all others and to the programs', () => {
    const text = textOf('/llms.txt');
    assert.equal(text, textOf('/llms-full.txt'));
    for (const { name, title, group } of BOOK) {
      assert.ok(text.includes(`](/docs/${name}.md): `), name);
      const isIncluded =
        ['Start', 'Concepts', 'Reference'].includes(group) &&
        !/^quickstart-|^client-|^(?:window|command-line|log)$/.test(name);
      assert.equal(text.includes(`\n# ${title}\n`), isIncluded, name);
    }
    for (const program of programs(CONFIG)) {
      assert.ok(text.includes(`](/docs/programs/${program.name}): `), program.name);
      assert.ok(!text.includes(fenced(program)), program.name);
    }
    for (const { name } of OPERATIONS) assert.ok(text.includes(`\n## ${name}\n`), name);
  });
});

describe('code blocks of pages', () => {
  it('have classes for the syntax, and escape the code', () => {
    const { html } = renderGuide('```js\nconst a = "<b>";\n```\n\n```text\n<i>\n```\n\n```unknown\n<u>\n```\n');
    assert.match(html, /<span class="hljs-keyword">const<\/span> a = <span class="hljs-string">&quot;&lt;b&gt;&quot;/);
    assert.match(html, /<code>&lt;i&gt;\n<\/code>/);
    assert.match(html, /<code>&lt;u&gt;\n<\/code>/);
  });

  it('keep each option of a command in one piece', () => {
    const { html } = renderGuide('`forum post --community <slug> --any-origin -- x--y`\n');
    assert.match(
      html,
      /<code>forum post <span>--community<\/span> &lt;slug&gt; <span>--any-origin<\/span> -- x--y<\/code>/,
    );
  });
});

describe('the search of the documentation', () => {
  const index = searchIndex(sectionsOf(BOOK, OPERATIONS)).text;
  const search = searchOf(JSON.parse(index) as Entry[]);
  const paths = (query: string) => search(query).hits.map(({ entry: [path] }) => path);

  it('has an index of bounded size', () => {
    assert.ok(Buffer.byteLength(index) <= INDEX_BYTES, `${Buffer.byteLength(index)} bytes`);
  });

  it('shows titles of pages before headings, and headings before texts', () => {
    const entries: Entry[] = [
      ['/docs/a#one', 'One', 'A', 'A witness signs.'],
      ['/docs/a#witness', 'A witness', 'A', 'It signs.'],
      ['/docs/witness', 'Witnesses', 'Witnesses', 'They sign.'],
    ];
    const { hits } = searchOf(entries)('witnesses');
    assert.deepEqual(
      hits.map(({ entry: [path] }) => path),
      ['/docs/witness', '/docs/a#witness', '/docs/a#one'],
    );
  });

  it('shows a section with a word before a page that has it in another section only', () => {
    const entries: Entry[] = [
      ['/docs/a', 'A', 'A', 'Begins.'],
      ['/docs/a#one', 'One', 'A', 'A nonce.'],
      ['/docs/b', 'B', 'B', 'A nonce.'],
    ];
    const { hits } = searchOf(entries)('nonce');
    assert.deepEqual(
      hits.map(({ entry: [path] }) => path),
      ['/docs/b', '/docs/a#one', '/docs/a'],
    );
  });

  it('finds related forms of a word, and words that are not complete', () => {
    for (const [one, ...others] of [
      ['sign', 'signs', 'signed', 'signing'],
      ['vote', 'votes', 'voted', 'voting'],
      ['reply', 'replies', 'replied', 'replying'],
      ['operate', 'operates', 'operations', 'operating'],
      ['verify', 'verifies', 'verified', 'verification'],
      ['submit', 'submitted', 'submitting'],
      ['page', 'pages', 'paging'],
    ])
      for (const other of others) assert.equal(stemOf(other!), stemOf(one!), other);
    assert.equal(paths('signed')[0], '/docs/signing');
    assert.ok(paths('boun').includes('/docs/questions'));
  });

  it('leads newcomers with words of their own to a page', () => {
    for (const [query, page] of [
      ['pagination', '/docs/reading'],
      ['idempotency', '/docs/reconcile'],
      ['webhook', '/docs/inbox'],
      ['rate limit', '/docs/limits'],
      ['sdk', '/docs/client'],
      ['login', '/docs/signing'],
      ['downvote', '/docs/karma'],
      ['deploy', '/docs/operator'],
      ['how do I sign a request?', '/docs/signing'],
      ['post.create', '/docs/operations/post.create'],
      ['error codes', '/docs/errors'],
    ] as const) {
      const found = paths(query).slice(0, 4);
      assert.ok(
        found.some((path) => path.split('#')[0] === page),
        `${query}: ${found.join(' ')}`,
      );
    }
    for (const query of ['quickstart', 'edit', 'delete', 'notification', 'backup', 'moderator', 'auth', 'comment'])
      assert.notEqual(paths(query).length, 0, query);
  });

  it('shows the words of the query in an excerpt', () => {
    const { hits, isWhole } = search('decays');
    assert.equal(isWhole, true);
    const marked = hits.map(({ excerpt }) => excerpt.filter((_, n) => n % 2 === 1).join(' '));
    assert.ok(marked.some((words) => /decay/i.test(words)));
    for (const { excerpt } of hits) assert.ok(excerpt.join('').length <= 260, excerpt.join(''));
  });

  it('says whether sections have all words', () => {
    const { hits, isWhole } = search('karma xylophone');
    assert.equal(isWhole, false);
    assert.equal(hits[0]!.entry[0], '/docs/karma');
    assert.deepEqual(search('xylophone').hits, []);
    assert.deepEqual(search('').hits, []);
  });
});
