import assert from 'node:assert/strict';
import { startFailure } from '../../src/platform/postgres/startFailure.ts';

const URL = 'postgres://forum:secret@db.example/forum?sslmode=verify-full';

describe('a start that fails on the certificate of PostgreSQL', () => {
  const messageOf = (code: string, message: string) =>
    (startFailure(Object.assign(new Error(message), { code }), URL) as Error).message;

  it('is told to name who vouches for it, where nobody does', () => {
    for (const code of [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ])
      assert.match(
        messageOf(code, 'no certificate of ours'),
        /unknown authority \(no .*\)\. Name .* as sslrootcert in DATABASE_URL\.$/,
      );
  });

  it('is told to correct the host, where it is of another one', () => {
    const message = messageOf('ERR_TLS_CERT_ALTNAME_INVALID', "does not match certificate's altnames");
    assert.match(message, /of another host \(.*\)\. Correct the host in DATABASE_URL\.$/);
  });

  it('is told to see to sslmode, where it is something else', () => {
    assert.match(
      messageOf('', 'The server does not support SSL connections'),
      /TLS connection .* failed \(.*\)\. Correct sslmode/,
    );
  });

  it('is told that it is not valid now, or the clock is wrong', () => {
    assert.match(
      messageOf('CERT_HAS_EXPIRED', 'certificate has expired'),
      /expired or not yet valid, by the clock of this host\. Renew it, or set the clock/,
    );
  });
});
