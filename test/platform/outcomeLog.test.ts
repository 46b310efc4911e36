import assert from 'node:assert/strict';
import { pino } from 'pino';
import { OutcomeLog } from '../../workers/outcomeLog.ts';
import type { JobOutcome } from '../../workers/queues.ts';

/** docs/operations#the-log */
describe('the log of jobs', () => {
  const MINUTE_MS = 60_000;
  let now: number;
  let lines: Record<string, unknown>[];
  let outcomes: OutcomeLog;
  beforeEach(() => {
    [now, lines] = [0, []];
    const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    outcomes = new OutcomeLog(log, () => now);
  });

  const tell = (outcome: Partial<JobOutcome> = {}) =>
    outcomes.logOutcome({ job: 'search.index', seconds: 0.001, origins: [], ...outcome });
  const told = () => lines.splice(0).map(({ msg, times }) => [msg, times]);
  const lost = () => ({ error: new Error('lost') });

  it('reports a periodic job that fails every second once a minute, with the count', () => {
    for (; now < 2 * MINUTE_MS; now += 1_000) tell(lost());
    assert.deepEqual(told(), [
      ['job failed', undefined],
      ['job failed', 60],
    ]);
  });

  it('reports another reason, another job, and a failure after a success at once', () => {
    tell(lost());
    tell(lost());
    assert.equal(told().length, 1);
    tell({ error: new Error('full') });
    assert.equal(told().length, 1);
    tell({ ...lost(), job: 'meter.sweep' });
    assert.equal(told().length, 1);
    tell();
    assert.deepEqual(told(), []);
    tell({ error: new Error('full') });
    assert.deepEqual(told(), [['job failed', undefined]]);
  });

  it('reports once a minute what a worker waits for', () => {
    const warn = (what: string, reason: string) => outcomes.warn(what, new Error(reason));
    for (; now < 2 * MINUTE_MS; now += 2_000) warn('the log is delayed', 'not the key');
    assert.deepEqual(told(), [
      ['the log is delayed', undefined],
      ['the log is delayed', 30],
    ]);
    warn('the log is delayed', 'the log is halted');
    warn('the relay is delayed', 'the log is halted');
    assert.deepEqual(told(), [
      ['the log is delayed', undefined],
      ['the relay is delayed', undefined],
    ]);
  });

  it('reports every job that a request asked for', () => {
    const origins = [{ requestId: 'one' }];
    for (let n = 0; n < 3; n++) tell({ ...lost(), origins });
    tell({ origins });
    assert.deepEqual(
      lines.map(({ msg, origins: from }) => [msg, from]),
      [...Array(3).fill(['job failed', origins]), ['job done', origins]],
    );
  });
});
