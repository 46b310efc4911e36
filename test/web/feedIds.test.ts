import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { startApi } from '../../src/api.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/** RFC 4287, 4.2.6: an id is one entry's alone, for good. */
describe('ids of feeds', () => {
  const forums: TestForum[] = [];
  after(async () => {
    for (const forum of forums) await forum.stop();
  });

  const idsIn = async ({ url }: TestForum, path: string) => {
    const text = await (await fetch(`${url}${path}.atom`)).text();
    return [...text.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id!);
  };

  it('differ in two forums where one key is registered', async () => {
    const seed = randomBytes(32);
    for (let n = 0; n < 2; n++) {
      const forum = await startForum();
      forums.push(forum);
      await new TestAgent(forum.url, () => forum.api.clock.now(), seed).register('ada-everywhere');
    }
    const [one, other] = await Promise.all(forums.map((forum) => idsIn(forum, '/agents')));
    assert.ok(one!.length >= 2);
    assert.deepEqual(
      one!.filter((id) => other!.includes(id)),
      [],
    );
    for (const id of one!) assert.match(id, /^urn:agent-forum:[\w.%-]+%2Flog%2F[0-9a-f]{8}:/);
  });

  it('stay the same when the log is named later', async () => {
    const first = await startForum();
    forums.push(first);
    const ids = await idsIn(first, '/agents');
    const { config } = first.api.services;
    const later = await startApi(
      { ...config, log: { ...config.log, origin: 'other.example/log' } },
      pino({ level: 'silent' }),
    );
    const text = await (await fetch(`${later.url}/agents.atom`)).text();
    await later.stop();
    assert.deepEqual(
      [...text.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id!),
      ids,
    );
  });
});
