import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OutageReports } from '../../src/ops/outages.ts';
import { describePostgresLoss } from '../../src/ops/postgresLoss.ts';
import { NothingSent } from '../../src/platform/postgres/errors.ts';
import { Busy } from '../../src/platform/postgres/semaphore.ts';
import { eventually } from '../support/waits.ts';

const COUNTED_MS = 30;

describe('OutageReports', () => {
  it('reports the first request of a reason at once, then the number of others', async () => {
    const reported: object[] = [];
    const reports = new OutageReports((facts) => reported.push(facts), COUNTED_MS);
    for (const id of ['a', 'b', 'c']) reports.count('one', id);
    reports.count('two', 'd');
    assert.deepEqual(reported, [
      { reason: 'one', requests: 1, id: 'a' },
      { reason: 'two', requests: 1, id: 'd' },
    ]);
    await eventually(async () => reported.length === 3);
    assert.deepEqual(reported[2], { reason: 'one', requests: 2 });
    await sleep(3 * COUNTED_MS);
    assert.equal(reported.length, 3);
    reports.count('one', 'e');
    assert.deepEqual(reported[3], { reason: 'one', requests: 1, id: 'e' });
  });
});

describe('describePostgresLoss', () => {
  const databaseError = (code: string): pg.DatabaseError =>
    Object.assign(new pg.DatabaseError('says postgres://role:secret@host', 0, 'error'), { code });
  const systemError = (code: string): Error => Object.assign(new Error(`${code} 192.0.2.1:5432`), { code });

  it('names the reason in words, and repeats nothing of the error', () => {
    const expected: readonly (readonly [unknown, string | undefined])[] = [
      [databaseError('28P01'), 'rejects the password'],
      [databaseError('28000'), 'does not admit the role'],
      [databaseError('3D000'), 'has no such database'],
      [databaseError('53300'), 'has no free connection'],
      [databaseError('57P03'), 'is starting or stopping'],
      [databaseError('57P01'), 'is stopping'],
      [databaseError('25006'), 'read-only'],
      [databaseError('57014'), undefined],
      [databaseError('55P03'), undefined],
      [databaseError('23505'), undefined],
      [systemError('ECONNREFUSED'), 'connection refused'],
      [new NothingSent(systemError('ENOTFOUND')), 'host name not found'],
      [systemError('ECONNRESET'), 'connection lost'],
      [
        systemError('DEPTH_ZERO_SELF_SIGNED_CERT'),
        'has a certificate that is not trusted: set sslrootcert in DATABASE_URL',
      ],
      [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'requires a password'],
      [new Error('Connection terminated unexpectedly'), 'connection lost'],
      [new Error('timeout expired'), 'no answer'],
      [new Busy('too many'), 'all connections are in use'],
      [new TypeError('x is not a function'), undefined],
    ];
    for (const [error, words] of expected) assert.equal(describePostgresLoss(error), words, String(error));
  });
});
