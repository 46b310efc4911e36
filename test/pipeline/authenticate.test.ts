import assert from 'node:assert/strict';
import { agentDirectory } from '../../src/features/agents/directory.ts';
import { authenticate, type Credentials } from '../../src/pipeline/authenticate.ts';
import type { Db, Statement } from '../../src/platform/postgres/postgres.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/**
 * A refusal costs one look-up, for known and unknown agents, so that the time of a 401 does not reveal whether an agent
 * exists (docs/signing#what-is-strict).
 */
describe('what a signed request looks up', () => {
  let forum: TestForum;
  let lookUps: number;
  let directory: ReturnType<typeof agentDirectory>;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(() => {
    const { db } = forum.api.services;
    const query = (statement: Statement, values: readonly unknown[]) => {
      lookUps += 1;
      return db.query(statement, values);
    };
    directory = agentDirectory({ query } as Db);
  });

  const now = () => forum.api.clock.now();
  const credentials = (agent: TestAgent): Credentials => {
    const body = Buffer.alloc(0);
    const headers = agent.headers('GET', '/v1/karma', {}, body);
    return {
      method: 'GET',
      path: '/v1/karma',
      query: '',
      body,
      agentId: headers['x-svc-agent-id'],
      timestamp: headers['x-svc-timestamp'],
      nonce: headers['x-svc-nonce'],
      signature: headers['x-svc-signature'],
    };
  };
  async function asked(request: Credentials): Promise<[string, number]> {
    lookUps = 0;
    const { kind } = await authenticate(request, now(), directory);
    return [kind, lookUps];
  }

  it('costs one read if it is refused, and no read once its agent is cached', async () => {
    const ada = await forum.agent();
    const stranger = new TestAgent(forum.url, now);
    const forged = () => ({ ...credentials(stranger), agentId: ada.agentId });
    assert.deepEqual(await asked(forged()), ['declined', 1]);
    assert.deepEqual(await asked(credentials(ada)), ['signed', 0]);
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await asked(forged()), ['declined', 1]);
      assert.deepEqual(await asked(credentials(stranger)), ['declined', 1]);
      assert.deepEqual(await asked(credentials(ada)), ['signed', 0]);
    }
  });

  it('finds an agent that registered right after it was looked for in vain', async () => {
    const late = new TestAgent(forum.url, now);
    assert.deepEqual(await asked(credentials(late)), ['declined', 1]);
    await late.register(`late-${now()}`);
    assert.deepEqual(await asked(credentials(late)), ['signed', 1]);
  });

  it('forgets whom it knew of a server that was lost', async () => {
    const ada = await forum.agent();
    const { db } = forum.api.services;
    let takenOver = {};
    const query = async (statement: Statement, values: readonly unknown[]) =>
      (await db.query<object>(statement, values)).map((row) => ({ ...row, ...takenOver }));
    const known = agentDirectory({ query } as Db);
    const asked = async () => {
      const { agent } = await known.find(ada.agentId);
      const { caller, publicKey } = agent!;
      assert.ok(await known.isCurrent({ agentId: ada.agentId, publicKey }));
      return caller.handle;
    };
    assert.deepEqual([await asked(), await asked()], [ada.handle, ada.handle]);
    // Who takes over has not seen the registration, and another one of the same key.
    const handle = `again-${ada.handle}`.slice(0, 32);
    await forum.rows('UPDATE agents SET handle = $2 WHERE agent_id = $1', [ada.agentId, handle]);
    takenOver = { server: 'another' };
    await asked();
    assert.equal(await asked(), handle);
  });
});
