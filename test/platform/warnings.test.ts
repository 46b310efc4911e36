import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { type WarningKind, warningsIn } from '../../src/protocol/warnings.ts';

const LONG = 'aB3'.repeat(20);

/* Secrets are put together here, so that no scanner takes this file for a leak. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const WORD = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;
const URL_SAFE = `${WORD}_-`;
const HEX = '0123456789abcdef';
const UPPER = `${LETTERS.toUpperCase()}0123456789`;

/** The same sequence in every run. */
let state = 7;
const draw = (signs: string, length: number): string =>
  Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return signs[state % signs.length];
  }).join('');
const word = (length: number) => draw(WORD, length);
const safe = (length: number) => draw(URL_SAFE, length);
const hex = (length: number) => draw(HEX, length);
const upper = (length: number) => draw(UPPER, length);
const base64 = (bytes: number) => Buffer.from(draw(WORD, bytes)).toString('base64');
const jwtPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** By format, a secret of it; drawn several times each. */
const TOKENS: Readonly<Record<string, () => string>> = {
  'Anthropic API key': () => `sk-ant-api03-${safe(93)}AA`,
  'Anthropic admin key': () => `sk-ant-admin01-${safe(93)}AA`,
  'Anthropic OAuth token': () => `sk-ant-oat01-${safe(93)}AA`,
  'OpenAI project key': () => `sk-proj-${safe(74)}T3BlbkFJ${safe(74)}`,
  'OpenAI service account key': () => `sk-svcacct-${safe(74)}T3BlbkFJ${safe(74)}`,
  'OpenAI key of the first form': () => `sk-${word(20)}T3BlbkFJ${word(20)}`,
  'OpenRouter key': () => `sk-or-v1-${hex(64)}`,
  'DeepSeek key': () => `sk-${hex(32)}`,
  'Google API key': () => `AIza${safe(35)}`,
  'Google access token': () => `ya29.${safe(120)}`,
  'Google client secret': () => `GOCSPX-${safe(28)}`,
  'Google refresh token': () => `1//0${safe(60)}`,
  'Hugging Face token': () => `hf_${word(34)}`,
  'Groq key': () => `gsk_${word(52)}`,
  'xAI key': () => `xai-${word(80)}`,
  'Perplexity key': () => `pplx-${word(48)}`,
  'Replicate token': () => `r8_${word(37)}`,
  'NVIDIA key': () => `nvapi-${safe(64)}`,
  'LangSmith key': () => `lsv2_pt_${hex(32)}_${hex(10)}`,
  'Tavily key': () => `tvly-dev-${word(32)}`,
  'Pinecone key': () => `pcsk_${word(6)}_${word(62)}`,
  'npm token': () => `npm_${word(36)}`,
  'PyPI token': () => `pypi-AgEIcHlwaS5vcmc${safe(120)}`,
  'RubyGems key': () => `rubygems_${hex(48)}`,
  'crates.io token': () => `cio${word(32)}`,
  'Docker token': () => `dckr_pat_${safe(27)}`,
  'GitHub classic token': () => `ghp_${word(36)}`,
  'GitHub fine-grained token': () => `github_pat_${word(22)}_${word(59)}`,
  'GitHub server token': () => `ghs_${word(36)}`,
  'GitLab token': () => `glpat-${safe(20)}`,
  'GitLab runner token': () => `glrt-${safe(20)}`,
  'Slack bot token': () => `xoxb-${draw('123456789', 12)}-${draw('123456789', 12)}-${word(24)}`,
  'Slack app token': () => `xapp-1-${upper(11)}-${draw('123456789', 12)}-${hex(64)}`,
  'Slack webhook': () => `https://hooks.slack.com/services/T${upper(10)}/B${upper(10)}/${word(24)}`,
  'Discord bot token': () => `M${word(25)}.${word(6)}.${safe(38)}`,
  'Discord webhook': () => `https://discord.com/api/webhooks/${draw('123456789', 19)}/${safe(68)}`,
  'Telegram token': () => `${draw('123456789', 10)}:AA${safe(33)}`,
  'AWS access key': () => `AKIA${draw('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
  'AWS secret key': () => `aws_secret_access_key = ${draw(`${WORD}/+`, 40)}`,
  'Azure storage key': () => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${base64(64)};`,
  'Azure shared access signature': () => `https://a.blob.core.windows.net/c?sv=2022-11-02&sig=${word(43)}%3D`,
  'Azure client secret': () => `${word(3)}8Q~${safe(34)}`,
  'DigitalOcean token': () => `dop_v1_${hex(64)}`,
  'Databricks token': () => `dapi${hex(32)}`,
  'Heroku key': () => `HRKU-AA${safe(58)}`,
  'Fly token': () => `fm2_${safe(80)}`,
  'Netlify token': () => `nfp_${word(36)}`,
  'PlanetScale password': () => `pscale_pw_${safe(43)}`,
  'Supabase secret key': () => `sb_secret_${safe(31)}`,
  'Tailscale key': () => `tskey-auth-${word(12)}CNTRL-${word(32)}`,
  'Vault token': () => `hvs.${safe(95)}`,
  'Terraform token': () => `${word(14)}.atlasv1.${safe(67)}`,
  'Doppler token': () => `dp.pt.${word(43)}`,
  'Grafana token': () => `glsa_${word(32)}_${hex(8)}`,
  'Sentry token': () => `sntryu_${hex(64)}`,
  'New Relic key': () => `NRAK-${upper(27)}`,
  'Postman key': () => `PMAK-${hex(24)}-${hex(34)}`,
  'Stripe live key': () => `sk_live_${word(24)}`,
  'Stripe restricted key': () => `rk_test_${word(24)}`,
  'Stripe webhook secret': () => `whsec_${word(32)}`,
  'Square token': () => `sq0atp-${safe(22)}`,
  'Shopify token': () => `shpat_${hex(32)}`,
  'Twilio key': () => `SK${hex(32)}`,
  'SendGrid key': () => `SG.${safe(22)}.${safe(43)}`,
  'Mailgun key': () => `key-${hex(32)}`,
  'Mailchimp key': () => `${hex(32)}-us12`,
  'Brevo key': () => `xkeysib-${hex(64)}-${word(16)}`,
  'Resend key': () => `re_${word(8)}_${word(24)}`,
  'Linear key': () => `lin_api_${word(40)}`,
  'Notion token': () => `ntn_${word(46)}`,
  'Figma token': () => `figd_${safe(40)}`,
  'Airtable token': () => `pat${word(14)}.${hex(64)}`,
  'Atlassian token': () => `ATATT3xFfGF0${safe(180)}`,
  'CircleCI token': () => `CCIPAT_${word(22)}_${hex(40)}`,
  'JSON Web Token': () => `${jwtPart({ alg: 'HS256' })}.${jwtPart({ sub: '1', iat: 1 })}.${safe(43)}`,
  'encrypted JSON Web Token': () => `${jwtPart({ alg: 'dir', enc: 'A256GCM' })}..${safe(16)}.${safe(40)}.${safe(22)}`,
  'Authorization header': () => `Authorization: Bearer ${word(40)}`,
  'basic authentication': () => `authorization: Basic ${base64(20)}`,
  'key of a vendor without a prefix': () => `COHERE_API_KEY="${word(40)}"`,
  'PostgreSQL address': () => `postgres://u:${word(1)}@h`,
  'PostgreSQL address with a longer password': () => `postgresql://app:${word(16)}@db.example:5432/app?sslmode=require`,
  'MongoDB address': () => `mongodb+srv://app:${word(16)}@cluster0.example.net/app`,
  'Redis address': () => `redis://:${word(12)}@cache:6379/0`,
  'AMQP address': () => `amqps://app:${safe(16)}@mq.example/vhost`,
  'web address with a password': () => `https://ada:${word(12)}@git.example/repo.git`,
  'ADO connection string': () => `Server=db;Database=app;User Id=sa;Password=${word(12)};`,
  'netrc line': () => `machine git.example login ada password ${word(12)}`,
};

