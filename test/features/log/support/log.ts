import assert from 'node:assert/strict';
import { type Checkpoint, openCheckpoint, parseVerifierKey, type Verifier } from '../../../../src/protocol/note.ts';
import { entriesOf, TILE_WIDTH, tilePath } from '../../../../src/protocol/tiles.ts';
import { eventually } from '../../../support/waits.ts';

export type Opened = Checkpoint & { readonly note: string };

/** A log as a stranger finds it. */
export class Stranger {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string): Promise<Response> {
    return fetch(`${this.#url}/log/${path}`);
  }

  async text(path: string): Promise<string> {
    const answer = await this.get(path);
    assert.equal(answer.status, 200, path);
    return answer.text();
  }

  async verifier(): Promise<Verifier> {
    return parseVerifierKey((await this.text('vkey')).trimEnd())!;
  }

  async checkpoint(): Promise<Opened> {
    const note = await this.text('checkpoint');
    return { ...openCheckpoint(note, await this.verifier()), note };
  }

  /** Once everything that was written has its place, and that is signed. */
  async settled(rows: (text: string) => Promise<{ size: number }[]>): Promise<Opened> {
    await eventually(async () => {
      const [stored] = await rows(
        `SELECT CASE WHEN EXISTS (SELECT FROM log_pending) OR c.size < h.size THEN -1 ELSE c.size END::integer AS size
         FROM log_head h, log_checkpoint c WHERE h.agents = (SELECT count(*) FROM agents)`,
      );
      return (stored?.size ?? -1) >= 0;
    });
    return this.checkpoint();
  }

  /** Bytes of a tile, at the width that it has in a tree of `size`. */
  async tile(level: number | 'entries', index: number, size: number): Promise<Buffer> {
    const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
    const width = Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH);
    const answer = await this.get(`tile/${tilePath({ level, index }, width)}`);
    assert.equal(answer.status, 200, `${level}/${index} of ${size}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  async entries(size: number): Promise<Buffer[]> {
    const indexes = Array.from({ length: Math.ceil(size / TILE_WIDTH) }, (_, index) => index);
    return (await Promise.all(indexes.map((index) => this.tile('entries', index, size)))).flatMap(entriesOf);
  }
}
