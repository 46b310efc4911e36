import assert from 'node:assert/strict';
import { rankAgents } from '../../src/features/agents/ranks.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { PAGES } from '../../src/web/pages.ts';
import { exchange, type TestAgent } from '../support/agent.ts';
import { startForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { comparablePage, PAGE_WALKS, type SeenPage, walkPages } from './support/pageWalk.ts';
import { type Probe, walkOf } from './support/visibilityWalk.ts';
import { buildWorld, MARKERS, TARGET_KINDS, type World } from './support/visibilityWorld.ts';

const ENV = { LIMIT_POSTS: '500', LIMIT_REPLIES: '500', LIMIT_VOTES: '500', LIMIT_COMMUNITY_WRITES: '500' };
const MAX_PAGES = 60;

/** What a caller can see of an answer. */
interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Step {
  /** Which request this was, alike in both worlds. */
  readonly label: string;
  readonly seen: readonly Seen[];
}

/** Everything that is not the operator's. */
let walked: readonly Operation[];

describe('what is hidden', () => {
  let secret: World;
  let plain: World;
  before(async function () {
    this.timeout(40_000);
    const forums = await Promise.all([
      startForum({ env: ENV, workers: true }),
      startForum({ env: ENV, workers: true }),
    ]);
    secret = await buildWorld(forums[0], { hidden: true });
    plain = await buildWorld(forums[1], { hidden: false });
    walked = [...forums[0].api.services.operations.values()].filter(({ auth }) => auth !== 'operator');
  });
  after(() => Promise.all([secret.forum.stop(), plain.forum.stop()]));

  it('is there, for its members', async () => {
    const { slug, postId } = secret.targets.hidden;
    const read = async (path: string, query = '') => JSON.stringify((await secret.bob.get(path, query)).body);
    const all = [
      await read(`/v1/communities/${slug}`),
      await read('/v1/posts', `community=${slug}`),
      await read(`/v1/posts/${postId}`),
    ].join();
    for (const marker of Object.values(MARKERS)) assert.ok(all.includes(marker), marker);
    assert.ok((await read('/v1/communities')).includes(slug));
  });

  for (const when of ['in a first walk', 'in the reads after its writes']) {
    it(`shows to no stranger, ${when}`, async function () {
      this.timeout(40_000);
      const operations = when === 'in a first walk' ? walked : walked.filter(({ method }) => method === 'GET');
      await Promise.all([secret, plain].map(delivered));
      const [inSecret, inPlain] = await Promise.all([walk(secret, operations), walk(plain, operations)]);
      assert.ok(inSecret.length > 100);
      for (const { label, seen } of inSecret) assertNoMarker(label, seen, secret);
      assert.deepEqual(inSecret.map(comparable), inPlain.map(comparable));
      assert.deepEqual(inSecret.flatMap(cursorsOf), inPlain.flatMap(cursorsOf), 'a cursor counts what is hidden');
    });
  }

  it('shows on no page and in no feed', async function () {
    this.timeout(60_000);
    const names = PAGES.map(({ name }) => name);
    assert.deepEqual(Object.keys(PAGE_WALKS).toSorted(), names.toSorted(), 'test/invariants/support/pageWalk.ts');
    const [inSecret, inPlain] = await Promise.all([walkPages(secret), walkPages(plain)]);
    const { slug: _slug, nonce: _nonce, ...ids } = secret.targets.hidden;
    for (const { label, path, text } of inSecret) {
      for (const marker of [...Object.values(MARKERS), ...Object.values(ids)])
        assert.ok(
          path.includes(marker) || !text.toLowerCase().includes(marker.toLowerCase()),
          `${label} shows ${marker}`,
        );
    }
    assert.deepEqual(inSecret.map(comparablePage), inPlain.map(comparablePage));
    const statusOf = (label: string, { status }: SeenPage) => [label.replace(/hidden|unknown/, ''), status];
    const at = (kind: string) => inSecret.filter(({ label }) => label.includes(` at ${kind} `));
    assert.deepEqual(
      at('hidden').map((seen) => statusOf(seen.label, seen)),
      at('unknown').map((seen) => statusOf(seen.label, seen)),
    );
  });

  it('answers to the byte like what does not exist', async function () {
    this.timeout(40_000);
    let compared = 0;
    for (const op of walked) {
      const { at, isPrivate } = walkOf(op);
      for (const [index] of (at?.(secret.targets.public, secret) ?? []).entries()) {
        for (const by of callersOf(op, secret)) {
          const label = `${op.name} #${index} ${by?.handle ?? 'anonymous'}`;
          const ask = (kind: (typeof TARGET_KINDS)[number]) =>
            probeAs(secret, op, at!(secret.targets[kind], secret)[index]!, by);
          const [hidden, unknown, open] = [await ask('hidden'), await ask('unknown'), await ask('public')];
          if (namesNoTarget(op, index, secret)) continue;
          assert.deepEqual(hidden, unknown, label);
          assert.ok([400, 404].includes(hidden.status), `${label}: ${hidden.status}`);
          if (!isPrivate) assert.notEqual(open.status, 404, `${label} does not reach a public target`);
          compared++;
        }
      }
    }
    assert.ok(compared > 25);
  });

  it('is no reason to answer an unsigned request otherwise', async () => {
    for (const op of walked.filter(({ auth }) => auth === 'signed')) {
      for (const kind of TARGET_KINDS) {
        const [probe] = walkOf(op).at?.(secret.targets[kind], secret) ?? [];
        if (!probe) continue;
        const { status, text } = await probeAs(secret, op, probe, null);
        assert.deepEqual([status, text], [401, '{"error":"unauthorized"}'], op.name);
      }
    }
  });

  it('keeps its slug taken and reveals only that, in the words of any taken slug', async () => {
    const op = walked.find(({ name }) => name === 'community.create')!;
    const create = ({ slug }: { slug: string }) =>
      probeAs(secret, op, { body: { slug, displayName: 'D', description: '', visibility: 'public' } }, secret.eve);
    const [hidden, open] = [await create(secret.targets.hidden), await create(secret.targets.public)];
    assert.deepEqual([hidden.status, hidden.text], [409, '{"error":"conflict","field":"slug"}']);
    assert.deepEqual(hidden, open);
  });
});

/** Every request of the walk in one order, by everybody who is no member. */
async function walk(world: World, operations: readonly Operation[]): Promise<Step[]> {
  const steps: Step[] = [];
  for (const op of operations) {
    const { at, over } = walkOf(op);
    // Probes write too: what they caused is delivered before anything is read.
    await eventually(() => outboxIsEmpty(world));
    for (const by of callersOf(op, world)) {
      const take = async (label: string, probe: Probe) =>
        steps.push({
          label: `${op.name} ${label} ${by?.handle ?? 'anonymous'}`,
          seen: await allPages(world, op, probe, by),
        });
      for (const [index, probe] of (over?.(world) ?? []).entries()) await take(`over #${index}`, probe);
      for (const kind of TARGET_KINDS) {
        for (const [index, probe] of (at?.(world.targets[kind], world) ?? []).entries())
          await take(`at ${kind} #${index}`, probe);
      }
    }
  }
  return steps;
}

/** Strangers to whom the answers may differ: nobody, and a registered agent that is no member. */
function callersOf({ auth }: Operation, { eve }: World): (TestAgent | null)[] {
  if (auth === 'signed') return [eve];
  return auth === 'optional-signature' ? [null, eve] : [null];
}

/** True for a probe that is the same whatever the target, like a post on the timeline. */
function namesNoTarget(op: Operation, index: number, world: World): boolean {
  const { at } = walkOf(op);
  const [hidden, unknown] = [world.targets.hidden, world.targets.unknown].map((target) => at!(target, world)[index]);
  return JSON.stringify(hidden) === JSON.stringify(unknown);
}

/** The answer to a request, and to those that its cursors lead to. */
async function allPages(world: World, op: Operation, probe: Probe, by: TestAgent | null): Promise<Seen[]> {
  const seen = [await probeAs(world, op, probe, by)];
  for (let cursor = cursorOf(seen.at(-1)!); cursor !== undefined; cursor = cursorOf(seen.at(-1)!)) {
    if (seen.length > MAX_PAGES) throw new Error(`${op.name} does not end`);
    seen.push(await probeAs(world, op, { ...probe, query: { ...probe.query, cursor } }, by));
  }
  return seen;
}

function cursorOf({ text }: Pick<Seen, 'text'>): string | undefined {
  const { nextCursor, nextReplyCursor } = JSON.parse(text) as { nextCursor?: string; nextReplyCursor?: string };
  return nextCursor ?? nextReplyCursor;
}

/** One request, with the answer as it came over the wire; only what differs from request to request is left out. */
async function probeAs(world: World, op: Operation, probe: Probe, by: TestAgent | null): Promise<Seen> {
  const path = op.path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => probe.params![name]!);
  const query = new URLSearchParams(probe.query).toString();
  const body = Buffer.from(op.method === 'POST' && probe.body ? JSON.stringify(probe.body) : '');
  const headers = {
    ...(body.length > 0 ? { 'content-type': 'application/json' } : {}),
    ...by?.headers(op.method, path, { query }, body),
  };
  const url = `${world.forum.url}${path}${query && `?${query}`}`;
  const answer = await exchange(url, { method: op.method, headers, body });
  const { date: _date, 'x-request-id': _id, ...shown } = Object.fromEntries(answer.headers);
  return { ...answer, headers: shown };
}

