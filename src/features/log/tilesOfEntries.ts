import type { Db } from '../../platform/postgres/postgres.ts';
import { fold, TILE_WIDTH } from '../../protocol/tiles.ts';
import { readTiles } from '../../recording/logTiles.ts';

/** The tiles of hashes that entries make (docs/log#tiles), held against those that are stored and served. */
export class TilesOfEntries {
  /** The hashes of the tile that is being filled, by level, and how many were filled before. */
  readonly #levels: { hashes: Buffer[]; full: number }[] = [];

  /** The next hashes of leaves, no more than fill a tile. Returns the problems. */
  async follow(db: Db, hashes: readonly Buffer[]): Promise<string[]> {
    return this.#put(db, 0, hashes);
  }

  /** Of the tiles that are not full, after all entries. */
  async rest(db: Db): Promise<string[]> {
    const problems: string[] = [];
    for (const [level, { hashes }] of this.#levels.entries()) {
      if (hashes.length > 0) problems.push(...(await this.#compare(db, level)));
    }
    return problems;
  }

  async #put(db: Db, level: number, added: readonly Buffer[]): Promise<string[]> {
    this.#levels[level] ??= { hashes: [], full: 0 };
    const filled = this.#levels[level];
    filled.hashes.push(...added);
    if (filled.hashes.length < TILE_WIDTH) return [];
    const problems = await this.#compare(db, level);
    const root = fold(Buffer.concat(filled.hashes));
    this.#levels[level] = { hashes: [], full: filled.full + 1 };
    return [...problems, ...(await this.#put(db, level + 1, [root]))];
  }

  async #compare(db: Db, level: number): Promise<string[]> {
    const { hashes, full: index } = this.#levels[level]!;
    const expected = Buffer.concat(hashes);
    const [stored] = await readTiles(db, [{ level, index }]);
    const isGood = stored?.bytes.subarray(0, expected.length).equals(expected) ?? false;
    return isGood ? [] : [`the tile ${level}/${index} is missing, or not that of the entries`];
  }
}
