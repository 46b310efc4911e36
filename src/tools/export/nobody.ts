import { randomBytes } from 'node:crypto';
import type { Config } from '../../config.ts';
import { type Context, logRuleOf } from '../../operation/operation.ts';
import { OPERATIONS_BY_NAME } from '../../operations.ts';
import { Cursors } from '../../platform/codec/cursor.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { newId } from '../../protocol/ids.ts';

/** The context of nobody's reads from one database, all at one moment. */
export function nobodysContext(db: Db, config: Config, now: number): Context {
  const refused = () => Promise.reject(new Error('an export asks nothing but reads'));
  const context: Context = {
    caller: null,
    db,
    primary: db,
    searchIndex: db,
    shared: (_what, work) => work(context),
    now,
    aheadMs: 0,
    config,
    cursors: new Cursors(randomBytes(32).toString('base64url')),
    address: '',
    newId: (prefix) => newId(prefix, now),
    check: refused,
    allowances: refused,
    rebuildReceipt: refused,
    logRule: (name) => logRuleOf(OPERATIONS_BY_NAME.get(name)),
  };
  return context;
}
