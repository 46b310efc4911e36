import assert from 'node:assert/strict';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertInvalid, assertRefused } from './support/assertions.ts';
import { rawRequest } from './support/raw.ts';

const PATH = '/v1/posts/preview';
const MAX_BYTES = 524_288;
const JSON_TYPE = ['Content-Type', 'application/json'] as const;

describe('request bodies', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const send = (rawBody: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    ada.signed('POST', PATH, { rawBody, headers });
  const post = (more: string) => `{"title":"t","body":"b"${more}}`;

  /** Signed, over a socket, so that nothing between the test and the service mends it. */
  function sendRaw(body: Buffer, extra: readonly (readonly [string, string])[] = [JSON_TYPE], chunked = false) {
    const headers = [...Object.entries(ada.headers('POST', PATH, {}, body)), ...extra];
    return rawRequest(forum.url, 'POST', PATH, { headers, body, chunked });
  }

  it('with a crowd of made-up names are refused by one of them, wherever they are', async () => {
    const crowd = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`made_up${index}`, 0]));
    assertInvalid(await ada.post(PATH, { title: 't', body: 'b', ...crowd }), 'made_up0');
    assertInvalid(await ada.post(PATH, { title: 't', body: 'b', finding: crowd }), 'finding.made_up0');
    const tool = { name: 'list_posts', arguments: { limit: 1, ...crowd } };
    const { body } = await ada.anonymous('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool },
    });
    assert.deepEqual(JSON.parse(body.result.content[0].text), { error: 'invalid_request', field: 'made_up0' });
  });

  describe('I-JSON', () => {
    const refused: Record<string, [string | Buffer, string?]> = {
      'a byte-order mark': [`\uFEFF${post('')}`],
      'a stray continuation byte': [Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0x80), Buffer.from('"}')])],
      'an overlong encoding': [Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}')])],
      'a surrogate in UTF-8': [
        Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
      ],
      'a truncated sequence': [Buffer.concat([Buffer.from(post('')), Buffer.of(0xe2, 0x82)])],
      UTF16: [Buffer.from(post(''), 'utf16le')],
      'a duplicate key': [post(',"title":"u"'), 'title'],
      'a duplicate key in another spelling': [post(',"t\\u0069tle":"u"'), 'title'],
      'a duplicate key further down': [post(',"x":{"a":1,"a":2}'), 'x.a'],
      '1E400': [post(',"x":1E400'), 'x'],
      '-1E400': [post(',"x":[0,-1E400]'), 'x[1]'],
      'depth 65': [post(`,"x":${'['.repeat(64)}${']'.repeat(64)}`)],
      '30 KB of nested brackets': ['['.repeat(30_000)],
      '30 KB of nested objects': ['{"a":'.repeat(6_000)],
      'U+0000 in a string': ['{"title":"a\\u0000b","body":"b"}', 'title'],
      'U+0000 in a key': [post(',"a\\u0000":1')],
      'a lone high surrogate': ['{"title":"a\\uD800b","body":"b"}', 'title'],
      'a lone low surrogate': ['{"title":"t","body":"\\uDC00"}', 'body'],
      'a swapped surrogate pair': ['{"title":"t","body":"\\uDE00\\uD83D"}', 'body'],
      'a lone surrogate in a key': [post(',"\\uD800":1')],
      'a raw control character': ['{"title":"a\nb","body":"b"}'],
      'a trailing comma': ['{"title":"t","body":"b",}'],
      'a comment': [post('/**/')],
      NaN: [post(',"x":NaN')],
      'a leading zero': [post(',"x":01')],
      'two values': [`${post('')} {}`],
      'an unfinished value': ['{"title":"t"'],
      'white space alone': ['   '],
      'an array': ['[]'],
      'a string': ['"title"'],
      null: ['null'],
      'a number': ['1'],
    };
    for (const [name, [body, field]] of Object.entries(refused)) {
      it(`refuses ${name}`, async () => assertInvalid(await send(body), field));
    }

    it('takes what only looks suspicious', async () => {
      const title = '\\uD83D\\uDE00 \\\\u0000 \\"quoted\\"';
      const answer = await send(`\r\n\t {"title":"${title}","body":"\u{10FFFF}"} \n`);
      assert.equal(answer.status, 200);
      assert.equal(answer.body.post.title, '\u{1F600} \\u0000 "quoted"');
      assert.equal(answer.body.post.body, '\u{10FFFF}');
    });
  });

  describe('closed objects', () => {
    for (const name of ['unknown', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
      it(`refuses the property ${name}`, async () => assertInvalid(await send(post(`,"${name}":{"a":1}`)), name));
    }

    it('names no property whose name could not be a field', async () => {
      for (const name of ['<script>', 'a b', '0', '', 'é', 'x'.repeat(65)]) {
        assertInvalid(await send(post(`,"${name}":1`)), undefined, name);
      }
    });

    it('refuses a path parameter in the body', async () => {
      assertInvalid(await send(post(',"agentId":"x"')), 'agentId');
    });

    it('does not convert types', async () => {
      assertInvalid(await send('{"title":1,"body":"b"}'), 'title');
      assertInvalid(await send('{"title":"t","body":["b"]}'), 'body');
      assertInvalid(await send('{"title":"t","body":true}'), 'body');
    });

    it('takes null for absent where a property is optional, and nowhere else', async () => {
      assert.equal((await send(post(',"communitySlug":null'))).status, 200);
      assertInvalid(await send('{"title":null,"body":"b"}'), 'title');
    });

    it('counts lengths in code points', async () => {
      const astral = '\u{1F600}';
      assert.equal(
        (await send(JSON.stringify({ title: astral.repeat(200), body: astral.repeat(20_000) }))).status,
        200,
      );
      assertInvalid(await send(JSON.stringify({ title: astral.repeat(201), body: 'b' })), 'title');
      assertInvalid(await send(JSON.stringify({ title: 't', body: astral.repeat(20_001) })), 'body');
      assertInvalid(await send(JSON.stringify({ title: '', body: 'b' })), 'title');
      assertInvalid(await send(JSON.stringify({ title: 't', body: '' })), 'body');
    });

    it('refuses control and bidirectional control characters in a line, not in longer text', async () => {
      for (const code of [0x01, 0x09, 0x0a, 0x0d, 0x1f, 0x7f, 0x85, 0x202a, 0x202e, 0x2066, 0x2069]) {
        const character = String.fromCodePoint(code);
        const about = code.toString(16);
        assertInvalid(await send(JSON.stringify({ title: `a${character}b`, body: 'b' })), 'title', about);
        assert.equal((await send(JSON.stringify({ title: 't', body: `a${character}b` }))).status, 200, about);
      }
    });
  });

  describe('content types', () => {
    const body = Buffer.from(post(''));
    const taken = [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON; Charset="utf-8"',
      'application/json;',
      'application/json ; ',
      'application/json; charset=utf8',
      'application/json; charset="UTF8"',
      'application/json; profile=x',
      'application/json; profile="a; charset=latin1"; charset=utf-8',
      'application/json; version',
    ];
    for (const type of taken) {
      it(`takes ${type}`, async () => assert.equal((await send(body, { 'content-type': type })).status, 200));
    }
    const refused = [
      'text/plain',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json; charset="iso-8859-1"',
      'application/json; profile=x; charset=latin1',
      'application/json; charset=""',
      'application/json, application/json',
      'application/jsonx',
      'application/problem+json',
      'text/json',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'text/plain, application/json',
    ];
    for (const type of refused) {
      it(`refuses ${type}`, async () => assertInvalid(await send(body, { 'content-type': type })));
    }

    it('refuses a body without a type', async () => assertInvalid(await sendRaw(body, [])));

    it('asks for none where nothing is said: an absent body and {} are the same', async () => {
      const slug = 'joined-without-a-word';
      await ada.post('/v1/communities', { slug, displayName: 'J', description: '', visibility: 'public' });
      const path = `/v1/communities/${slug}/members`;
      for (const text of ['', '{}']) {
        const empty = Buffer.from(text);
        const bob = await forum.agent();
        const headers = Object.entries(bob.headers('POST', path, {}, empty));
        assert.equal((await rawRequest(forum.url, 'POST', path, { headers, body: empty })).status, 201, text);
      }
    });

    for (const encoding of ['gzip', 'identity', 'br', '']) {
      it(`refuses Content-Encoding: ${encoding || '(empty)'}`, async () => {
        assertInvalid(await sendRaw(body, [JSON_TYPE, ['Content-Encoding', encoding]]));
      });
    }
  });

  describe('sizes', () => {
    const sized = (bytes: number) => Buffer.from(post('').padEnd(bytes, ' '));

    it('takes 524,288 bytes, by Content-Length and in chunks', async () => {
      assert.equal((await sendRaw(sized(MAX_BYTES))).status, 200);
      assert.equal((await sendRaw(sized(MAX_BYTES), [JSON_TYPE], true)).status, 200);
    });

    it('refuses one byte more before it looks at the bytes or verifies the signature', async () => {
      const body = Buffer.alloc(MAX_BYTES + 1, '[');
      const headers = Object.entries(ada.headers('POST', PATH, {}, Buffer.from('something else')));
      const answers = [
        await sendRaw(body),
        await sendRaw(body, [JSON_TYPE], true),
        await rawRequest(forum.url, 'POST', PATH, { headers, body }),
        await rawRequest(forum.url, 'POST', PATH, { headers, body, chunked: true }),
      ];
      for (const answer of answers) assertRefused(answer, 400, 'too_large', { maxBytes: MAX_BYTES });
    });

    it('responds to 600 KB every time, although the client is still sending', async () => {
      const body = Buffer.alloc(600_000, 'x');
      const headers = { 'content-type': 'application/json' };
      for (let round = 0; round < 20; round++) {
        assertRefused(await ada.anonymous('POST', '/mcp', { rawBody: body, headers }), 400, 'too_large', {
          maxBytes: MAX_BYTES,
        });
        assertRefused(await rawRequest(forum.url, 'POST', '/mcp', { body, chunked: true }), 400, 'too_large', {
          maxBytes: MAX_BYTES,
        });
      }
    });

    it('takes a body in chunks of any size, but not in more tiny ones than a client would send', async () => {
      const send = (length: number, chunkBytes: number) => {
        const body = sized(length);
        const headers = [...Object.entries(ada.headers('POST', PATH, {}, body)), JSON_TYPE];
        return rawRequest(forum.url, 'POST', PATH, { headers, body, chunked: true, chunkBytes });
      };
      for (const [length, chunkBytes] of [
        [MAX_BYTES, 128],
        [4_096, 1],
        [40, 2],
      ] as const)
        assert.equal((await send(length, chunkBytes)).status, 200);
      for (const length of [5_000, MAX_BYTES]) {
        const answer = await send(length, 1);
        assert.deepEqual([answer.status, answer.body], [400, '{"error":"invalid_request"}']);
      }
    });

    it('refuses by Content-Length alone, without waiting for the body', async () => {
      const signed = Object.entries(ada.headers('POST', PATH, {}, Buffer.alloc(0)));
      const answer = await rawRequest(forum.url, 'POST', PATH, { headers: [...signed, ['Content-Length', '600000']] });
      assertRefused(answer, 400, 'too_large', { maxBytes: MAX_BYTES });
    });
  });

  describe('absent bodies', () => {
    it('are the empty object, without a content type', async () => {
      assertInvalid(await ada.signed('POST', PATH), 'title');
      assertInvalid(await send('{}'), 'title');
    });

    it('may be chunked to nothing', async () => {
      assertInvalid(await sendRaw(Buffer.alloc(0), [], true), 'title');
    });
  });

  describe('GET and HEAD', () => {
    for (const method of ['GET', 'HEAD']) {
      for (const target of ['/v1/posts', '/v1/agents', '/v1/greeting', '/health', '/routes.json']) {
        it(`${method} ${target} with a body is refused`, async () => {
          for (const chunked of [false, true]) {
            const answer = await rawRequest(forum.url, method, target, { headers: [JSON_TYPE], body: '{}', chunked });
            assert.equal(answer.status, 400);
            assert.equal(answer.body, method === 'HEAD' ? '' : '{"error":"invalid_request"}');
          }
        });
      }
    }

    it('a Content-Length of zero is no body', async () => {
      const answer = await rawRequest(forum.url, 'GET', '/v1/posts', { headers: [['Content-Length', '0']] });
      assert.equal(answer.status, 200);
    });
  });
});
