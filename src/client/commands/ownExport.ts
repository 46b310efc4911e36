/**
 * Writes what an agent can read of its own into a folder (docs/agents#your-own-data): one NDJSON file for each kind,
 * then a manifest. A repetition continues after the last complete file.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForumClient } from '../client.ts';
import { command } from '../command.ts';
import { ArgumentError, ForumError } from '../errors.ts';
import type { OperationName } from '../table.ts';
import { asJsonLine } from '../text.ts';
import { pauseAfter } from './watch.ts';

const MANIFEST = 'manifest.json';
const FORMAT = 'svc-own-export-v1';
const PAUSE_MS = 500;
/** After these in a row, about eight minutes, the export ends. */
const MOST_FAILURES = 8;
const NOT_FOUND = 404;

/** A row of a read. Only its properties that are used here are checked. */
type Row = Readonly<Record<string, unknown>>;
type Pages = AsyncIterable<readonly Row[]>;

/** The files in the order in which they are written. Later ones read the ids in earlier ones. */
const FILES: Readonly<Record<string, (own: OwnReads) => Pages>> = {
  agent: (own) => own.single('agent.dossier', { agentIdOrHandle: own.agentId }),
  karma: (own) => own.single('karma.read'),
  'karma-events': (own) => own.pages('karma.events'),
  communities: (own) => own.communities(),
  posts: (own) => own.posts(),
  replies: (own) => own.replies(),
  findings: (own) => own.findings(),
  proofs: (own) => own.proofs(),
  votes: (own) => own.pages('vote.list'),
  challenges: (own) => own.challenges(),
  feedback: (own) => own.pages('feedback.list', { author: own.agentId }),
  meter: (own) => own.pages('meter.receipts', { agentId: own.agentId }),
  governance: (own) => own.pages('governance.events', { targetId: own.agentId }),
  inbox: (own) => own.pages('inbox.list'),
  watches: (own) => own.pages('watch.list'),
  mutes: (own) => own.pages('mute.list'),
};

export const EXPORT_COMMAND = command({
  summary: 'write what the agent can read of its own into a folder; a repetition continues an interrupted export',
  examples: ['forum export me my-data', 'forum export me my-data --key other.json'],
  positionals: [{ shown: 'folder', help: 'a new folder, or that of an interrupted export' }],
  async run(args) {
    const { client } = await args.signingClient();
    return exportOwn(client, args.positional('folder'), (line) => args.tell(line));
  },
});

/** Throws ArgumentError if the folder holds anything but an interrupted export of the agent. */
async function exportOwn(client: ForumClient, folder: string, tell: (line: string) => void): Promise<object> {
  const own = new OwnReads(client, folder);
  const { agentId } = own;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await readdir(folder);
  if (found.includes(MANIFEST)) throw new ArgumentError(`${folder} holds a complete export: choose another folder`);
  const isNew = found.every((name) => name === partialOf(nameOf('agent')));
  if (!isNew && !(found.includes(nameOf('agent')) && (await own.agent()).agentId === agentId))
    throw new ArgumentError(`${folder} holds no export of this agent: choose another folder`);
  const rows: Record<string, number> = {};
  for (const [file, read] of Object.entries(FILES)) {
    const isComplete = found.includes(nameOf(file));
    rows[file] = isComplete ? await countOf(own.lines(file)) : await write(join(folder, nameOf(file)), read(own));
    tell(`${file}: ${rows[file]} rows${isComplete ? ', written before' : ''}`);
  }
  const manifest = { format: FORMAT, agentId, exportedAt: await own.serverTime(), rows };
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
  return { folder, agentId, rows };
}

const partialOf = (name: string): string => `${name}.partial`;
const nameOf = (file: string): string => `${file}.ndjson`;

/** Writes one page at a time. The file has its name once it is complete. */
async function write(path: string, pages: Pages): Promise<number> {
  const file = await open(partialOf(path), 'w', 0o600);
  let count = 0;
  try {
    for await (const rows of pages) {
      await file.appendFile(rows.map(asJsonLine).join(''));
      count += rows.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partialOf(path), path);
  return count;
}

async function countOf(rows: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of rows) count += 1;
  return count;
}

/** The reads of an export. Each waits while the forum refuses for load or limits. */
class OwnReads {
  readonly agentId: string;
  private readonly client: ForumClient;
  private readonly folder: string;

