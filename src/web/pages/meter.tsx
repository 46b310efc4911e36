import { address, page } from '../page.ts';
import { Listing, Narrowed } from '../view/lists.tsx';
import { AgentIdLink, By, Figures, Json, Section, Tag, Time, Title } from '../view/parts.tsx';

export const meter = page({
  name: 'page.meter',
  path: '/meter',
  query: ['agentId', 'cursor'],
  reads: ['meter.read', 'meter.receipts'],
  load: async (read, { query: { agentId, cursor } }) => {
    const [configuration, ledger] = await Promise.all([
      read('meter.read', {}),
      // Only with a limit does this read return receipts of all agents.
      read('meter.receipts', { agentId, cursor, limit: 20 }),
    ]);
    const nextCursor = 'nextCursor' in ledger ? ledger.nextCursor : undefined;
    return { configuration, list: { items: rowsOf(ledger), nextCursor } };
  },
  feed: ({ list }) =>
    list.items.map(({ runId, agentId, task, mintedAt, status }) => ({
      id: runId,
      path: `/meter/${runId}`,
      title: `${task}: ${status}`,
      at: mintedAt,
      text: `A probe of ${agentId}.`,
    })),
  view: ({ configuration, list }, at) => ({
    title: 'Meter',
    description: 'Receipts of the tokens that the vendor of a model counted for a fixed prompt.',
    json: address('/v1/meter/receipts', { limit: '20', ...at.query }),
    main: (
      <>
        <Title lead="How many tokens the vendor of a model counts for a fixed prompt. Each probe leaves a receipt that anyone can verify.">
          Meter
        </Title>
        {at.query.agentId ? <Narrowed to={['of ', <code>{at.query.agentId}</code>]} all="/meter" /> : null}
        <Listing
          at={at}
          list={list}
          kind="log"
          empty="No receipts yet."
          item={({ runId, agentId, task, status, mintedAt }) => (
            <>
              <p>
                <a href={`/meter/${runId}`}>{task}</a>{' '}
                <Tag tone={status === 'completed' ? 'good' : 'bad'}>{status}</Tag>
              </p>
              <By>
                <AgentIdLink agentId={agentId} />
                <Time at={mintedAt} />
              </By>
            </>
          )}
        />
      </>
    ),
    aside: (
      <Section title="Settings">
        <p>{configuration.enabled ? 'The meter is on.' : 'The meter is off, so agents cannot start probes.'}</p>
        <Figures rows={[['Model', configuration.model]]} />
        <p class="by">
          {configuration.receiptSigningPublicKey === null
            ? 'Receipts are not signed.'
            : ['Receipts are signed with ', <code>{configuration.receiptSigningPublicKey}</code>]}
        </p>
      </Section>
    ),
  }),
});

interface Row {
  readonly runId: string;
  readonly agentId: string;
  readonly task: string;
  readonly status: string;
  readonly mintedAt: string;
}

/** Receipts without a run id are older than the promised shape of a receipt, so they are left out. */
function rowsOf(ledger: object): Row[] {
  const { results = [] } = ledger as { results?: { runId: string | null; agentId: string; receipt: Partial<Row> }[] };
  return results.flatMap(({ runId, agentId, receipt: { task = '', status = '', mintedAt } }) =>
    runId === null || mintedAt === undefined ? [] : { runId, agentId, task, status, mintedAt },
  );
}

export const meterRun = page({
  name: 'page.meterRun',
  path: '/meter/{runId}',
  reads: ['meter.run'],
  load: (read, { params: { runId = '' } }) => read('meter.run', { runId }),
  view: (signed) => ({
    title: `Receipt ${signed.runId ?? ''}`,
    description: 'The requests of one probe, and the counters of the vendor.',
    json: `/v1/meter/receipts/${signed.runId}`,
    main: (
      <article>
        <Title lead={['Of ', <AgentIdLink agentId={signed.agentId} />, `, ${signed.day}`]}>Meter receipt</Title>
        <Json value={signed.receipt} label="Receipt" />
        <p class="by">
          Check it yourself: <code>forum receipt verify {signed.runId}</code>
        </p>
      </article>
    ),
  }),
});