const KEYS: Readonly<Record<string, () => string>> = {
  'PKCS #8': () => `-----BEGIN PRIVATE KEY-----\n${base64(32)}`,
  'encrypted PKCS #8': () => `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${base64(32)}`,
  'PKCS #1': () => `-----BEGIN RSA PRIVATE KEY-----\n${base64(32)}`,
  'SEC 1': () => `-----BEGIN EC PRIVATE KEY-----\n${base64(32)}`,
  OpenSSH: () => '-----BEGIN OPENSSH PRIVATE KEY-----',
  PGP: () => '-----BEGIN PGP PRIVATE KEY BLOCK-----',
  SSH2: () => '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
  PuTTY: () => `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${base64(24)}`,
  'JWK of an elliptic curve': () => JSON.stringify({ kty: 'EC', crv: 'P-256', x: safe(43), y: safe(43), d: safe(43) }),
  'JWK of RSA, spread over lines': () => JSON.stringify({ d: safe(342), n: safe(342), kty: 'RSA' }, null, 2),
  'symmetric JWK': () => JSON.stringify({ kty: 'oct', k: safe(43) }),
  'JWK within a string': () => JSON.stringify(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: safe(43), d: safe(43) })),
  'key file of this service': () => `{"signingSeed": "${safe(43)}"}`,
  age: () => `AGE-SECRET-KEY-1${upper(58)}`,
  nostr: () => `nsec1${draw('023456789acdefghjklmnpqrstuvwxyz', 58)}`,
  WireGuard: () => `PrivateKey = ${word(43)}=`,
  'BIP 32': () => `xprv${draw('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 107)}`,
};

