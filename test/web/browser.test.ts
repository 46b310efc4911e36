import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { evaluate, parseProgram } from '../../src/checker/index.ts';
import type { ReplayResult } from '../../src/web/browser/replay.ts';
import { TestAgent } from '../support/agent.ts';
import { eventually, scaleWait } from '../support/waits.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { buildHostileWorld, type HostileWorld } from './support/hostileWorld.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };
const DESK = { width: 1_280, height: 900 };
/** Of the documentation. */
const GUIDE = ['/docs', '/docs/start', '/docs/contents', '/docs/operations/post.create', '/docs/guide-questions'];
/** Kinds of pages whose second address has other parts than the first. */
const OF_TWO_FORMS = ['page.posts', 'page.thread', 'page.challenge', 'page.search'];
/** Contrast of 7:1 instead of 4.5:1. */
const STRICTER = { 'color-contrast': { enabled: false }, 'color-contrast-enhanced': { enabled: true } };
/** By itself that rule leaves what is worse than 4.5:1 to the other one. */
const FROM_ZERO = {
  'color-contrast-enhanced': {
    options: { contrastRatio: { normal: { minThreshold: 0 }, large: { minThreshold: 0 } } },
  },
};
/** Rules of axe whose result depends on the scheme, and on the size. All others run once. */
const SCHEME_RULES = ['color-contrast-enhanced'];
const SIZE_RULES = ['target-size', 'scrollable-region-focusable'];
/** Pages under way at a time: while one is loaded another is looked at. */
const AT_A_TIME = 3;

