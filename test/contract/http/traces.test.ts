import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pino } from 'pino';
import { readTraceId } from '../../../src/http/request.ts';
import { startProcess } from '../../faults/support/processes.ts';
import type { Answer } from '../../support/agent.ts';
import { createDatabase, redisForTest } from '../../support/database.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

interface Line {
  readonly msg?: string;
  readonly id?: string;
  readonly op?: string;
  readonly trace?: string;
  readonly job?: string;
  readonly origins?: readonly object[];
}

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: unknown;
}

type Collector = Awaited<ReturnType<typeof startCollector>>;

/** Keeps the spans that it gets as OTLP in JSON. */
async function startCollector() {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as {
      resourceSpans: { scopeSpans: { spans: CollectedSpan[] }[] }[];
    };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a traceparent', () => {
  it('names a trace in the form of W3C Trace Context, and in no other', () => {
    assert.equal(readTraceId(TRACEPARENT), TRACE_ID);
    assert.equal(readTraceId(`cc-${TRACE_ID}-${PARENT_ID}-01-more`), TRACE_ID);
    for (const other of [
      '',
      `ff-${TRACE_ID}-${PARENT_ID}-01`,
      `00-${TRACE_ID}-${PARENT_ID}-01-more`,
      `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`,
      `00-${'0'.repeat(32)}-${PARENT_ID}-01`,
      `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
      `00-${TRACE_ID}-${PARENT_ID}`,
      `${TRACEPARENT}\n`,
    ])
      assert.equal(readTraceId(other), undefined, other);
  });

  describe('of a request', function () {
    this.timeout(30_000);
    const written: string[] = [];
    let forum: TestForum;
    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line: string) => void written.push(line) });
      forum = await startForum({ workers: true, log });
    });
    after(() => forum.stop());

    async function find(isIt: (line: Line) => boolean): Promise<Line> {
      let found: Line | undefined;
      await eventually(() => {
        found = written.map((line) => JSON.parse(line) as Line).find(isIt);
        return found !== undefined;
      });
      return found!;
    }
    const idOf = ({ headers }: Answer) => headers.get('x-request-id')!;
    const traced = { headers: { traceparent: TRACEPARENT } };

    it('is in its line, and in that of the job that it asked for', async () => {
      const answer = await forum.operator.signed('POST', '/v1/questions/sweeps/abandoned', { body: {}, ...traced });
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      assert.equal((await find(({ id, op }) => id === idOf(answer) && op !== undefined)).trace, TRACE_ID);
      const done = await find(({ job, msg }) => job === 'question.sweep' && msg === 'job done');
      assert.deepEqual(done.origins, [{ requestId: idOf(answer), traceId: TRACE_ID }]);
    });

    it('is in the line of the delivery of its events, also beside events without one', async () => {
      const ada = await forum.agent();
      const post = await ada.signed('POST', '/v1/posts', { body: { title: 't', body: 'b' }, ...traced });
      const isOf = (answer: Answer) => (origin: object) => (origin as { requestId: string }).requestId === idOf(answer);
      const done = await find(({ job, origins }) => job === 'outbox.apply' && origins?.some(isOf(post)) === true);
      assert.deepEqual(done.origins?.find(isOf(post)), { requestId: idOf(post), traceId: TRACE_ID });
      const other = await ada.post('/v1/posts', { title: 't', body: 'b' });
      const untraced = await find(({ job, origins }) => job === 'outbox.apply' && origins?.some(isOf(other)) === true);
      assert.deepEqual(untraced.origins?.find(isOf(other)), { requestId: idOf(other) });
      assert.equal((await find(({ id, op }) => id === idOf(other) && op !== undefined)).trace, undefined);
    });
  });

  describe('with a collector', function () {
    this.timeout(30_000);
    let collector: Collector;
    let forum: TestForum;
    before(async () => {
      collector = await startCollector();
      forum = await startForum({ workers: true, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    });
    after(async () => {
      await forum.stop();
      await collector.stop();
    });

    it('leads through request, admission, statement, commit, relay, job and delivery', async () => {
      const [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
      const { body } = await ada.post('/v1/posts', { title: 'A title', body: 'A body' });
      await bob.signed('POST', `/v1/posts/${body.post.postId}/replies`, {
        body: { body: 'A reply' },
        headers: { traceparent: TRACEPARENT },
      });
      const own = () => collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
      const pathOf = (span: CollectedSpan): string[] => {
        const parent = own().find(({ spanId }) => spanId === span.parentSpanId);
        return [...(parent ? pathOf(parent) : [span.parentSpanId]), span.name];
      };
      const request = [PARENT_ID, 'POST reply.create'];
      const paths = [
        request,
        [...request, 'authenticate'],
        [...request, 'admission'],
        [...request, 'statement'],
        [...request, 'commit'],
        [...request, 'relay'],
        [...request, 'relay', 'job outbox.apply'],
        [...request, 'relay', 'job outbox.apply', 'delivery'],
      ].map(String);
      await eventually(() => paths.every((path) => own().some((span) => String(pathOf(span)) === path)), 15_000);
      const attributes = JSON.stringify(own().map((span) => span.attributes));
      assert.doesNotMatch(attributes, /A reply|A title/);
    });

    it('leads through a compiled API', async () => {
      const database = await createDatabase();
      const api = await startProcess('api', {
        DATABASE_URL: database.url,
        REDIS_URL: (await redisForTest()).url,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      });
      const traceId = TRACE_ID.replaceAll('4', '6');
      await fetch(`${api.url}/v1/pulse`, { headers: { traceparent: TRACEPARENT.replace(TRACE_ID, traceId) } });
      // The end of the process sends the last spans.
      await api.end('SIGTERM');
      await database.drop();
      assert.ok(collector.spans.some((span) => span.traceId === traceId && span.name === 'GET pulse.read'));
    });

    it('cannot be made to trace more by the flag of a traceparent', async () => {
      const untraced = await startForum({
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' },
      });
      const traceId = TRACE_ID.replaceAll('4', '5');
      await untraced.operator.anonymous('GET', '/v1/pulse', {
        headers: { traceparent: TRACEPARENT.replace(TRACE_ID, traceId) },
      });
      await untraced.stop();
      assert.deepEqual(
        collector.spans.filter((span) => span.traceId === traceId),
        [],
      );
    });
  });
});
