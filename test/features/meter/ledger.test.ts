import assert from 'node:assert/strict';
import { mcpToolsOf } from '../../../src/operation/operation.ts';
import { OPERATIONS_BY_NAME } from '../../../src/operations.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03'];
const FIRST_SECOND = 1_772_323_200; // 2026-03-01T00:00:00Z
const runIdOf = (index: number): string => `mrun_${String(index).padStart(25, '0')}`;

/** Receipts as a store full of them would have: three agents, three days, one a second with two in the same instant. */
describe('meter.receipts', () => {
  let forum: TestForum;
  let reader: TestAgent;
  const agents: string[] = [];
  before(async () => {
    forum = await startForum();
    reader = new TestAgent(forum.url);
    for (let index = 0; index < 4; index++) agents.push((await forum.agent()).agentId);
    for (let index = 0; index < 9; index++) {
      const [agentId, day] = [agents[index % 3]!, DAYS[Math.floor(index / 3)]!];
      // The last two share their instant; their run ids decide.
      const mintedAtMs = (FIRST_SECOND + Math.min(index, 7)) * 1_000 + 999;
      await insert(agentId, day, runIdOf(index), mintedAtMs);
    }
    await insert(agents[3]!, DAYS[0]!, null, FIRST_SECOND * 1_000);
  });
  after(() => forum.stop());

  async function insert(agentId: string, day: string, runId: string | null, mintedAtMs: number): Promise<void> {
    const receipt = runId === null ? { format: 'old' } : { runId };
    await forum.rows(
      'INSERT INTO meter_receipts (agent_id, day, run_id, receipt, minted_at) VALUES ($1, $2, $3, $4, $5)',
      [agentId, day, runId, JSON.stringify(receipt), new Date(mintedAtMs)],
    );
  }
  const get = (query: string) => reader.anonymous('GET', '/v1/meter/receipts', { query });
  const runIds = async (query: string): Promise<string[]> =>
    (await get(query)).body.results.map(({ runId }: { runId: string }) => runId);
  const expected = (...indices: number[]): string[] => indices.map(runIdOf);

  it('day read: agentId and day alone give one receipt or not_found', async () => {
    const { status, body } = await get(`agentId=${agents[1]}&day=${DAYS[2]}`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      agentId: agents[1],
      day: DAYS[2],
      runId: runIdOf(7),
      receiptSignature: null,
      receiptSigningPublicKey: null,
      receipt: { runId: runIdOf(7) },
    });
    assert.equal((await get(`agentId=${agents[1]}&day=2026-03-04`)).status, 404);
    assert.equal((await get(`agentId=ag1-${'A'.repeat(22)}&day=${DAYS[0]}`)).status, 404);
  });

  it('ledger read: newest mint time first, all filters together', async () => {
    assert.deepEqual(await runIds(''), expected(8, 7, 6, 5, 4, 3, 2, 1, 0));
    assert.deepEqual(await runIds(`agentId=${agents[0]}`), expected(6, 3, 0));
    assert.deepEqual(await runIds(`day=${DAYS[1]}`), expected(5, 4, 3));
    assert.deepEqual(await runIds(`agentId=${agents[0]}&day=${DAYS[1]}&limit=20`), expected(3));
    assert.deepEqual(await runIds(`agentId=${agents[0]}&day=2026-03-09&since=0`), []);
    assert.deepEqual(await runIds(`agentId=ag1-${'A'.repeat(22)}`), []);
  });

  it('since and until are inclusive seconds', async () => {
    assert.deepEqual(await runIds(`since=${FIRST_SECOND + 2}&until=${FIRST_SECOND + 4}`), expected(4, 3, 2));
    assert.deepEqual(await runIds(`since=${FIRST_SECOND + 7}`), expected(8, 7));
    assert.deepEqual(await runIds(`until=${FIRST_SECOND}`), expected(0));
    assert.deepEqual(await runIds(`since=${FIRST_SECOND + 5}&until=${FIRST_SECOND + 4}`), []);
    assert.deepEqual((await runIds('since=0&until=9999999999')).length, 9);
  });

  it('pages give every row once, and a cursor holds with its own filters only', async () => {
    const seen: string[] = [];
    let query = 'limit=2';
    for (let cursor: string | undefined = ''; cursor !== undefined; query = `limit=2&cursor=${cursor}`) {
      const { body } = await get(query);
      seen.push(...body.results.map(({ runId }: { runId: string }) => runId));
      cursor = body.nextCursor;
      if (cursor === undefined) assert.equal(body.results.length, 1);
    }
    assert.deepEqual(seen, expected(8, 7, 6, 5, 4, 3, 2, 1, 0));
    const { nextCursor } = (await get(`limit=1&since=${FIRST_SECOND}`)).body;
    assert.equal((await get(`limit=1&since=${FIRST_SECOND}&cursor=${nextCursor}`)).status, 200);
    const changed = `${nextCursor.slice(0, -2)}${nextCursor.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const other of [
      `cursor=${nextCursor}`,
      `since=${FIRST_SECOND + 1}&cursor=${nextCursor}`,
      `since=${FIRST_SECOND}&until=9999999998&cursor=${nextCursor}`,
      `since=${FIRST_SECOND}&day=${DAYS[0]}&cursor=${nextCursor}`,
      `since=${FIRST_SECOND}&agentId=${agents[0]}&cursor=${nextCursor}`,
      `since=${FIRST_SECOND}&cursor=${changed}`,
    ]) {
      const { status, body } = await get(other);
      assert.deepEqual([status, body], [400, { error: 'invalid_request', field: 'cursor' }], other);
    }
  });

  it('refuses arguments that do not fit, naming them', async () => {
    for (const [query, field] of [
      ['since=-1', 'since'],
      ['since=10000000000', 'since'],
      ['until=10000000000', 'until'],
      ['until=1.5', 'until'],
      ['limit=0', 'limit'],
      ['limit=31', 'limit'],
      ['limit=1e1', 'limit'],
      ['day=2026-02-30', 'day'],
      ['day=2026-3-1', 'day'],
      ['agentId=ada', 'agentId'],
      ['handle=ada', 'handle'],
      ['day=2026-03-01&day=2026-03-01', 'day'],
      [`agentId=${agents[0]}&day=2026-03-01&cursor=x`, 'cursor'],
    ]) {
      const { status, body } = await get(query!);
      assert.deepEqual([status, body], [400, { error: 'invalid_request', field }], query);
    }
    assert.equal((await get('limit=30')).body.results.length, 9);
  });

  it('rows older than run ids are available in the read by day only', async () => {
    const { status, body } = await get(`agentId=${agents[3]}&day=${DAYS[0]}`);
    assert.deepEqual([status, body.runId, body.receiptSignature], [200, null, null]);
    assert.deepEqual(await runIds(`agentId=${agents[3]}`), []);
    assert.deepEqual(await runIds(`agentId=${agents[3]}&day=${DAYS[0]}&limit=1`), []);
    assert.equal((await runIds('')).length, 9);
  });

  it('is two tools of MCP, of which one always reads the ledger', () => {
    const [ofDay, list] = mcpToolsOf(OPERATIONS_BY_NAME.get('meter.receipts')!);
    assert.deepEqual([ofDay!.name, list!.name], ['get_meter_receipt', 'list_meter_receipts']);
    const filters = { agentId: agents[0], day: DAYS[0] };
    assert.deepEqual(list!.input.validate(filters).value, { ...filters, limit: 20 });
    assert.deepEqual(ofDay!.input.validate(filters).value, filters);
    assert.ok(ofDay!.input.validate({ agentId: agents[0] }).error);
    assert.ok(ofDay!.input.validate({ ...filters, limit: 1 }).error);
  });

  it('run read: not_found for an unknown run and for invalid run ids', async () => {
    const run = await reader.anonymous('GET', `/v1/meter/receipts/${runIdOf(3)}`);
    assert.deepEqual([run.status, run.body.runId], [200, runIdOf(3)]);
    for (const runId of [runIdOf(77), 'mrun_short', 'latest']) {
      const { status, body } = await reader.anonymous('GET', `/v1/meter/receipts/${runId}`);
      assert.deepEqual([status, body], [404, { error: 'not_found' }]);
    }
  });
});
