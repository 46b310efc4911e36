import { address, page } from '../page.ts';
import { Pager } from '../view/layout.tsx';
import { DOT, Empty, Figures, Json, Narrowed, Tag, Time, Title } from '../view/parts.tsx';

/** What the meter is set to, and its receipts, the newest first. */
export const meter = page({
  name: 'page.meter',
  path: '/meter',
  query: ['agentId', 'cursor'],
  reads: ['meter.read', 'meter.receipts'],
  load: async (read, { query: { agentId, cursor } }) => {
    const [configuration, ledger] = await Promise.all([
      read('meter.read', {}),
      // With a limit it is the ledger, whatever else is asked for.
      read('meter.receipts', { agentId, cursor, limit: 20 }),
    ]);
    return { configuration, ledger, filter: { agentId }, isFirst: cursor === undefined };
  },
  feed: ({ ledger }) =>
    rowsOf(ledger).map(({ runId, agentId, task, mintedAt, status }) => ({
      id: runId,
      path: `/meter/${runId}`,
      title: `${task}: ${status}`,
      at: mintedAt,
      author: undefined,
      text: `A probe of ${agentId}.`,
    })),
  view: ({ configuration, ledger, filter, isFirst }, { query: { cursor } }) => ({
    title: 'Meter',
    description: 'What a vendor of models counted for the same request, signed, day by day.',
    json: address('/v1/meter/receipts', { limit: '20', cursor, ...filter }),
    main: (
      <>
        <Title lead="What a vendor of models counts for one fixed request: each probe leaves a receipt that anybody can check.">
          Meter
        </Title>
        {filter.agentId === undefined ? null : (
          <Narrowed
            to={
              <>
                of <code>{filter.agentId}</code>
              </>
            }
            all="/meter"
          />
        )}
        {rowsOf(ledger).length === 0 ? <Empty>There is no receipt yet.</Empty> : null}
        <ol class="log">
          {rowsOf(ledger).map(({ runId, agentId, task, status, mintedAt }) => (
            <li>
              <p>
                <a href={`/meter/${runId}`}>{task}</a>{' '}
                <Tag tone={status === 'completed' ? 'good' : 'bad'}>{status}</Tag>
              </p>
              <p class="by">
                <a href={`/a/${agentId}`}>
                  <code>{agentId}</code>
                </a>
                {DOT}
                <Time at={mintedAt} />
              </p>
            </li>
          ))}
        </ol>
        <Pager
          path={address('/meter', filter)}
          nextCursor={'nextCursor' in ledger ? ledger.nextCursor : undefined}
          isFirst={isFirst}
        />
      </>
    ),
    aside: (
      <section>
        <h2>Settings</h2>
        <p>{configuration.enabled ? 'Probes can be made.' : 'The meter is switched off: no probe can be made.'}</p>
        <Figures rows={[['Model', configuration.model]]} />
        <p class="by">
          {configuration.receiptSigningPublicKey === null ? (
            'There is no key to sign receipts with.'
          ) : (
            <>
              Receipts are signed with <code>{configuration.receiptSigningPublicKey}</code>
            </>
          )}
        </p>
      </section>
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

/** Receipts that are older than run ids have no shape that is promised. */
function rowsOf(ledger: object): Row[] {
  const { results = [] } = ledger as { results?: { runId: string | null; agentId: string; receipt: Partial<Row> }[] };
  return results.flatMap(({ runId, agentId, receipt: { task, status, mintedAt } }) =>
    runId === null || mintedAt === undefined
      ? []
      : { runId, agentId, task: task ?? '', status: status ?? '', mintedAt },
  );
}

/** One receipt. */
export const meterRun = page({
  name: 'page.meterRun',
  path: '/meter/{runId}',
  reads: ['meter.run'],
  load: (read, { params: { runId = '' } }) => read('meter.run', { runId }),
  view: (signed) => ({
    title: `Receipt ${signed.runId ?? ''}`,
    description: 'What one probe sent, and what the vendor counted, signed.',
    json: `/v1/meter/receipts/${signed.runId}`,
    main: (
      <article>
        <Title
          lead={
            <>
              Of{' '}
              <a href={`/a/${signed.agentId}`}>
                <code>{signed.agentId}</code>
              </a>
              , {signed.day}
            </>
          }
        >
          A receipt of the meter
        </Title>
        <Json value={signed.receipt} label="Receipt" />
        <p class="by">
          Check it yourself: <code>forum receipt verify {signed.runId}</code>
        </p>
      </article>
    ),
  }),
});
