import { type Db, manyRows, pageOf } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { WatchKind } from './rules.ts';

export interface WatchRow {
  readonly watch_id: string;
  readonly kind: WatchKind;
  readonly value: string;
  readonly created_at: Date;
}

/** Answers an existing watch of the same, else nothing. */
export const CREATE_WATCH = effect('watches.create', 'release.create_watch', {
  watch_id: 'text',
  agent_id: 'text',
  kind: 'text',
  value: 'text',
  sought: 'text',
  gram: 'integer',
  other_gram: 'integer',
  at: 'timestamptz',
  most: 'integer',
  changes: 'integer',
});
export const REMOVE_WATCH = effect('watches.remove', 'release.remove_watch', {
  watch_id: 'text',
  agent_id: 'text',
  at: 'timestamptz',
  changes: 'integer',
});

const page = manyRows<WatchRow, [agentId: string, beforeId: string, limit: number]>(
  'watches.page',
  pageOf('SELECT watch_id, kind, value, created_at FROM watches WHERE agent_id = $1 AND watch_id < $2', {
    order: 'watch_id DESC',
    limit: '$3',
  }),
);

export const watchesBefore = (db: Db, agentId: string, beforeId: string, limit: number) =>
  page(db, agentId, beforeId, limit);