interface Vector {
  readonly program: unknown;
  readonly refused?: string;
  readonly answers?: readonly { readonly answer: unknown; readonly outcome: string }[];
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe('the site in a browser', function () {
  this.timeout(120_000);
  let world: HostileWorld;
  let browser: Browser;
  before(async function () {
    if (BROWSER_PATH === undefined) {
      console.log(
        '      no Chromium on this machine: what pages do in a browser is not tested (Debian: apt-get install chromium-headless-shell)',
      );
      this.skip();
    }
    [world, browser] = await Promise.all([buildHostileWorld(), launch()]);
  });
  after(async () => {
    await browser?.close();
    await world?.forum.stop();
  });

  const open = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: DESK, bypassCSP: false, ...options });
    const problems: string[] = [];
    // A violation of the policy, a script that failed, a request that left for elsewhere.
    context.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    context.on('weberror', (error) => problems.push(error.error().message));
    context.on('request', (request) => {
      if (!request.url().startsWith(world.forum.url)) problems.push(`asked ${request.url()}`);
    });
    return { context, problems };
  };
  const newPage = async (context: BrowserContext) => {
    const page = await context.newPage();
    page.setDefaultTimeout(scaleWait(10_000));
    return page;
  };
  let reused: { page: Page; problems: string[] } | undefined;
  /** One page for all tests that begin with the same options, because a new one is a new process of the browser. */
  const startOver = async () => {
    if (reused === undefined) {
      const { context, problems } = await open();
      reused = { page: await newPage(context), problems };
      return reused;
    }
    const { page, problems } = reused;
    await page.unrouteAll();
    await page.emulateMedia({ media: null });
    await page.setViewportSize(DESK);
    await page.goto(`${world.forum.url}/robots.txt`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear();');
    problems.length = 0;
    return reused;
  };
  const goto = (page: Page, path: string) => page.goto(`${world.forum.url}${path}`, { waitUntil: 'load' });
  /** One or two of each kind. */
  const some = () => [
    ...Object.entries(world.addresses).flatMap(([kind, paths]) => paths.slice(0, OF_TWO_FORMS.includes(kind) ? 2 : 1)),
    ...GUIDE,
  ];
  const hit = (page: Page) => page.evaluate('window.hit');
  /** Without a locator, for which a script of 300 kB is brought into every page. */
  const said = (page: Page) => page.evaluate('document.querySelector("main").textContent') as Promise<string>;
  /** What each page says with scripts on. */
  const with_ = new Map<string, string>();
  const words = (text: string) =>
    text
      .replaceAll(
        /\d{4}-\d\d-\d\d \d\d:\d\d UTC|(?:this|last|next) (?:minute|hour|month|year)|now|today|yesterday|tomorrow|\d+ (?:minute|hour|day|month|year)s? ago|in \d+ (?:minute|hour|day|month|year)s?/g,
        '<time>',
      )
      .replaceAll(/Run it again here|Check it here|Copy|Fold all|Open all|Show excerpts/g, '')
      .replaceAll(/\s+/g, ' ');

  /** Calls each walker's look with every path, on a few pages at once. */
  const visit = async (
    options: BrowserContextOptions,
    begin: (page: Page) => Promise<(path: string) => Promise<void>>,
  ) => {
    const { context, problems } = await open(options);
    const paths = some();
    const walk = async () => {
      const page = await newPage(context);
      const look = await begin(page);
      for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
        await goto(page, path);
        await look(path);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, walk));
    await context.close();
    assert.deepEqual(problems, []);
  };

  /**
   * What `page.setViewportSize` does, without the window around it, whose new size takes the browser as long as the
   * page's.
   */
  const resizer = async (page: Page) => {
    const session = await page.context().newCDPSession(page);
    return (size: ViewportSize) =>
      session.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false });
  };

  it("has no barrier, no script of anybody's, no request elsewhere, in both schemes and sizes, and fits 320 pixels", async () => {
    const found: string[] = [];
    await visit({ viewport: DESK, colorScheme: 'light' }, async (page) => {
      const resize = await resizer(page);
      let colorScheme: 'light' | 'dark' = 'light';
      const check = async (path: string, what: object) => {
        const options = { ...what, checks: FROM_ZERO, resultTypes: ['violations'], preload: false };
        const run = `axe.run(document, ${JSON.stringify(options)})`;
        const violations = (await page.evaluate(`${run}.then((result) => result.violations)`)) as Violation[];
        for (const { id, nodes } of violations)
          found.push(`${path} ${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
      };
      // The next page begins with the scheme and the size that the last one ended with.
      const sizes: [ViewportSize, (path: string) => Promise<void>][] = [
        [
          DESK,
          async (path) => {
            await check(path, { runOnly: TAGS, rules: STRICTER });
            colorScheme = colorScheme === 'light' ? 'dark' : 'light';
            await page.emulateMedia({ colorScheme });
            await check(path, { runOnly: SCHEME_RULES });
          },
        ],
        [PHONE, (path) => check(path, { runOnly: SIZE_RULES })],
        [NARROW, async () => {}],
      ];
      return async (path) => {
        // The page's own policy is for the page: the tests' script comes by the debugger.
        await page.evaluate(AXE);
        for (const [size, look] of sizes) {
          await resize(size);
          await look(path);
          const shown = await page.evaluate('document.documentElement.scrollWidth');
          if (shown !== size.width) found.push(`${path} is ${shown} wide at ${size.width}`);
        }
        sizes.reverse();
        assert.equal(await hit(page), undefined, path);
        with_.set(path, await said(page));
      };
    });
    assert.deepEqual(found, []);
  });

  it('says the same with scripts off, but for ages and what scripts alone can do', async () => {
    const without = new Map<string, string>();
    await visit({ javaScriptEnabled: false, viewport: NARROW }, async (page) => async (path) => {
      without.set(path, await said(page));
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), NARROW.width, path);
    });
    assert.equal(without.size, some().length);
    for (const [path, text] of without) {
      const both = [with_.get(path)!, text];
      // On a slow machine formatting may take too long, which a page says, once and not another time.
      if (!both.some((each) => each.includes('its formatting takes too long')))
        assert.equal(words(both[0]!), words(text), path);
    }
  });

  it('fits a phone with the longest handles, whose first letters stay beside the seal, and a desk beside what is in it', async () => {
    const { forum } = world;
    const handle = 'w'.repeat(64);
    const agent = new TestAgent(forum.url, () => forum.api.clock.now());
    const capability = 'm'.repeat(64);
    const keys = [agent.signingPublicKey, agent.encryptionPublicKey, agent.encryptionPublicKey];
    const identity = {
      self_description: { display_name: handle, purpose: 'testing', capabilities: [capability] },
      signature: agent.sign(['svc-registration-v1', ...keys, handle, 'testing', capability].join('\n')),
    };
    const body = agent.registration(handle, { identity });
    assert.equal((await agent.anonymous('POST', '/v1/agents', { body })).status, 201);
    agent.handle = handle;
    const { post } = (await agent.post('/v1/posts', { title: 'Long', body: 'Long', communitySlug: null })).body;
    await agent.post(`/v1/posts/${post.postId}/replies`, { body: 'Long', parentReplyId: null });
    const [expectedOutcome, defaultOutcome] = ['o'.repeat(32), 'a-long-one-of-several-words'];
    const when = { assert: 'equals', path: 'sum', value: 4 };
    const at = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const { challengeId } = (
      await agent.post('/v1/challenges', {
        prompt: 'Long',
        checkerProgram: { expectedOutcome, defaultOutcome, rules: [{ when, outcome: expectedOutcome }] },
        outcomes: [expectedOutcome, defaultOutcome],
        award: 1,
        stakingOpensAt: at(60),
        scoringAt: at(600),
      })
    ).body;
    assert.ok(challengeId);
    const { context } = await open({ viewport: PHONE });
    const page = await newPage(context);
    const ofIts = [`/p/${post.postId}`, `/a/${handle}`, `/a/${handle}/replies`, `/challenges/${challengeId}`];
    for (const path of [...ofIts, '/posts', '/', '/agents']) {
      await page.setViewportSize(PHONE);
      await goto(page, path);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width, path);
      const cut =
        '[...document.querySelectorAll(".scroll")].filter((each) => each.scrollWidth > each.clientWidth).length';
      assert.equal(await page.evaluate(cut), 0, path);
      const seals = (await page.evaluate(`[...document.querySelectorAll('.agent')].map(
        (link) => [link.firstChild, link.lastChild].map((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return range.getClientRects()[0].top;
        }))`)) as number[][];
      for (const [start, rest] of seals) assert.ok(Math.abs(start! - rest!) < 20, path);
      await page.setViewportSize(DESK);
      const outside = `[...document.querySelectorAll('aside :is(.agent, .tag)')].filter((each) =>
        each.getBoundingClientRect().right > each.closest('section').getBoundingClientRect().right + 1).length`;
      assert.equal(await page.evaluate(outside), 0, path);
    }
    await context.close();
  });

  it('shows code from left to right in a text that runs the other way, which keeps its own direction', async () => {
    const body = 'שלום `a + (b)` עולם\n\n```\nf(x) + 1; // שלום\n```\n\n- שלום';
    const { post } = (await world.forum.operator.post('/v1/posts', { title: 'שלום', body, communitySlug: null })).body;
    const { page } = await startOver();
    await goto(page, `/p/${post.postId}`);
    const shown = await page.evaluate(`(() => {
      const text = document.querySelector('.text');
      const at = (place) => getComputedStyle(text.querySelector(place));
      const [line] = text.querySelectorAll('pre code');
      return [at('pre').direction, at('p code').direction, at('p code').unicodeBidi, getComputedStyle(text).direction,
        line.getBoundingClientRect().left < text.getBoundingClientRect().left + 30];
    })()`);
    assert.deepEqual(shown, ['ltr', 'ltr', 'isolate', 'rtl', true]);
  });

  it('replays a finding with the verdict that is stored, and an answer with that of the program', async () => {
    const { page, problems } = await startOver();
    await goto(page, `/p/${world.findingPostId}`);
    await page.getByRole('button', { name: 'Run it again here' }).click();
    const status = page.locator('[data-result]');
    await status.waitFor();
    assert.equal(await status.getAttribute('data-result'), 'agrees', (await status.textContent())!);
    assert.match((await status.textContent())!, /attachmentHash: the same/);

    await goto(page, `/challenges/${world.challengeId}`);
    const answer = async (text: string) => {
      await page.getByLabel('Your answer, as JSON').fill(text);
      await page.getByRole('button', { name: 'Check it here' }).click();
      await page.locator('.verdict:not(:has-text("Running")) p').waitFor();
      return (await page.locator('.verdict').textContent())!;
    };
    assert.match(await answer('{"sum": 4}'), /The program says: right\. This answer wins/);
    assert.match(await answer('{"sum": 5}'), /The program says: wrong/);
    assert.match(await answer('{sum'), /not JSON/);
    assert.deepEqual(problems, []);
  });

  it('replays on a network that takes longer to bring the checker than that may take', async () => {
    const { page } = await startOver();
    await page.route('**/assets/replay.*', async (route) => {
      await setTimeout(2_500);
      await route.continue();
    });
    await goto(page, `/p/${world.findingPostId}`);
    await page.getByRole('button', { name: 'Run it again here' }).click();
    const status = page.locator('[data-result]');
    await status.waitFor();
    assert.equal(await status.getAttribute('data-result'), 'agrees', (await status.textContent())!);
  });

  it('judges every vector of the checker as Node does', async () => {
    const { outcomes, programs } = JSON.parse(readFileSync('test/vectors/checker.json', 'utf8')) as {
      outcomes: string[];
      programs: Vector[];
    };
    const tasks = programs.flatMap(({ program, answers = [{ answer: null, outcome: '' }] }) =>
      answers.map(({ answer }) => ({ kind: 'answer', program, outcomes, answer })),
    );
    const expected = tasks.map(({ program, answer }): ReplayResult => {
      try {
        return { kind: 'answer', verdict: evaluate(parseProgram(program, { outcomes }), answer) };
      } catch (error) {
        return { kind: 'problem', message: (error as Error).message };
      }
    });
    const { page, problems } = await startOver();
    await goto(page, `/challenges/${world.challengeId}`);
    // One worker, which answers in the order in which it is asked. As a text, because not every answer is text that
    // travels.
    const judged = (await page.evaluate(`new Promise((resolve, reject) => {
      const policy = trustedTypes.createPolicy('vectors', { createScriptURL: (address) => address });
      const { replay } = document.querySelector('script[data-replay]').dataset;
      const worker = new Worker(policy.createScriptURL(replay), { type: 'module' });
      const tasks = JSON.parse(${JSON.stringify(JSON.stringify(tasks))});
      const results = [];
      worker.addEventListener('error', reject);
      worker.addEventListener('message', ({ data }) => {
        if (data !== 'ready' && results.push(data) === tasks.length) resolve(JSON.stringify(results));
      });
      for (const task of tasks) worker.postMessage(task);
    })`)) as string;
    assert.deepEqual(JSON.parse(judged), JSON.parse(JSON.stringify(expected)));
    assert.deepEqual(
      expected.map((result) => (result.kind === 'answer' ? result.verdict.outcome : 'refused')),
      programs.flatMap(({ refused, answers }) => (refused ? 'refused' : answers!.map(({ outcome }) => outcome))),
    );
    assert.deepEqual(problems, []);
  });

  it('is walked by keys', async () => {
    const { page } = await startOver();
    const focused = () => page.evaluate('document.activeElement.querySelector("h2 a")?.getAttribute("href")');
    await goto(page, '/posts');
    const [first, second] = (await page.evaluate(
      '[...document.querySelectorAll(".rows h2 a")].map((link) => link.getAttribute("href"))',
    )) as string[];
    for (const [key, href] of [
      ['j', first],
      ['j', second],
      ['k', first],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(), href, key);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${first}`);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.name'), 'q');
  });

  it('is walked by keys in a thread from the reply that the address names, past closed branches, and opens replies', async () => {
    const { page } = await startOver();
    await goto(page, world.addresses['page.thread']![0]!);
    const focused = () => page.evaluate('document.activeElement.id') as Promise<string>;
    const ids = (await page.evaluate(
      '[...document.querySelectorAll(".replies li[id]")].map(({ id }) => id)',
    )) as string[];
    await goto(page, `${world.addresses['page.thread']![0]}#${ids[1]}`);
    await page.keyboard.press('j');
    assert.equal(await focused(), ids[2]);
    await page.evaluate(`document.querySelector('#${ids[1]} details').open = false`);
    await page.keyboard.press('j');
    const next = await focused();
    assert.equal(await page.evaluate(`document.querySelector('#${ids[1]}').contains(document.activeElement)`), false);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/r/${next}`);
  });

  it('marks what is new since the reader was here, goes to it by a key, and forgets it', async () => {
    const { forum } = world;
    const { postId } = (await forum.operator.post('/v1/posts', { title: 'News', body: 'x', communitySlug: null })).body
      .post;
    const reply = async () =>
      (await forum.operator.post(`/v1/posts/${postId}/replies`, { body: 'x' })).body.reply.replyId as string;
    await reply();
    const { page, problems } = await startOver();
    const count = (selector: string) => page.locator(selector).count();
    /** Pages are cached for a moment. */
    const untilThere = (path: string, selector: string) =>
      eventually(async () => {
        await goto(page, path);
        return (await count(selector)) > 0;
      });
    await untilThere(`/p/${postId}`, '.replies li');
    assert.equal(await count('[data-new], .news'), 0);

    const fresh = await reply();
    await untilThere('/posts', 'span[data-new="+1 new"]');
    await untilThere(`/p/${postId}`, `#${fresh}`);
    assert.equal(await count('li[data-new]'), 1);
    assert.match((await page.locator('.news').textContent())!, /^1 new reply since \w+day.* \d\d:\d\dNext×$/);
    await page.keyboard.press('n');
    assert.equal(await page.evaluate('document.activeElement.id'), fresh);
    await goto(page, `/p/${postId}`);
    assert.equal(await count('[data-new]'), 0);

    await page.getByRole('button', { name: 'Forget what I read' }).click();
    assert.equal(await page.evaluate('localStorage.read'), undefined);
    assert.deepEqual(problems, []);
  });

  it('keeps the chosen theme and density, shows its keys, and leaves fields and shortcuts of the browser alone', async () => {
    const { context, problems } = await open({ colorScheme: 'light' });
    const page = await newPage(context);
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await goto(page, '/pulse');
    const light = await background();
    const theme = page.locator('footer button').first();
    await theme.click();
    assert.equal(await background(), light);
    await theme.click();
    const dark = await background();
    assert.notEqual(dark, light);
    await goto(page, '/questions');
    assert.equal(await background(), dark);
    await page.locator('footer button').first().click();
    assert.equal(await background(), light);

    await goto(page, '/');
    assert.equal(await page.locator('.excerpt').first().isVisible(), false);
    await page.getByRole('button', { name: 'Show excerpts' }).click();
    await goto(page, '/posts');
    assert.equal(await page.locator('.excerpt').first().isVisible(), true);

    await page.locator('.find input').fill('');
    await page.keyboard.type('?jx');
    assert.equal(await page.locator('.find input').inputValue(), '?jx');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Control+?');
    assert.equal(await page.locator('dialog').count(), 0);
    await page.keyboard.press('?');
    assert.match((await page.locator('dialog').textContent())!, /next, previous item/);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('does all but remember where the browser denies storage', async () => {
    const { context, problems } = await open();
    const page = await newPage(context);
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    });
    for (const path of ['/', world.addresses['page.thread']![0]!, '/docs/operations/post.create']) {
      await goto(page, path);
      await page.locator('footer button').first().click();
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
      await page.getByRole('button', { name: 'Forget what I read' }).click();
    }
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('shows the documentation with a search of its own, tabs without scripts, tables that stack, copies', async () => {
    const { context, problems } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await newPage(context);
    await goto(page, '/docs/contents?q=solving%20boun');
    const found = page.locator('.guide-search li a');
    await found.first().waitFor();
    assert.match((await found.allTextContents()).join('\n'), /^Questions and bounties/m);
    await page.keyboard.press('/');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('xylophone');
    await page.getByText('No section contains these words.').waitFor();

    await goto(page, '/docs/operations/post.create');
    const shown = () => page.locator('.tabs pre:visible').allTextContents();
    assert.match((await shown()).join(), /^curl -q /);
    await page.locator('.tabs summary', { hasText: 'Python' }).click();
    assert.match((await shown()).join(), /^from forum import request/);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.match((await page.evaluate('navigator.clipboard.readText()')) as string, /^from forum import request/);
    assert.equal(await page.locator('aside [aria-current="page"]').textContent(), 'post.create');
    assert.equal(await page.locator('aside details[open] > summary').textContent(), 'API operations');

    const scrolled = () => page.evaluate('document.querySelector("aside").scrollTop') as Promise<number>;
    const last = (await page.evaluate(
      '[...document.querySelectorAll("aside details[open] a")].at(-1).getAttribute("href")',
    )) as string;
    await goto(page, last);
    assert.ok((await scrolled()) > 0);
    await goto(page, '/docs');
    assert.equal(await scrolled(), 0);
    await page.setViewportSize({ ...DESK, height: 300 });
    await goto(page, '/docs/log#when-it-stops');
    assert.ok((await scrolled()) > 0);
    await page.setViewportSize(DESK);
    await goto(page, '/docs/operations/post.create');

    const cells = 'main table >> nth=0 >> tbody tr:first-child td';
    const lefts = () => page.locator(cells).evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().left));
    assert.equal(new Set(await lefts()).size, 3);
    assert.equal(await page.locator('.sections').isVisible(), false);
    await page.setViewportSize(PHONE);
    assert.equal(new Set(await lefts()).size, 1);
    assert.equal(await page.locator('aside').getByText('On this page').isVisible(), false);
    await page.locator('.sections summary').click();
    await page.locator('.sections a', { hasText: 'Errors' }).click();
    await page.waitForURL('**/docs/operations/post.create#errors');
    const cut =
      '[...document.querySelectorAll(".scroll")].filter((each) => each.scrollWidth > each.clientWidth).length';
    await goto(page, '/docs/log');
    assert.equal(await page.evaluate(cut), 0);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('keeps the query of the search in the address, marks its words, and opens the first hit with enter', async () => {
    const { page, problems } = await startOver();
    await goto(page, '/docs/karma#votes');
    await page.locator('.guide-search input').fill('pagination');
    await page.waitForURL('**/docs/karma?q=pagination#votes');
    await page.locator('.guide-search mark').first().waitFor();
    await page.locator('.guide-search input').fill('reading lists');
    await page.locator('.guide-search input').press('Enter');
    await page.waitForURL('**/docs/reading');
    await page.goBack();
    await page.waitForURL('**/docs/karma?q=reading+lists#votes');
    await page.locator('.guide-search li a').first().waitFor();
    await page.locator('.guide-search input').fill('');
    await page.waitForURL('**/docs/karma#votes');
    assert.deepEqual(problems, []);
  });

  it('leads from a section of the former single page to the page that has it', async () => {
    const { page, problems } = await startOver();
    for (const [old, now] of [
      ['/docs#freezing-a-key', '/docs/agents#freezing-a-key'],
      ['/docs#start-here', '/docs/start'],
      ['/docs#post-create', '/docs/operations/post.create'],
    ] as const) {
      await goto(page, '/');
      await goto(page, old);
      await page.waitForURL(`**${now}`);
    }
    await goto(page, '/');
    await goto(page, '/docs#no-such-section');
    assert.match(await said(page), /Where to begin/);
    assert.deepEqual(problems, []);
  });

  it('keeps the chosen language over pages and tabs of the browser', async () => {
    const { context, problems } = await open();
    const [page, other] = [await newPage(context), await newPage(context)];
    const chosen = (of: Page) => of.locator('.tabs details[open] summary').allTextContents();
    await goto(page, '/docs/operations/post.create');
    await goto(other, '/docs/operations/vote.cast');
    await page.locator('.tabs summary', { hasText: 'Python' }).click();
    assert.deepEqual(await chosen(page), ['Python']);
    await page.locator('.tabs summary', { hasText: 'Python' }).press('Enter');
    assert.deepEqual(await chosen(page), ['Python']);
    await other.locator('.tabs details[open] summary', { hasText: 'Python' }).waitFor();
    await goto(page, '/docs/operations/reply.create');
    assert.deepEqual(await chosen(page), ['Python']);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('leads to the previous and the next page of the documentation', async () => {
    const { page } = await startOver();
    const to = (rel: string) => page.locator(`main a[rel=${rel}]`).getAttribute('href');
    await goto(page, '/docs/karma');
    const next = (await to('next'))!;
    await goto(page, next);
    assert.equal(await to('prev'), '/docs/karma');
    await goto(page, '/docs');
    assert.equal(await page.locator('main a[rel=prev]').count(), 0);
    assert.match((await to('next'))!, /^\/docs\/[\w-]+$/);
  });

  it('shows the button that copies beside the code, not over it', async () => {
    const { page } = await startOver();
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      await goto(page, '/docs/signing');
      const overlaps = await page.locator('.code').evaluateAll((blocks) =>
        blocks.map((block) => {
          const [code, button] = ['pre', 'button'].map((name) => block.querySelector(name)!.getBoundingClientRect());
          return button!.bottom > code!.top + 1;
        }),
      );
      assert.ok(overlaps.length > 3);
      assert.ok(!overlaps.includes(true));
    }
  });

  it('searches the documentation again after its index could not be read', async () => {
    const { page } = await startOver();
    let isAway = true;
    await page.route('**/assets/docs.*.json', (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: 'service_unavailable' } }) : route.continue(),
    );
    await goto(page, '/docs/contents?q=solving%20boun');
    await page.getByText('The search index is unavailable').waitFor();
    isAway = false;
    await page.locator('.guide-search input').press('End');
    await page.keyboard.type('t');
    await page.locator('.guide-search li a').first().waitFor();
  });

  it('marks the current section and choice by more than colours, for people who force their own colours', async () => {
    const { context } = await open({ forcedColors: 'active' });
    const page = await newPage(context);
    await goto(page, '/challenges');
    for (const among of ['.top nav', '.choices']) {
      const width = (link: string) =>
        page
          .locator(`${among} a${link}`)
          .first()
          .evaluate((each) => getComputedStyle(each).borderBottomWidth);
      assert.notEqual(await width('[aria-current]'), await width(':not([aria-current])'), among);
    }
    await context.close();
  });

  it('lets a page of another origin read the feed, a document and a refusal, but nothing signed', async () => {
    const context = await browser.newContext();
    const page = await newPage(context);
    // Browsers keep pages of public origins from reading loopback addresses, so this origin is another port.
    const elsewhere = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>'));
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    const read = (path: string, headers: Record<string, string> = {}) =>
      page.evaluate(
        async ({ url, init }) => {
          try {
            const answer = await fetch(url, init);
            const shown = ['etag', 'x-request-id', 'x-content-type-options'].map((name) => answer.headers.get(name));
            return { status: answer.status, shown, body: await answer.text() };
          } catch (error) {
            return { status: 0, shown: [], body: String(error) };
          }
        },
        { url: world.forum.url + path, init: { headers } },
      );
    const feed = await read('/v1/posts?limit=2');
    assert.equal(feed.status, 200, feed.body);
    assert.equal(JSON.parse(feed.body).items.length, 2);
    const [etag, requestId, hidden] = feed.shown;
    assert.match(etag!, /^W\/"/);
    assert.ok(requestId);
    assert.equal(hidden, null);
    // `If-None-Match` needs a preflight.
    assert.equal((await read('/v1/posts?limit=2', { 'if-none-match': etag! })).status, 304);
    assert.equal((await read('/mcp/server-card')).status, 200);
    const refused = await read('/v1/posts?limit=0', { 'content-type': 'application/json' });
    assert.deepEqual([refused.status, JSON.parse(refused.body).field], [400, 'limit']);
    assert.equal((await read('/v1/posts', { 'x-svc-agent-id': 'ag1-x' })).status, 0);
    await context.close();
    elsewhere.close();
  });

  it('can be read where the style sheet does not come: seals stay as small as letters', async () => {
    const { page } = await startOver();
    await page.route('**/assets/style.*', (route) => route.abort());
    await goto(page, world.addresses['page.thread']![0]!);
    const { width, height } = (await page.locator('svg.seal').first().boundingBox())!;
    assert.deepEqual([width, height], [24, 24]);
  });

  it('is printed without what only a screen has', async () => {
    const { page } = await startOver();
    await goto(page, `/p/${world.findingPostId}`);
    await page.emulateMedia({ media: 'print' });
    for (const gone of ['.top nav', '.pager', '.find', 'button', '.replies summary'])
      assert.equal(await page.locator(gone).first().isVisible(), false, gone);
    assert.equal(await page.locator('h1').isVisible(), true);
    const time = page.locator('main time').first();
    assert.doesNotMatch((await time.textContent())!, /UTC/);
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    assert.match((await time.textContent())!, /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    assert.doesNotMatch((await time.textContent())!, /UTC/);
  });
});
