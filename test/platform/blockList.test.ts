import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blockFinder } from '../../src/http/blockFinder.ts';
import { readBlockList } from '../../src/start/blockList.ts';
import { makeTestDirectory } from '../support/directories.ts';

const END = '2026-01-31T12:00:00Z';
const END_MS = Date.parse(END);

describe('the block list', () => {
  let directory: string;
  before(async () => {
    directory = await makeTestDirectory();
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function read(...lines: string[]) {
    const path = join(directory, 'blocked');
    await writeFile(path, lines.join('\n'));
    return readBlockList(path);
  }

  it('finds addresses of both families by network until the end of the block', async () => {
    const find = blockFinder(
      await read(
        '# network until reason',
        '',
        `203.0.113.7/24 ${END} spam wave`,
        `198.51.100.1   ${END} one address\r`,
        `2001:DB8:1:2::/64 2026-02-28T12:00:00+01:00 spam wave`,
      ),
    );
    const reasonAt = (address: string, nowMs = END_MS - 1) => find(address, nowMs)?.reason;
    assert.equal(reasonAt('203.0.113.255'), 'spam wave');
    assert.equal(reasonAt('203.0.114.0'), undefined);
    assert.equal(reasonAt('198.51.100.1'), 'one address');
    assert.equal(reasonAt('198.51.100.2'), undefined);
    assert.equal(reasonAt('2001:db8:1:2:ffff::1'), 'spam wave');
    assert.equal(reasonAt('2001:db8:1:3::1'), undefined);
    assert.equal(reasonAt('198.51.100.1', END_MS), undefined);
    assert.equal(reasonAt('2001:db8:1:2::1', END_MS), 'spam wave');
    for (const unreadable of ['', 'unknown', 'fe80::1%eth0']) assert.equal(reasonAt(unreadable), undefined);
  });

  it('names the line at fault and its remedy, and repeats nothing of it', async () => {
    for (const [line, remedy] of [
      ['203.0.113.0/24', /Write a network, an end and a reason/],
      [`203.0.113.0/24 ${END}`, /Write a network, an end and a reason/],
      [`203.0.113/24 ${END} spam`, /Write a network, an end and a reason/],
      [`example.org ${END} spam`, /Write a network, an end and a reason/],
      [`0.0.0.0/0 ${END} spam`, /The prefix must be 8 to 32$/],
      [`203.0.113.0/33 ${END} spam`, /The prefix must be 8 to 32$/],
      [`2001:db8::/129 ${END} spam`, /The prefix must be 8 to 128$/],
      ['203.0.113.0/24 tomorrow spam', /The end must be a time with a zone/],
    ] as const) {
      await assert.rejects(read('# one', line), (error: Error) => {
        assert.match(error.message, /^BLOCK_LIST_FILE has an invalid line 2\. /, line);
        assert.match(error.message, remedy, line);
        return true;
      });
    }
  });
});
