import { loadConfig } from '../../../src/config.ts';
import { readBriefing } from '../../../src/features/overview/briefing.ts';
import { readPulse } from '../../../src/features/overview/pulse.ts';
import { greeting } from '../../../src/features/overview/service.ts';
import type { Context } from '../../../src/operation/operation.ts';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { queryPath } from '../execution.ts';
import type { HttpVariant, Scenario, Target } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { anonymousContext, TimedDb } from '../timedRead.ts';
import { signedPosts } from './postCreate.ts';

const POSTS = 200;
/** The least share of the bare server's rate. The service also runs the pipeline, the presenters and the text. */
const LEAST = 0.25;

const READS: Readonly<Record<string, (ctx: Context) => Promise<object>>> = {
  greeting: (ctx) => greeting(ctx, { compact: false }),
  pulse: readPulse,
  briefing: (ctx) => readBriefing(ctx, { posts: 3 }),
};

/**
 * The reads of an agent that wakes up, unsigned. Each is compared with a bare server that runs the same statements and
 * sends the same bytes.
 */
export const overview: Scenario = {
  name: 'overview',
  title: 'Greeting, pulse and briefing',
  targets: Object.keys(READS).map(
    (name): Target => ({
      title: `${name} ÷ a bare server with the same statements and bytes`,
      quantity: 'rate',
      of: name,
      against: `${name}.bare`,
      atLeast: LEAST,
    }),
  ),
  prepare: async (stage) => {
    await stage.send(signedPosts(stage, POSTS), 201);
    const variants = await Promise.all(Object.entries(READS).map(([name, read]) => variantsOf(stage, name, read)));
    return variants.flat();
  },
};

async function variantsOf(
  stage: Stage,
  name: string,
  read: (ctx: Context) => Promise<object>,
): Promise<readonly HttpVariant[]> {
  const path = `/v1/${name}`;
  const body = await (await fetch(`${stage.api.url}${path}`)).text();
  const sent = await statementsOf(stage, read);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  };
  const http = { kind: 'http', status: 200, repeatable: true } as const;
  const gets = (target: string) => (count: number) =>
    Array.from({ length: count }, () => ({ method: 'GET', path: target }) as const);
  return [
    { ...http, name, title: `GET ${path}`, server: 'api', calls: gets(path) },
    {
      ...http,
      name: `${name}.bare`,
      title: 'bare node:http, the same statements and bytes',
      server: { statements: sent.map(({ statement }) => statement), answer: { status: 200, headers, body } },
      calls: gets(queryPath(sent.map(({ statement, values }) => ({ statement, values })))),
    },
  ];
}

/** The statements of a read on this stage, with warm caches. */
async function statementsOf({ database }: Stage, read: (ctx: Context) => Promise<object>): Promise<TimedDb['sent']> {
  const db = new Postgres({ url: database.url, maxConnections: 2, readConnections: 1, applicationName: 'bench' });
  try {
    const timed = new TimedDb(db);
    const config = loadConfig({ DATABASE_URL: database.url, REDIS_URL: 'redis://unused' });
    const ctx: Context = {
      ...anonymousContext(timed),
      config,
      primary: timed,
      allowances: async () => ({}) as never,
      youngUntilMs: () => undefined,
      shared: (_what, work) => work(ctx),
    };
    await read(ctx);
    timed.sent = [];
    await read(ctx);
    return timed.sent;
  } finally {
    await db.close();
  }
}
