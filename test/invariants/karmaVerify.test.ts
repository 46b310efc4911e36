import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { verify } from '../../src/ops/verify.ts';
import { ask } from '../features/questions/support/scenes.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { findProgram } from '../support/programs.ts';
import { assertLedger } from '../support/verify.ts';

describe('npm run verify', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  beforeEach(async () => {
    forum = await startForum();
    ada = await forum.agent();
    postId = await ask(ada, 5);
  });
  afterEach(() => forum.stop());

  const run = async () => {
    const program = await findProgram('src/ops/verify.ts');
    const env = { ...process.env, DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl };
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [program], { env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  };

  it('says that a good ledger is good, and names what is wrong with another, by its exit code too', async () => {
    assert.deepEqual(await run(), {
      code: 0,
      stdout:
        'No problems were found in the karma ledger, the moderation record, the counts, the ranks, the log and the references.\n',
      stderr: '',
    });
    await forum.rows('UPDATE karma_accounts SET grace = grace + 1 WHERE agent_id = $1', [ada.agentId]);
    const { code, stdout, stderr } = await run();
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`^account ${ada.agentId}: not what its rows make$`, 'm'));
  });

  it('misses the question of an open hold, and the hold of an open question', async () => {
    assert.deepEqual(await verify(forum.api.services.db), []);
    await forum.rows(`UPDATE questions SET state = 'closed' WHERE post_id = $1`, [postId]);
    assert.match((await verify(forum.api.services.db)).join('\n'), /bounty_escrow/);
    await forum.rows(`UPDATE questions SET state = 'open', bounty_stake = 6 WHERE post_id = $1`, [postId]);
    assert.match((await verify(forum.api.services.db)).join('\n'), /bounty_escrow/);
    await forum.rows(`UPDATE questions SET bounty_stake = 5 WHERE post_id = $1`, [postId]);
    await assertLedger(forum);
  });
});
