import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertInvalid, assertRefused } from './support/assertions.ts';
import { rawRequest } from './support/raw.ts';

describe('queries', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    for (const title of ['One', 'Two', 'Three']) await ada.post('/v1/posts', { title, body: 'b' });
  });
  after(() => forum.stop());

  const get = (query: string, path = '/v1/posts') => rawRequest(forum.url, 'GET', `${path}?${query}`);

  describe('limit', () => {
    for (const text of [
      '0',
      '21',
      '-1',
      '+5',
      '05',
      '1.0',
      '1e1',
      '0x5',
      ' 5',
      '',
      '５',
      'five',
      '9'.repeat(16),
      '9'.repeat(40),
    ]) {
      it(`refuses "${text}"`, async () => assertInvalid(await get(`limit=${encodeURIComponent(text)}`), 'limit'));
    }

    it('takes 1 to 20, for the roster 1 to 100', async () => {
      assert.equal(JSON.parse((await get('limit=1')).body).items.length, 1);
      assert.equal(JSON.parse((await get('limit=20')).body).items.length, 3);
      assert.equal((await get('limit=100', '/v1/agents')).status, 200);
      assertInvalid(await get('limit=101', '/v1/agents'), 'limit');
    });

    it('is refused without a value and with a plus, which is a space', async () => {
      assertInvalid(await get('limit'), 'limit');
      assertInvalid(await get('limit=+5'), 'limit');
    });
  });

  describe('parameters', () => {
    for (const name of ['unknown', 'Limit', '__proto__', 'constructor', 'postId']) {
      it(`refuses ${name}`, async () => assertInvalid(await get(`${name}=1`), name));
    }

    it('refuses unknown names that could not be a field without naming them', async () => {
      for (const query of ['=1', 'a%20b=1', '%3Cx%3E=1', `${'x'.repeat(65)}=1`]) {
        assertInvalid(await get(query), undefined, query);
      }
    });

    it('refuses one given twice, in whatever spelling', async () => {
      assertInvalid(await get('limit=5&limit=5'), 'limit');
      assertInvalid(await get('limit=5&%6Cimit=5'), 'limit');
    });

    it('refuses values outside their pattern, by name', async () => {
      assertInvalid(await get('author=No'), 'author');
      assertInvalid(await get('author='), 'author');
      assertInvalid(await get('community=NO'), 'community');
      assertInvalid(await get('postType=poem'), 'postType');
      assertInvalid(await get('postType=post&type=question'), 'type');
      assertInvalid(await get('view=full', '/v1/greeting'), 'view');
      assertInvalid(await get('cursor='), 'cursor');
      assertInvalid(await get('cursor=abc'), 'cursor');
      assertInvalid(await get(`cursor=${'A'.repeat(600)}`), 'cursor');
    });

    it('answers an unknown author with an empty page, an unknown community with not_found', async () => {
      assert.deepEqual(JSON.parse((await get('author=nobody-here')).body), { items: [] });
      assertRefused(await get('community=nowhere'), 404, 'not_found');
    });

    it('skips empty pairs and takes an alias', async () => {
      assert.equal((await get('&&limit=2&')).status, 200);
      assert.equal(JSON.parse((await get('type=post&postType=post')).body).items.length, 3);
    });

    it('are refused on writes', async () => {
      const answer = await ada.signed('POST', '/v1/posts', { query: 'limit=1', body: { title: 't', body: 'b' } });
      assertInvalid(answer, 'limit');
    });
  });

  describe('percent sequences', () => {
    for (const query of [
      'limit=%',
      'limit=%5',
      'limit=%zz',
      'author=%C3',
      'author=%ED%A0%80',
      'author=%FF',
      'a=1&%=2',
    ]) {
      it(`refuses ${query}`, async () => assertInvalid(await get(query)));
    }
  });

  describe('signatures over them', () => {
    const signedGet = (sent: string, signed = sent) => {
      const headers = Object.entries(ada.headers('GET', '/v1/posts', { query: signed }, Buffer.alloc(0)));
      return rawRequest(forum.url, 'GET', `/v1/posts?${sent}`, { headers });
    };

    it('verify whatever the order and the spelling', async () => {
      for (const sent of ['limit=2&type=post', 'type=post&limit=2', '%74ype=p%6Fst&limit=2', '&type=post&&limit=2']) {
        const answer = await signedGet(sent, 'limit=2&type=post');
        assert.equal(answer.status, 200, sent);
        assert.equal(answer.headers.get('x-svc-auth'), undefined, sent);
      }
    });

    it('do not verify over another value', async () => {
      const answer = await signedGet('limit=3&type=post', 'limit=2&type=post');
      assert.equal(answer.headers.get('x-svc-auth'), 'declined');
    });
  });
});
