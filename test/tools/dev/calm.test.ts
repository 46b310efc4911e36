import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { offerCalm, takeCalm, wantCalm } from '../../support/calm.ts';
import { makeTestDirectory } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';

const A_MOMENT_MS = 50;

describe('the calm of a test run', () => {
  let directory: string;
  let server: Server;
  let running: string[];
  before(async () => {
    directory = await makeTestDirectory();
    server = await offerCalm(directory);
  });
  beforeEach(() => {
    running = [];
  });
  after(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });

  async function begin(name: string, isHeavy: boolean): Promise<{ leave(): void }> {
    if (isHeavy) wantCalm();
    const calm = await takeCalm(directory);
    running.push(name);
    return calm;
  }
  const areRunning = (...names: string[]) => eventually(() => running.join() === names.join(), 2_000, names.join());

  it('is for one heavy file at a time, in the order in which they came', async () => {
    const first = await begin('first', true);
    const second = begin('second', true);
    const third = begin('third', true);
    await sleep(A_MOMENT_MS);
    await areRunning('first');
    first.leave();
    await areRunning('first', 'second');
    (await second).leave();
    (await third).leave();
    await areRunning('first', 'second', 'third');
  });

  it('holds up none that does not want it', async () => {
    const heavy = await begin('heavy', true);
    await begin('light', false);
    heavy.leave();
    await areRunning('heavy', 'light');
  });

  it('is not held by one that gave up while it waited', async () => {
    const first = await begin('first', true);
    const waiting = createConnection(join(directory, 'calm'));
    await once(waiting, 'connect');
    const third = begin('third', true);
    waiting.destroy();
    await once(waiting, 'close');
    first.leave();
    (await third).leave();
    await areRunning('first', 'third');
  });
});
