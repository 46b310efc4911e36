import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestDirectory } from '../support/directories.ts';
import { offerSeats, takeSeats, wantCalm } from '../support/seats.ts';
import { eventually } from '../support/waits.ts';

const A_MOMENT_MS = 50;

describe('seats of a test run', () => {
  let directory: string;
  let server: Server;
  let seated: string[];
  before(async () => {
    directory = await makeTestDirectory();
    server = await offerSeats(directory);
  });
  beforeEach(() => {
    seated = [];
  });
  after(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });

  async function come(name: string, isHeavy = false): Promise<{ leave(): void }> {
    if (isHeavy) wantCalm();
    const seats = await takeSeats(directory);
    seated.push(name);
    return seats;
  }
  const areSeated = (...names: string[]) => eventually(() => seated.join() === names.join(), 2_000, names.join());

  it('are three', async () => {
    const [a, b, c] = [await come('a'), await come('b'), await come('c')];
    const d = come('d');
    await sleep(A_MOMENT_MS);
    await areSeated('a', 'b', 'c');
    b.leave();
    await areSeated('a', 'b', 'c', 'd');
    for (const each of [a, c, await d]) each.leave();
  });

  it('seat one file at a time beside a heavy one, also before another heavy one that waits', async () => {
    const heavy = await come('heavy', true);
    const light = await come('light');
    const second = come('second heavy', true);
    await sleep(A_MOMENT_MS);
    const last = come('last');
    await areSeated('heavy', 'light');
    light.leave();
    await areSeated('heavy', 'light', 'last');
    heavy.leave();
    for (const each of [await second, await last]) each.leave();
    await areSeated('heavy', 'light', 'last', 'second heavy');
  });

  it('let nobody go before a heavy one that waits for others', async () => {
    const [a, b] = [await come('a'), await come('b')];
    const heavy = come('heavy', true);
    await sleep(A_MOMENT_MS);
    const last = come('last');
    await sleep(A_MOMENT_MS);
    await areSeated('a', 'b');
    a.leave();
    await areSeated('a', 'b', 'heavy');
    b.leave();
    await areSeated('a', 'b', 'heavy', 'last');
    for (const each of [await heavy, await last]) each.leave();
  });
});