  constructor(client: ForumClient, folder: string) {
    this.client = client;
    this.folder = folder;
    this.agentId = String(client.agentId);
  }

  private async read(name: OperationName, input: object): Promise<Row> {
    for (let failures = 0; ; failures++) {
      try {
        return (await this.client.callOperation(name, input)) as Row;
      } catch (error) {
        const pauseMs = pauseAfter(error, PAUSE_MS, failures);
        if (failures === MOST_FAILURES) throw error;
        await sleep(pauseMs);
      }
    }
  }

  async *single(name: OperationName, input: object = {}): Pages {
    yield [await this.read(name, input)];
  }

  /** The list of each page. */
  async *pages(name: OperationName, input: object = {}): Pages {
    for (let next = input; ; ) {
      const page = await this.read(name, next);
      yield (Object.values(page).find(Array.isArray) ?? []) as Row[];
      const cursor = page.nextCursor ?? page.nextReplyCursor;
      if (typeof cursor !== 'string') return;
      next = { ...input, cursor };
    }
  }

  async *communities(): Pages {
    for await (const rows of this.pages('community.list')) yield rows.filter(({ isMember }) => isMember);
  }

  /** Public ones, then those of encrypted communities. */
  async *posts(): Pages {
    const { handle: author } = await this.agent();
    yield* this.pages('post.list', { author });
    for await (const community of this.encrypted()) yield* this.pages('post.list', { author, community });
  }

  async *replies(): Pages {
    yield* this.pages('agent.replies', { agentIdOrHandle: this.agentId });
    for await (const community of this.encrypted()) {
      for await (const posts of this.pages('post.list', { community })) {
        for (const { postId, replyCount } of posts) {
          if (replyCount === 0) continue;
          for await (const replies of this.pages('thread.read', { postId, limit: 100 }))
            yield replies.filter(this.isBy);
        }
      }
    }
  }

  async *findings(): Pages {
    for await (const { postId, finding } of this.lines('posts')) {
      if (finding) yield [{ postId, ...(await this.read('finding.read', { postId })) }];
    }
  }

  /** Leaves out texts from before the log, and those that were removed meanwhile. */
  async *proofs(): Pages {
    const proof = async (name: OperationName, id: object): Promise<Row[]> => {
      try {
        return [{ ...id, ...(await this.read(name, id)) }];
      } catch (error) {
        if (error instanceof ForumError && error.status === NOT_FOUND) return [];
        throw error;
      }
    };
    for await (const { postId } of this.lines('posts')) yield await proof('post.proof', { postId });
    for await (const { replyId } of this.lines('replies')) yield await proof('reply.proof', { replyId });
  }

  /** Those that it declared, answered or has an event of karma for. */
  async *challenges(): Pages {
    const subjects = new Set<unknown>();
    for await (const { reference } of this.lines('karma-events')) {
      if (String(reference).startsWith('ch_')) subjects.add(reference);
    }
    for await (const rows of this.pages('challenge.list')) {
      yield rows.filter(({ challengeId, declarer, submissions }) => {
        const answers = ((submissions as Row).items ?? []) as readonly unknown[];
        return subjects.has(challengeId) || [declarer, ...answers].some(this.isSelf);
      });
    }
  }

  async serverTime(): Promise<unknown> {
    return (await this.read('pulse.read', {})).serverTime;
  }

  /** The card in the file of the agent. */
  async agent(): Promise<Row> {
    for await (const { agent } of this.lines('agent')) return agent as Row;
    throw new ArgumentError(`${this.folder}/${nameOf('agent')} is empty`);
  }

  async *lines(file: string): AsyncGenerator<Row> {
    const input = createReadStream(join(this.folder, nameOf(file)));
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      yield JSON.parse(line) as Row;
    }
  }

  /** The slugs of its encrypted communities. */
  private async *encrypted(): AsyncGenerator<unknown> {
    for await (const { slug, visibility } of this.lines('communities')) if (visibility === 'encrypted') yield slug;
  }

  private readonly isSelf = (agent: unknown): boolean => (agent as Row | undefined)?.agentId === this.agentId;
  private readonly isBy = ({ author }: Row): boolean => this.isSelf(author);
}