function assertNoMarker(label: string, seen: readonly Seen[], { targets }: World): void {
  const { slug: _slug, nonce: _nonce, ...ids } = targets.hidden;
  for (const { text, headers } of seen) {
    const shown = `${text} ${JSON.stringify(headers)} ${cursorContent(cursorOf({ text }) ?? '')}`;
    for (const marker of [...Object.values(MARKERS), ...Object.values(ids)])
      assert.ok(!shown.toLowerCase().includes(marker.toLowerCase()), `${label} shows ${marker}: ${shown}`);
  }
}

/** A step without what differs between two forums by chance: identifiers, keys, times, cursors. */
const comparable = ({ label, seen }: Step) => ({
  label,
  // A tag is a hash of the text.
  seen: seen.map(({ status, text, headers: { 'x-svc-ratelimit-reset': _reset, etag: _tag, ...headers } }) => [
    status,
    withoutChance(text),
    // The length of a proof follows from the place in the log.
    text.includes('"tlogProof"') ? { ...headers, 'content-length': '<of a proof>' } : headers,
  ]),
});

const cursorsOf = ({ label, seen }: Step): string[] =>
  seen.flatMap((each) => {
    const cursor = cursorOf(each);
    return cursor === undefined ? [] : [`${label}: ${withoutChance(cursorContent(cursor))}`];
  });

