// `npm run bench:size`: counts the files and functions of `src` that one call passes through, by V8's precise coverage.
// It measures how much a reader must know to change the call (docs/PERFORMANCE.md has the limits). The code that sends
// the requests is not part of `src`.
import { type Profiler, Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startForum } from '../support/forum.ts';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';

const WARM_UP_CALLS = 20;
const MEASURED_CALLS = 5;
/** Timers and work after the response end within this time. */
const SETTLE_MS = 300;
const SOURCES = new URL('../../src/', import.meta.url).href;

type Called = ReadonlyMap<string, ReadonlySet<string>>;

/** The functions of `src` that were called since the last call of this function, by file. */
async function takeCalled(session: Session): Promise<Called> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = result.filter(({ url }) => url.startsWith(SOURCES));
  return new Map(
    own.map((file) => [file.url.slice(SOURCES.length), calledIn(file)] as const).filter(([, { size }]) => size > 0),
  );
}

/** The TypeScript loader's helper and the initial values of class fields. Neither is a function of the source. */
const NO_FUNCTIONS = ['__name', '<instance_members_initializer>'];

function calledIn({ functions }: Profiler.ScriptCoverage): Set<string> {
  const called = functions.filter(
    ({ functionName, ranges }) => ranges[0]!.count > 0 && !NO_FUNCTIONS.includes(functionName),
  );
  return new Set(called.map(({ functionName, ranges }) => `${functionName}@${ranges[0]!.startOffset}`));
}

/** What each of several calls passes through, so that a timer that runs beside one of them does not count. */
async function measure(session: Session, call: () => Promise<unknown>): Promise<Called> {
  for (let n = 0; n < WARM_UP_CALLS; n++) await call();
  await sleep(SETTLE_MS);
  let common: Called | undefined;
  for (let n = 0; n < MEASURED_CALLS; n++) {
    const called = await measureOnce(session, call);
    common = common === undefined ? called : pick(common, (file, name) => isIn(called, file, name));
  }
  return common!;
}

/** What one call passes through, without the work that the process does at the same time by itself. */
async function measureOnce(session: Session, call: () => Promise<unknown>): Promise<Called> {
  await takeCalled(session);
  await sleep(SETTLE_MS);
  const idle = await takeCalled(session);
  await call();
  await sleep(SETTLE_MS);
  return pick(await takeCalled(session), (file, name) => !isIn(idle, file, name));
}

const isIn = (called: Called, file: string, name: string): boolean => called.get(file)?.has(name) ?? false;

function pick(called: Called, isPicked: (file: string, name: string) => boolean): Called {
  const picked = [...called].map(
    ([file, names]) => [file, new Set([...names].filter((name) => isPicked(file, name)))] as const,
  );
  return new Map(picked.filter(([, { size }]) => size > 0));
}

async function main(): Promise<void> {
  const services = await startTestServices();
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  await createTemplate();
  const allowances = { LIMIT_POSTS: '1000', LIMIT_VOTES: '1000', LIMIT_REPLIES: '1000' };
  const forum = await startForum({ env: allowances, checkOutputs: false });
  const [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  const post = async () =>
    (await ada!.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId as string;
  const thread = await post();
  for (let n = 0; n < 20; n++) await bob!.post(`/v1/posts/${thread}/replies`, { body: `Reply ${n}` });
  const targets = await Promise.all(Array.from({ length: WARM_UP_CALLS + MEASURED_CALLS }, post));

  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const calls: Record<string, () => Promise<unknown>> = {
    'signed post': post,
    'signed vote': () => bob!.post('/v1/votes', { targetId: targets.pop(), value: 'up' }),
    'read of a thread': () => ada!.anonymous('GET', `/v1/posts/${thread}`),
  };
  console.log('| call | files | functions |\n| --- | --- | --- |');
  for (const [name, call] of Object.entries(calls)) {
    const called = await measure(session, call);
    const functions = [...called.values()].reduce((sum, { size }) => sum + size, 0);
    console.log(`| ${name} | ${called.size} | ${functions} |`);
    if (process.argv.includes('--list')) {
      for (const [file, names] of [...called].toSorted())
        console.log(`  ${file}: ${[...names].map((each) => each.split('@')[0]).join(' ')}`);
    }
  }
  session.disconnect();
  await forum.stop();
  await services.stop();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
