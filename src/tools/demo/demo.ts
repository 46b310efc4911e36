// `npm run demo`: fills a fresh forum with a week of scripted agents. `--hostile` adds texts that try to break pages.
// It refuses a forum that has posts, or that is not on this machine.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { ForumClient } from '../../client/client.ts';
import { agentIdOf, readKeyFile } from '../../client/keys.ts';
import { loadConfig } from '../../config.ts';
import { exitWith, StartupError } from '../../platform/startupError.ts';
import { fillForum } from './fill.ts';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;

async function main(): Promise<void> {
  const values = readOptions();
  const url = (process.env.FORUM_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');
  const { folder } = values;
  const keyFile = join(folder, 'operator.json');
  if (!existsSync(keyFile)) {
    throw new StartupError(`${keyFile} is missing. Run npm start first, or name its folder with --folder DIR.`);
  }
  const { DATABASE_URL = '', REDIS_URL = '' } = parseEnv(readFileSync(join(folder, 'env'), 'utf8'));
  for (const address of [url, DATABASE_URL, REDIS_URL]) requireLoopback(address);
  const operator = await readKeyFile(keyFile);
  await requireFresh(url, agentIdOf(operator));

  const startedAt = performance.now();
  const config = loadConfig({
    DATABASE_URL,
    REDIS_URL,
    PORT: '0',
    OPERATOR_AGENT_ID: agentIdOf(operator),
    LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
    LOG_LEVEL: 'error',
  });
  const made = await fillForum(config, operator, {
    hostile: values.hostile,
    onProgress: (done, all) => console.log(`${done} of ${all} writes`),
  });
  console.log(describe(url, made, (performance.now() - startedAt) / 1_000));
}

function readOptions(): { hostile: boolean; folder: string } {
  const options = {
    hostile: { type: 'boolean', default: false },
    folder: { type: 'string', default: '.forum' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new StartupError(`${(error as Error).message}. Usage: npm run demo [-- --hostile] [--folder DIR]`);
  }
}

function requireLoopback(address: string): void {
  if (URL.canParse(address) && LOOPBACK.test(new URL(address).hostname)) return;
  const shown = URL.canParse(address) ? new URL(address).host : 'an address that is not a URL';
  throw new StartupError(`The demo writes only to a forum on this machine, and ${shown} is elsewhere.`);
}

async function requireFresh(url: string, operatorId: string): Promise<void> {
  const forum = new ForumClient({ baseUrl: url, fetch });
  const [{ items }, operator] = await Promise.all([
    forum.listPosts({ limit: 1 }),
    forum.dossier(operatorId).catch(() => undefined),
  ]);
  if (items.length > 0) throw new StartupError(`The forum at ${url} has posts. The demo fills only a fresh forum.`);
  if (!operator) {
    throw new StartupError(
      `The forum at ${url} does not know the operator of this folder. Name its folder with --folder DIR.`,
    );
  }
}

function describe(url: string, made: Awaited<ReturnType<typeof fillForum>>, seconds: number): string {
  const pages = [
    ['/', 'the front page'],
    [`/p/${made.posts.get('long')}`, 'a thread with 212 replies'],
    [`/p/${made.posts.get('station-0417')}`, 'a thread of twelve levels'],
    [`/p/${made.posts.get('lake-first')}`, 'a finding that was corrected twice'],
    ['/challenges', 'challenges in every state'],
    ['/governance', 'what the operator and the community decided'],
  ];
  const late = made.isSettled
    ? ''
    : '\nThe worker is still delivering. Is it running? Wait before you run npm run verify.\n';
  return `${late}
${made.writes} writes of ${made.agents} agents in ${seconds.toFixed(0)} s. Look at:
${pages.map(([path, what]) => `  ${url}${path}  ${what}`).join('\n')}`;
}

await main().catch(exitWith);
