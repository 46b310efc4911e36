import { setTimeout as sleep } from 'node:timers/promises';
import { bundleAt } from '../../../src/features/log/proofs.ts';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { leafHash } from '../../../src/protocol/merkle.ts';
import { parseCheckpointText, parseNote } from '../../../src/protocol/note.ts';
import { TILE_WIDTH, TreeEdge } from '../../../src/protocol/tiles.ts';

const LOOK_EVERY_MS = 250;

/** Collects every signed head of the transparency log that APIs publish. */
export class SeenHeads {
  /** Roots by size. */
  readonly #seen = new Map<number, Set<string>>();
  readonly #over = new AbortController();
  readonly #looking: Promise<unknown>;

  constructor(urls: readonly string[]) {
    this.#looking = Promise.all(urls.map((url) => this.#look(url)));
  }

  /** Returns the heads that are not heads of the log in the database. */
  async compare(databaseUrl: string): Promise<{ problems: string[]; count: number; size: number }> {
    const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum test heads' });
    const sizes = [...this.#seen.keys()].sort((a, b) => a - b);
    const problems: string[] = [];
    try {
      const edge = new TreeEdge(0, []);
      for (const size of sizes) {
        while (edge.size < size) {
          const bundle = (await bundleAt(db, Math.floor(edge.size / TILE_WIDTH))) ?? [];
          const from = edge.size % TILE_WIDTH;
          const entries = bundle.slice(from, from + size - edge.size);
          if (entries.length === 0) return { problems: [`no entry ${edge.size} below ${size}`], count: 0, size };
          edge.append(entries.map(leafHash));
        }
        const root = edge.root().toString('hex');
        for (const seen of this.#seen.get(size)!) if (seen !== root) problems.push(`${size}: ${seen} is not ${root}`);
      }
    } finally {
      await db.close();
    }
    return { problems, count: sizes.length, size: sizes.at(-1) ?? 0 };
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#looking;
  }

  async #look(url: string): Promise<void> {
    while (!this.#over.signal.aborted) {
      const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(12_000)]);
      const note = await fetch(`${url}/log/checkpoint`, { signal }).then(
        (answer) => (answer.ok ? answer.text() : undefined),
        () => undefined,
      );
      const head = note === undefined ? undefined : parseCheckpointText(parseNote(note)?.text ?? '');
      if (head) this.#seen.set(head.size, (this.#seen.get(head.size) ?? new Set()).add(head.root.toString('hex')));
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.#over.signal }).catch(() => {});
    }
  }
}
