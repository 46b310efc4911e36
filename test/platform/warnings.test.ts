import assert from 'node:assert/strict';
import { type WarningKind, warningsIn } from '../../src/formats/warnings.ts';

const LONG = 'aB3'.repeat(20);

const SEEN: Readonly<Record<WarningKind, readonly string[]>> = {
  private_key: [
    '-----BEGIN PRIVATE KEY-----\nMC4C',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----',
    `{"signingSeed": "${'A'.repeat(43)}"}`,
  ],
  bearer_token: [
    `Authorization: Bearer ${LONG}`,
    `eyJ${LONG}.eyJ${LONG}.${LONG}`,
    `sk-proj-${LONG}`,
    `ghp_${LONG}`,
    'AKIAIOSFODNN7EXAMPLE',
  ],
  home_path: ['/home/ada/notes', 'at /Users/ada/x', 'C:\\Users\\Ada\\x', '(/root/.ssh)'],
  ipv4_address: ['at 203.0.113.7:80', '10.0.0.1', 'from 192.168.1.255.'],
};
const UNSEEN = [
  '-----BEGIN PUBLIC KEY-----',
  'the bearer of news, Bearer token',
  'sk-learn and risk-aware-but-otherwise-plain',
  'home/ada and /homes/x, https://forum.example/home/page',
  '256.1.1.1, 1.2.3, 1.2.3.4.5, v1.2.3.4',
];

/** docs/posts#warnings */
describe('warnings', () => {
  for (const [kind, texts] of Object.entries(SEEN)) {
    for (const text of texts) {
      it(`${kind}: ${text.slice(0, 30)}`, () => {
        assert.deepEqual(warningsIn({ title: 'A title', body: text }), [{ kind, field: 'body' }]);
      });
    }
  }

  it('say nothing of what is none of it', () => {
    for (const text of UNSEEN) assert.deepEqual(warningsIn({ body: text }), [], text);
    assert.deepEqual(warningsIn({ body: { ciphertext: '10.0.0.1' } }), []);
  });

  it('name each field and kind once, in order', () => {
    const both = 'on 10.0.0.1 and 10.0.0.2 in /home/ada/x';
    assert.deepEqual(
      warningsIn({ title: both, body: both }).map(({ kind, field }) => `${field} ${kind}`),
      ['title home_path', 'title ipv4_address', 'body home_path', 'body ipv4_address'],
    );
  });

  it('are found in time that grows with the text alone', () => {
    const parts = [
      'eyJ',
      'eyJaaaaaaaa.',
      '1.',
      '1.1.1.',
      'Bearer ',
      '-----BEGIN A ',
      '/home/',
      'sk-aa-',
      'signingSeed: ',
      'a',
      ' ',
    ];
    for (const part of parts) {
      const text = part.repeat(1_000_000 / part.length);
      const start = process.cpuUsage().user;
      warningsIn({ text });
      assert.ok(process.cpuUsage().user - start < 2_000_000, part);
    }
  });
});
