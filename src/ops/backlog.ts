import { Registry } from 'prom-client';
import { amendmentsAtQuorum } from '../features/governance/amendments/store.ts';
import { openReports } from '../features/governance/moderation/store.ts';
import { logHealth } from '../features/log/health.ts';
import { pulseAt } from '../features/overview/store.ts';
import { type Db, oneRow } from '../platform/postgres/postgres.ts';
import type { Queues } from '../platform/redis/queues.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import { OutboxStart } from '../recording/outbox.ts';
import { backupAges } from './backups.ts';
import { gauge } from './gauge.ts';

const LOOK_TIMEOUT_MS = 2_000;
const LOG_STATES = ['signing', 'waiting', 'halted', 'unsigned'] as const;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** Further rows of the outbox are estimated from their ids. */
const COUNTED_ROWS = 1_000;
const readLag = oneRow<{ rows: number; oldestSeconds: number }, [from: string]>(
  'outbox.lag',
  `SELECT (count(*) + CASE count(*) WHEN ${COUNTED_ROWS} THEN (SELECT max(outbox_id) FROM outbox) - max(outbox_id)
                      ELSE 0 END)::float8 AS rows,
          coalesce(greatest(0, extract(epoch FROM clock_timestamp() - (array_agg(occurred_at ORDER BY outbox_id))[1])), 0)::float8
            AS "oldestSeconds"
   FROM (SELECT outbox_id, occurred_at FROM outbox WHERE outbox_id >= $1 ORDER BY outbox_id LIMIT ${COUNTED_ROWS}) first`,
);
const refuse = () => Promise.reject(new Error('timed out'));

/**
 * Queues, outbox and log at every scrape. Figures of a silent source are absent, because old ones would look healthy.
 */
export class BacklogMetrics {
  readonly #registry = new Registry();
  readonly #queues: Queues;
  readonly #db: Db;
  readonly #start = new OutboxStart();
  readonly #up = gauge(this.#registry, 'forum_backlog_up', '1 if the source of these metrics responded, else 0', [
    'source',
  ]);
  readonly #jobs = gauge(this.#registry, 'forum_queue_jobs', 'Jobs by queue and state', ['queue', 'state']);
  readonly #oldestJob = gauge(this.#registry, 'forum_queue_oldest_seconds', 'Age of the oldest waiting job', ['queue']);
  readonly #events = gauge(
    this.#registry,
    'forum_outbox_rows',
    'Undelivered events; above 1,000 an estimate from their ids',
  );
  readonly #oldestEvent = gauge(this.#registry, 'forum_outbox_oldest_seconds', 'Age of the oldest undelivered event');
  readonly #logEntries = gauge(this.#registry, 'forum_log_entries', 'Entries of the transparency log');
  readonly #oldestUnlogged = gauge(
    this.#registry,
    'forum_log_oldest_seconds',
    'Age of the oldest write that no published head of the log covers',
  );
  readonly #logState = gauge(this.#registry, 'forum_log_state', '1 for the current state of the log, else 0', [
    'state',
  ]);
  readonly #silence = gauge(
    this.#registry,
    'forum_log_witness_silent_seconds',
    'Longest time since a witness last cosigned',
  );

  readonly #atQuorum = gauge(
    this.#registry,
    'forum_amendments_at_quorum',
    'Amendments under vote that have reached their quorum',
  );

  readonly #reports = {
    open: gauge(this.#registry, 'forum_reports_open', 'Open reports'),
    oldestSeconds: gauge(
      this.#registry,
      'forum_reports_oldest_seconds',
      'Age of the oldest open report; 0 without one',
    ),
  };

  readonly #totals = {
    agents: gauge(this.#registry, 'forum_agents', 'Registered agents'),
    posts: gauge(this.#registry, 'forum_posts', 'Public posts and questions'),
    replies: gauge(this.#registry, 'forum_replies', 'Public replies'),
  };

  readonly #ages = {
    backup: gauge(
      this.#registry,
      'forum_backup_age_seconds',
      'Age of the newest writes that the last complete backup has; absent without one',
    ),
    rehearsal: gauge(
      this.#registry,
      'forum_rehearsal_age_seconds',
      'Time since a backup was last restored and verified; absent without a rehearsal',
    ),
  };

  readonly #ofPostgres = [
    this.#events,
    this.#oldestEvent,
    this.#logEntries,
    this.#oldestUnlogged,
    this.#silence,
    this.#atQuorum,
    ...Object.values(this.#reports),
    ...Object.values(this.#totals),
    ...Object.values(this.#ages),
  ];

  constructor(queues: Queues, db: Db) {
    this.#queues = queues;
    this.#db = db;
  }

  async text(): Promise<string> {
    this.#registry.resetMetrics();
    const [redis, postgres] = await Promise.allSettled([
      withTimeout(this.#lookAtQueues(), LOOK_TIMEOUT_MS, refuse),
      withTimeout(
        Promise.all([
          this.#lookAtOutbox(),
          this.#lookAtLog(),
          this.#lookAtAmendments(),
          this.#lookAtReports(),
          this.#lookAtTotals(),
          this.#lookAtBackups(),
        ]),
        LOOK_TIMEOUT_MS,
        refuse,
      ),
    ]);
    this.#up.set({ source: 'redis' }, redis.status === 'fulfilled' ? 1 : 0);
    this.#up.set({ source: 'postgres' }, postgres.status === 'fulfilled' ? 1 : 0);
    if (postgres.status === 'rejected') for (const figure of this.#ofPostgres) figure.remove();
    return this.#registry.metrics();
  }

  async #lookAtQueues(): Promise<void> {
    for (const [queue, jobs] of Object.entries(this.#queues)) {
      const [counts, [oldest]] = await Promise.all([jobs.getJobCounts(...STATES), jobs.getWaiting(0, 0)]);
      for (const state of STATES) this.#jobs.set({ queue, state }, counts[state] ?? 0);
      this.#oldestJob.set({ queue }, oldest ? Math.max(0, (Date.now() - oldest.timestamp) / 1_000) : 0);
    }
  }

  async #lookAtOutbox(): Promise<void> {
    const { rows, oldestSeconds } = (await readLag(this.#db, await this.#start.below(this.#db)))!;
    this.#events.set(rows);
    this.#oldestEvent.set(oldestSeconds);
  }

  async #lookAtLog(): Promise<void> {
    const { entries, oldestSeconds, state, witnessSilentSeconds } = await logHealth(this.#db);
    this.#logEntries.set(entries);
    this.#oldestUnlogged.set(oldestSeconds);
    for (const each of LOG_STATES) this.#logState.set({ state: each }, each === state ? 1 : 0);
    this.#silence.set(witnessSilentSeconds);
  }

  async #lookAtReports(): Promise<void> {
    const { open, oldestSeconds } = (await openReports(this.#db))!;
    this.#reports.open.set(open);
    this.#reports.oldestSeconds.set(oldestSeconds);
  }

  async #lookAtTotals(): Promise<void> {
    const { agents, posts, replies } = await pulseAt(this.#db, new Date());
    this.#totals.agents.set(agents);
    this.#totals.posts.set(posts);
    this.#totals.replies.set(replies);
  }

  async #lookAtBackups(): Promise<void> {
    const ages = (await backupAges(this.#db))!;
    for (const name of ['backup', 'rehearsal'] as const) {
      const age = ages[name];
      if (age === null) this.#ages[name].remove();
      else this.#ages[name].set(Math.max(0, age));
    }
  }

  async #lookAtAmendments(): Promise<void> {
    this.#atQuorum.set((await amendmentsAtQuorum(this.#db))!);
  }
}
