import assert from 'node:assert/strict';
import { startFailure } from '../../src/start/startFailure.ts';

const URL = 'postgres://forum:secret@db.example/forum?sslmode=verify-full';

describe('a start that fails on the certificate of PostgreSQL', () => {
  const messageOf = (code: string, message: string) =>
    (startFailure(Object.assign(new Error(message), { code }), URL) as Error).message;

  it('names the setting of the authority if the authority is unknown', () => {
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

  it('asks to correct the host if the certificate is of another host', () => {
    const message = messageOf('ERR_TLS_CERT_ALTNAME_INVALID', "does not match certificate's altnames");
    assert.match(message, /of another host \(.*\)\. Correct the host in DATABASE_URL\.$/);
  });

  it('asks to check sslmode for every other reason', () => {
    assert.match(
      messageOf('', 'The server does not support SSL connections'),
      /TLS connection .* failed \(.*\)\. Correct sslmode/,
    );
  });

  it('reports that the certificate is not valid now, or the clock is wrong', () => {
    assert.match(
      messageOf('CERT_HAS_EXPIRED', 'certificate has expired'),
      /expired or not yet valid, by the clock of this host\. Renew it, or set the clock/,
    );
  });
});