const SEEN: Readonly<Partial<Record<WarningKind, readonly string[]>>> = {
  bearer_token: ['AKIAIOSFODNN7EXAMPLE', `sk-proj-${LONG}`, `eyJ${LONG}.eyJ${LONG}.${LONG}`],
  home_path: ['/home/ada/notes', 'at /Users/ada/x', 'C:\\Users\\Ada\\x', '(/root/.ssh)'],
  ipv4_address: ['at 203.0.113.7:80', '10.0.0.1', 'from 192.168.1.255.'],
};

/** Words, names, public keys, hashes, masks and variables that look like secrets at first sight. */
const INNOCENT: readonly string[] = [
  '-----BEGIN PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----',
  'a PRIVATE KEY is what PEM files hold',
  'the bearer of news, Bearer token',
  'bearer responsibilities and obligations',
  'the bearer acknowledgement-of-receipt form',
  'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE',
  'Authorization: Bearer <token>',
  'Authorization: Bearer $ACCESS_TOKEN',
  'Authorization: Bearer xxxxxxxxxxxxxxxxxxxxxxxx',
  'Authorization: Basic <credentials>',
  'sk-learn and risk-aware-but-otherwise-plain',
  'sk-internationalization-and-localization',
  'sk_learn_pipeline_transformer_base',
  'sk-proj-my-first-project-name-here',
  'sk-...',
  'sk-ant-api03-...',
  'sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'hf_hub_download and hf_transformers_cache_directory',
  'hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'npm_config_registry, npm_package_dependencies_typescript',
  'github_pat_<your token>',
  'AKIA followed by 16 capitals',
  'AIza is how Google keys begin',
  'the xai-sdk and pplx-api packages',
  'glpat- begins a token of GitLab',
  'xoxb- begins a token of Slack',
  'set OPENAI_API_KEY=sk-... first',
  'export API_KEY=$(cat key.txt)',
  'api_key: YOUR_API_KEY_GOES_HERE_PLEASE',
  'apiKey: process.env.OPENAI_API_KEY',
  'access_token=$\u007bACCESS_TOKEN}',
  'client_secret: <client secret of your app>',
  'privateKey: Uint8Array, secretKey: CryptoKey',
  'postgres://localhost:5432/app',
  'postgres://app@localhost/app',
  'postgres://app:$PGPASSWORD@db/app',
  'postgres://app:$\u007bPASSWORD}@db/app',
  'postgres://app:***@db/app',
  'postgres://user:password@host:port/dbname',
  'postgres://<user>:<password>@<host>/<db>',
  'redis://cache:6379/0',
  'http://x.org:8080/@ada',
  'http://x.org:8080/path?mail=ada@x.org',
  'mailto:ada@x.org, git@github.com:ada/x.git',
  'ssh://git@x.org:22/ada/x.git',
  'https://ada@x.org/repo.git',
  'Server=db;Database=app;Integrated Security=true;',
  'Server=db;User Id=sa;Password=<secret>;',
  'let password = readPassword();',
  'password=$\u007bPASSWORD};',
  '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
  '{"d": "not a key", "kty": "EC"}',
  '{"d":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
  '"signing_public_key": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGmQ4yZz0VdJq1X2s3Q5m8 ada@host',
  'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  'npub1sn0wdenkukak0d9dfczzeacvhkrgz92ak56egt7vdgzn8pv2wfqqhrjdv9',
  'PublicKey = xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=',
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'commit 335aca8d7c2b1f0e9d8c7b6a5f4e3d2c1b0a9f8e',
  'sha512-oQLYgfqmXOoJ5Uw2v0Yb3sBt2eW8q0o1J0r8gQ7b6zL5cY4u3k2XQ==',
  'd41d8cd98f00b204e9800998ecf8427e',
  '123e4567-e89b-12d3-a456-426614174000',
  'p_00mwy70zzn7rbpqogiomvmh00, ag1-_uaZEQQMHA7ipSZRDdr7Eg',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'eyJhbGciOiJIUzI1NiJ9 is a header alone',
  'package.module.ClassNameOfSomething.method',
  'NotificationServiceFactory.create.ConfigurationOfNotificationChannels',
  'a 1//0 division, 12:30:AA, key-value stores, key-exchange-algorithms',
  'secret_santa_participants_list, secret_',
  'patent 1234567, pattern.replace, patches.yaml',
  'the CIO of the company, ciostreambuffer',
  'whsec_ and re_ are prefixes; re_compile_pattern',
  'EAAccelerator, EAAS platforms',
  'SG.com, SKU1234567890, sl.wikipedia.org',
  'home/ada and /homes/x, https://forum.example/home/page',
  '256.1.1.1, 1.2.3, 1.2.3.4.5, v1.2.3.4',
];

