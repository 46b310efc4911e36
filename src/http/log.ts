import type Router from '@koa/router';
import { notFound } from '../operation/errors.ts';
import type { Services } from '../pipeline/execute.ts';
import { HASH_BYTES } from '../protocol/merkle.ts';
import { bundleOf, entriesOf, hashesAt, parseTilePath, TILE_WIDTH } from '../protocol/tiles.ts';
import { ENTRIES_LEVEL, publishedCheckpoint, readRotations, readTiles, readWitnesses } from '../recording/logTiles.ts';
import type { HttpContext, RequestState } from './request.ts';

const CHECKPOINT_CACHE = 'public, max-age=1';
const TILE_CACHE = 'public, max-age=31536000, immutable';

/** The log as C2SP tlog-tiles serves it (docs/log#tiles), of the head that is published and nothing beyond. */
export function logRoutes(router: Router<RequestState>, { db }: Services): void {
  router.get('/log/checkpoint', async (koa) => {
    const { note } = await requirePublished();
    answerText(koa, note);
  });
  router.get('/log/vkey', async (koa) => {
    const { verifierKey } = await requirePublished();
    answerText(koa, `${verifierKey}\n`);
  });
  router.get('/log/rotations', async (koa) => {
    koa.set('cache-control', CHECKPOINT_CACHE);
    koa.body = { rotations: await readRotations(db) };
  });
  router.get('/log/witnesses', async (koa) => {
    koa.set('cache-control', CHECKPOINT_CACHE);
    koa.body = { witnesses: await readWitnesses(db) };
  });
  router.get('/log/tile/*path', async (koa) => {
    const tile = parseTilePath(koa.path.slice('/log/tile/'.length));
    const bytes = tile && (await tileBytes(tile));
    if (!bytes) throw notFound();
    koa.set('cache-control', TILE_CACHE);
    koa.type = 'application/octet-stream';
    koa.body = bytes;
  });

  async function requirePublished() {
    const published = await publishedCheckpoint(db);
    if (!published) throw notFound('no checkpoint is signed yet');
    return published;
  }

  async function tileBytes({ level, index, width }: NonNullable<ReturnType<typeof parseTilePath>>) {
    const { size } = await requirePublished();
    const isBundle = level === 'entries';
    if (index * TILE_WIDTH + width > hashesAt(isBundle ? 0 : level, size)) return undefined;
    const [stored] = await readTiles(db, [{ level: isBundle ? ENTRIES_LEVEL : level, index }]);
    if (!stored || isBundle) return stored && bundleOf(entriesOf(stored.bytes).slice(0, width));
    return stored.bytes.subarray(0, width * HASH_BYTES);
  }
}

function answerText(koa: HttpContext, text: string): void {
  koa.set('cache-control', CHECKPOINT_CACHE);
  koa.type = 'text/plain; charset=utf-8';
  koa.body = text;
}
