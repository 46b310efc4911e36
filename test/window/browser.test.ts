import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { scaleWait } from '../support/waits.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { buildHostileWorld, type HostileWorld } from './support/hostileWorld.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };
const DESK = { width: 1_280, height: 900 };
/** Every page in both sizes and both schemes, though not in each pair of them. */
const LOOKS = [
  { viewport: PHONE, colorScheme: 'dark' },
  { viewport: DESK, colorScheme: 'light' },
] as const;

/** Of the documentation. */
const GUIDE = ['/docs/start', '/docs/operations/post.create'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe('the window in a browser', function () {
  this.timeout(120_000);
  let world: HostileWorld;
  let browser: Browser;
  before(async function () {
    if (BROWSER_PATH === undefined) {
      console.log(
        '      no Chromium on this machine: what pages do in a browser is not tested (Debian: apt-get install chromium)',
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
    const page = await context.newPage();
    page.setDefaultTimeout(scaleWait(10_000));
    const problems: string[] = [];
    // A violation of the policy, a script that failed, a request that left for elsewhere.
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(world.forum.url)) problems.push(`asked ${request.url()}`);
    });
    return { page, problems, close: () => context.close() };
  };
  const goto = (page: Page, path: string) => page.goto(`${world.forum.url}${path}`, { waitUntil: 'load' });
  /** One or two of each kind. */
  const some = () => [...Object.values(world.addresses).flatMap((paths) => paths.slice(0, 2)), ...GUIDE];
  const hit = (page: Page) => page.evaluate('window.hit');

  for (const look of LOOKS) {
    const { viewport, colorScheme } = look;
    it(`has no barrier, no script of anybody's, no request elsewhere: ${viewport.width} wide, ${colorScheme}`, async () => {
      const { page, problems, close } = await open(look);
      const found: string[] = [];
      for (const path of some()) {
        await goto(page, path);
        // The page's own policy is for the page: the tests' script comes by the debugger.
        await page.evaluate(AXE);
        const violations = (await page.evaluate(
          `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then((result) => result.violations)`,
        )) as Violation[];
        for (const { id, nodes } of violations)
          found.push(`${path} ${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
        assert.equal(await hit(page), undefined, path);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        if (width !== viewport.width) found.push(`${path} is ${width} wide`);
      }
      await close();
      assert.deepEqual(found, []);
      assert.deepEqual(problems, []);
    });
  }

  it('says the same with scripts off, but for ages and what scripts alone can do, and fits 320 pixels', async () => {
    const read = async (javaScriptEnabled: boolean) => {
      const { page, close } = await open({ javaScriptEnabled, viewport: NARROW });
      const texts: string[] = [];
      for (const path of some()) {
        await goto(page, path);
        texts.push((await page.locator('main').textContent())!);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), NARROW.width, path);
      }
      await close();
      return texts;
    };
    const words = (text: string) =>
      text
        .replaceAll(
          /\d{4}-\d\d-\d\d \d\d:\d\d UTC|this minute|now|(?:\d+ minutes?|\d+ hours?) ago|in \d+ (?:minute|hour|day)s?/g,
          '<time>',
        )
        .replaceAll(/Run it again here|Check it here|Copy/g, '')
        .replaceAll(/\s+/g, ' ');
    const [without, with_] = [await read(false), await read(true)];
    assert.deepEqual(with_.map(words), without.map(words));
  });

  it('replays a finding with the verdict that is stored, and an answer with that of the program', async () => {
    const { page, problems, close } = await open();
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
    assert.match(await answer('{sum'), /no JSON/);
    assert.deepEqual(problems, []);
    await close();
  });

  it('is walked by keys', async () => {
    const { page, close } = await open();
    await goto(page, '/posts');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const focused = 'document.activeElement.querySelector("h2 a")?.getAttribute("href")';
    const second = await page.evaluate('document.querySelectorAll(".feed h2 a")[1].getAttribute("href")');
    assert.equal(await page.evaluate(focused), second);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${second}`);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.name'), 'q');
    await close();
  });
});