/** What a curious caller reads in a cursor behind its 16 bytes of HMAC, as far as it is text. */
function cursorContent(cursor: string): string {
  const content = Buffer.from(cursor, 'base64url').subarray(16).toString();
  return /^[\x20-\x7e]*$/.test(content) ? content : '<opaque>';
}

const withoutChance = (text: string): string =>
  text
    // A place in the log shows how many entries precede it, which is public (docs/log).
    .replaceAll(/"tlogProof":"[^"]*"/g, '<place>')
    .replaceAll(/"salt":"[\w-]{22}"/g, '<salt>')
    .replaceAll(/\\"signedText\\":\\"[^"]*"/g, '<signed text>')
    .replaceAll(/\b[a-z]{1,4}_[a-z0-9]{25}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/ag1-[\w-]{22}/g, '<agent>')
    .replaceAll(/("(?:next(?:Reply)?|thread|resume)Cursor":")[\w-]+"/g, '$1<cursor>"')
    .replaceAll(/[\w-]{43,}/g, '<key>');

/** Lets the workers do what there is to do. */
const outboxIsEmpty = async ({ forum }: World) => (await forum.rows('SELECT FROM outbox LIMIT 1')).length === 0;

/** Until all that was written is in the inboxes, periodic jobs have run, and nothing more came for a second. */
async function delivered(world: World): Promise<void> {
  let quietSince = Number.POSITIVE_INFINITY;
  await eventually(async () => {
    quietSince = (await outboxIsEmpty(world)) ? Math.min(quietSince, performance.now()) : Number.POSITIVE_INFINITY;
    return performance.now() - quietSince > 1_000;
  });
  await rankAgents(world.forum.api.services.db, { passMinutes: 0 });
}
