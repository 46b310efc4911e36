import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireContinuation, verifyLog } from '../../src/client/publicLog.ts';
import { openCheckpoint } from '../../src/protocol/note.ts';
import { Stranger } from '../features/log/support/log.ts';
import { wantCalm } from '../support/calm.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { type LogSettings, logSettings } from '../support/logSettings.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

wantCalm();

const WRITERS = 8;
const WORKERS = 2;
const BACKEND_KILLS = 30;
const WORKER_KILLS = 2;

describe('the log after any process is killed', function () {
  this.timeout(180_000);
  let forum: TestForum;
  let settings: LogSettings;
  const workers: ServiceProcess[] = [];
  before(async () => {
    settings = await logSettings();
    forum = await startForum({ env: { LIMIT_POSTS: '100000' } });
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    await forum.stop();
    await settings.remove();
  });

  const startWorker = () =>
    startProcess('worker', { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, ...settings.env });

  it('has every acknowledged write once, without a gap, and its heads all continue each other', async () => {
    workers.push(...(await Promise.all(Array.from({ length: WORKERS }, startWorker))));
    const stranger = new Stranger(forum.url);
    const agents = await Promise.all(Array.from({ length: WRITERS }, () => forum.agent()));
    const acknowledged: string[] = [];
    const notes = new Set<string>();
    let isOver = false;
    const writers = agents.map(async (agent) => {
      while (!isOver) {
        const answer = await agent.post('/v1/posts', { title: 'A title', body: 'Some words' }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(answer.body.post.postId);
        await sleep(25);
      }
    });
    const reader = (async () => {
      while (!isOver) {
        const answer = await stranger.get('checkpoint').catch(() => undefined);
        if (answer?.status === 200) notes.add(await answer.text());
        await sleep(50);
      }
    })();
    for (let kill = 0; kill < BACKEND_KILLS + WORKER_KILLS; kill++) {
      await sleep(Math.random() * 200);
      if (kill % 16 === 15) {
        const n = Math.floor(Math.random() * WORKERS);
        await workers[n]!.end('SIGKILL');
        workers[n] = await startWorker();
      } else {
        await forum.rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name LIKE 'forum %' ORDER BY random() LIMIT 1`,
        );
      }
    }
    isOver = true;
    await Promise.all([...writers, reader]);
    const { size, note } = await stranger.settled((text) => forum.rows(text));

    const read = async (path: string) => {
      const answer = await stranger.get(path);
      assert.equal(answer.status, 200, path);
      return Buffer.from(await answer.arrayBuffer());
    };
    const log = await stranger.verifier();
    const { leaves } = await verifyLog(read, { log });
    assert.equal(leaves.agent, WRITERS + 1);
    const [stored] = await forum.rows<Record<string, number>>(
      `SELECT count(*)::integer AS evidence, count(DISTINCT l.leaf_index)::integer AS placed,
              count(DISTINCT e.evidence_id)::integer AS once FROM write_evidence e
       LEFT JOIN log_leaves l ON l.evidence_id = e.evidence_id`,
    );
    assert.deepEqual(stored, { evidence: leaves.write, placed: leaves.write, once: leaves.write });
    const [{ dense }] = (await forum.rows<{ dense: boolean }>(
      'SELECT count(*) = max(leaf_index) + 1 AND min(leaf_index) = 0 AS dense FROM log_leaves',
    )) as [{ dense: boolean }];
    assert.ok(dense);
    const proven = await forum.rows<{ id: string }>(
      `SELECT e.facts::json->>'postId' AS id FROM log_leaves l JOIN write_evidence e ON e.evidence_id = l.evidence_id
       WHERE e.operation = 'post.create'`,
    );
    const ids = new Set(proven.map(({ id }) => id));
    assert.equal(ids.size, proven.length);
    assert.deepEqual(
      acknowledged.filter((id) => !ids.has(id)),
      [],
    );
    const heads = [...notes, note].map((each) => openCheckpoint(each, log)).toSorted((a, b) => a.size - b.size);
    for (const [n, head] of heads.slice(1).entries()) await requireContinuation(read, heads[n]!, head);
    console.log(`        ${acknowledged.length} acknowledged, ${size} leaves, ${notes.size} heads`);
  });
});