const DOCS = new URL('../../src/discovery/docs/', import.meta.url);
/** The paragraphs of the documentation: text as agents write it, with code, identifiers and addresses. */
const paragraphs = readdirSync(DOCS)
  .flatMap((name) => readFileSync(new URL(name, DOCS), 'utf8').split(/\n{2,}/))
  .filter((text) => text.length > 80);

/** docs/posts#warnings */
describe('warningsIn', () => {
  for (const [kind, secrets] of [
    ['bearer_token', TOKENS],
    ['private_key', KEYS],
  ] as const) {
    for (const [name, make] of Object.entries(secrets)) {
      it(`finds a secret: ${name}`, () => {
        for (let n = 0; n < 50; n++) {
          const secret = make();
          for (const text of [secret, `I use ${secret} here.`, `key="${secret}",`, `(${secret})`, `\n${secret}\n`]) {
            const kinds = warningsIn({ body: text }).map((warning) => warning.kind);
            assert.ok(kinds.includes(kind), text);
          }
        }
      });
    }
  }

  for (const [kind, texts] of Object.entries(SEEN)) {
    for (const text of texts) {
      it(`finds ${kind}: ${text.slice(0, 30)}`, () => {
        assert.deepEqual(warningsIn({ title: 'A title', body: text }), [{ kind, field: 'body' }]);
      });
    }
  }

  it('finds nothing in innocent texts', () => {
    for (const text of INNOCENT) assert.deepEqual(warningsIn({ body: text }), [], text);
    assert.deepEqual(warningsIn({ body: { ciphertext: '10.0.0.1' } }), []);
  });

  it('finds no secret in the paragraphs of the documentation', () => {
    assert.ok(paragraphs.length > 200, String(paragraphs.length));
    for (const text of paragraphs) {
      const secrets = warningsIn({ body: text }).filter(
        ({ kind }) => kind === 'bearer_token' || kind === 'private_key',
      );
      assert.deepEqual(secrets, [], text);
    }
  });

  it('names each field and kind once, in order', () => {
    const both = 'on 10.0.0.1 and 10.0.0.2 in /home/ada/x';
    assert.deepEqual(
      warningsIn({ title: both, body: both }).map(({ kind, field }) => `${field} ${kind}`),
      ['title home_path', 'title ipv4_address', 'body home_path', 'body ipv4_address'],
    );
  });

  it('takes time that grows with the text alone', () => {
    const parts = [
      'eyJ',
      'eyJaaaaaaaa.',
      '1.',
      '1.1.1.',
      'Bearer ',
      'Bearer aaaaaaaaaaaaaaaa/',
      '-----BEGIN A ',
      '/home/',
      'sk-aa-',
      'sk-',
      'signingSeed: ',
      '"d":"aaaaaaaaaaaaaaaaaaaaaaaa",',
      'kty "d":',
      'a://a:',
      'a://:a',
      'host=a;',
      'host=a;a;a;a;a;',
      'machine a login a ',
      'api_key=aaaaaaaaaaaaaaaaaaaaaaaa ',
      'dp.pt.',
      'SG.aaaaaaaaaaaaaaaaaaaaaa.',
      'M',
      'M.',
      '12345678:',
      'sig=',
      'a',
      '0',
      '-',
      ' ',
    ];
    for (const part of parts) {
      const text = part.repeat(1_000_000 / part.length);
      const start = process.cpuUsage().user;
      warningsIn({ text });
      const micros = process.cpuUsage().user - start;
      assert.ok(micros < 2_000_000, `${part}: ${micros}`);
    }
  });
});
