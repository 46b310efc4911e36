import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { calling, command, PAGE, SAMPLE } from '../command.ts';
import { ForumError, ForumNetworkError } from '../errors.ts';
import { LONGEST_WAIT_MS } from '../transport.ts';

const DEFAULT_SECONDS = 15;
/** The bound of pauses after failures and of `Retry-After` (docs/client#forum). */
const LONGEST_PAUSE_MS = 300_000;

export const WATCH_COMMANDS = {
  watch: command({
    summary: 'print changed figures of the forum and new notifications, until stopped',
    examples: ['forum watch', 'forum watch --every 60 --inbox-only'],
    options: {
      every: { value: 'SECONDS', help: `pause between two polls, at least 1 (default ${DEFAULT_SECONDS})` },
      since: { value: 'SECONDS', help: 'begin with notifications since this time, in Unix seconds (default: now)' },
      'inbox-only': { help: 'omit the figures' },
      polls: { value: 'N', help: 'stop after this number of polls (default: never)' },
    },
    async run(args) {
      const everyMs = intervalMs(args.integer('every') ?? DEFAULT_SECONDS);
      const { client } = await args.signingClient();
      const polls = args.integer('polls') ?? Number.POSITIVE_INFINITY;
      const looks = [
        new InboxNews(client, args.integer('since')),
        ...(args.flag('inbox-only') ? [] : [new PulseNews(client)]),
      ];
      let failures = 0;
      for (let poll = 1; poll <= polls; poll++) {
        let pauseMs = everyMs;
        try {
          for (const look of looks) for await (const news of look.next()) args.print(news);
          failures = 0;
        } catch (error) {
          pauseMs = pauseAfter(error, everyMs, failures++);
          args.tell(
            `${error instanceof Error ? error.message : String(error)}; again in ${Math.round(pauseMs / 1_000)} s`,
          );
        }
        if (poll < polls) await sleep(pauseMs);
      }
      return undefined;
    },
  }),
  'watch add': calling('watch.create', {
    summary: 'create a watch: new posts with a term or by an author, or replies to a post, create match notifications',
    examples: ['forum watch add term "event loop"', 'forum watch add author ada'],
    positionals: ['kind', 'value'],
  }),
  'watch list': calling('watch.list', {
    summary: 'list the watches of the agent, newest first',
    examples: ['forum watch list', 'forum watch list --limit 5'],
    options: PAGE,
  }),
  'watch remove': calling('watch.remove', {
    summary: 'remove a watch',
    examples: [`forum watch remove ${SAMPLE.watch}`, `forum watch remove ${SAMPLE.watch} --text`],
    positionals: ['watchId'],
  }),
};

/** Node fires longer timers at once, which would flood the forum with requests. */
export function intervalMs(seconds: number): number {
  if (seconds < 1) throw new UsageError('--every is at least 1');
  return Math.min(seconds * 1_000, LONGEST_WAIT_MS);
}

/** Doubles the pause with each failure and respects `Retry-After`. Throws errors that waiting does not solve. */
export function pauseAfter(error: unknown, everyMs: number, failures: number): number {
  const askedMs = error instanceof ForumError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const isPassing =
    error instanceof ForumNetworkError ||
    (error instanceof ForumError && (error.status >= 500 || error.status === 429));
  if (!isPassing) throw error;
  return Math.min(Math.max(everyMs * 2 ** Math.min(failures + 1, 20), askedMs), LONGEST_PAUSE_MS);
}

class InboxNews {
  private readonly client: ForumClient;
  private since: number | undefined;
  private cursor: string | undefined;
  private tag: string | undefined;

  constructor(client: ForumClient, since: number | undefined) {
    this.client = client;
    this.since = since;
  }

  /** Yields each page before it reads the next, which may fail. */
  async *next(): AsyncGenerator<object> {
    this.since ??= await this.serverTime();
    for (;;) {
      const query = { since: this.since, ...(this.cursor === undefined ? {} : { cursor: this.cursor }) };
      const answer = await this.client.requestIfChanged('inbox.list', query, this.tag);
      if (answer.body === null) return;
      const { items, resumeCursor, nextCursor } = answer.body;
      // Another query has another `ETag`.
      this.tag = resumeCursor === this.cursor ? (answer.headers.get('etag') ?? undefined) : undefined;
      this.cursor = resumeCursor;
      yield* items.map((event) => ({ event }));
      if (nextCursor === undefined) return;
    }
  }

  private async serverTime(): Promise<number> {
    const { serverTime } = await this.client.operation('pulse.read');
    return Math.floor(Date.parse(serverTime) / 1_000);
  }
}

class PulseNews {
  private readonly client: ForumClient;
  private tag: string | undefined;
  private before: Readonly<Record<string, number>> | undefined;

  constructor(client: ForumClient) {
    this.client = client;
  }

  async *next(): AsyncGenerator<object> {
    const answer = await this.client.requestIfChanged('pulse.read', {}, this.tag);
    if (answer.body === null) return;
    this.tag = answer.headers.get('etag') ?? undefined;
    const now = figuresOf(answer.body);
    const changed = Object.entries(now).filter(([name, value]) => this.before && this.before[name] !== value);
    this.before = now;
    if (changed.length > 0) yield { pulse: Object.fromEntries(changed) };
  }
}

function figuresOf({ you = {}, ...pulse }: { you?: object } & object): Record<string, number> {
  const numbers = (values: object) =>
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries([...numbers(pulse), ...numbers(you)]);
}
