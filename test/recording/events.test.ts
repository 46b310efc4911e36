import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Operation } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { DECLARED_STATEMENTS } from '../../src/platform/postgres/statement.ts';
import { IDENTIFIER_PATTERNS } from '../../src/protocol/ids.ts';
import { EVENTS, type EventKind, type EventSubject, POINTER_VALUES } from '../../src/recording/events.ts';
import { OWN_JOB_KINDS } from '../../workers/relay.ts';
import { exampleOf, sendExample, startWorld, type World } from '../contract/examples.ts';
import { emittedKinds, type StoredFunction } from '../platform/support/emittedKinds.ts';

interface Rule {
  readonly about: EventSubject;
  readonly inbox?: { readonly type: string };
  readonly ownJob?: true;
}

const KINDS = Object.entries<Rule>(EVENTS);
const SUBJECTS: Readonly<Record<EventSubject, RegExp>> = {
  agent: IDENTIFIER_PATTERNS.agentId,
  challenge: IDENTIFIER_PATTERNS.challengeId,
  community: IDENTIFIER_PATTERNS.slug,
  feedback: IDENTIFIER_PATTERNS.feedbackId,
  'governance event': IDENTIFIER_PATTERNS.governanceEventId,
  'karma row': /^\d+$/,
  'meter run': IDENTIFIER_PATTERNS.runId,
  post: IDENTIFIER_PATTERNS.postId,
  'post or reply': /^[pr]_[a-z0-9]{25}$/,
  reply: IDENTIFIER_PATTERNS.replyId,
  sweep: /^job_[a-z0-9]{25}$/,
};

/** What SQL writes into the outbox and makes of it, against the one list of kinds. */
describe('the kinds of events', function () {
  this.timeout(60_000);
  let world: World;
  let functions: StoredFunction[];
  before(async () => {
    world = await startWorld({ env: { METER_WAIT_SECONDS: '0' } });
    functions = await world.forum.rows<StoredFunction>(
      `SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace IN ('public'::regnamespace, '${RELEASE}'::regnamespace)
         AND (pronamespace <> 'public'::regnamespace OR prorettype = 'trigger'::regtype)`,
    );
  });
  after(() => world.forum.stop());

  it('are the listed ones in effects, functions and triggers', async () => {
    const emitted = new Set(functions.flatMap((one) => [...emittedKinds(one)]));
    for (const text of await serviceSources()) for (const kind of kindsIn(text)) emitted.add(kind);
    assert.deepEqual([...emitted].toSorted(), Object.keys(EVENTS).toSorted());
  });

  it('are the listed ones in functions, views and statements that read them', async () => {
    const views = await world.forum.rows<StoredFunction>(
      `SELECT viewname AS name, definition AS body FROM pg_views WHERE schemaname = '${RELEASE}'`,
    );
    const statements = [...DECLARED_STATEMENTS].flatMap(([name, texts]) => [...texts].map((body) => ({ name, body })));
    const asked = [...functions, ...views, ...statements].flatMap(({ name, body }) =>
      // A column that a refusal names looks alike, and so do a setting and a table with its schema.
      [
        ...body.replaceAll(/(?:COLUMN = |set_config\()'[^']*'|'public\.[^']*'/g, '').matchAll(/'([a-z_]+\.[a-z_]+)'/g),
      ].map(([, kind]) => ({
        name,
        kind: kind!,
      })),
    );
    assert.ok(asked.length > 20, String(asked.length));
    assert.deepEqual(
      asked.filter(({ kind }) => !(kind in EVENTS)),
      [],
    );
  });

  it('create the listed notifications and no others', async () => {
    const { forum, ada, bob } = world;
    const posted = await ada.post('/v1/posts', { title: 'A post', body: 'A post' });
    const { postId } = posted.body.post;
    const replied = await bob.post(`/v1/posts/${postId}/replies`, { body: 'A reply' });
    const subject = replied.body.reply.replyId;
    const events = KINDS.map(([kind], number) => ({
      outbox_id: number,
      kind,
      subject,
      hidden: false,
      occurred_at: new Date(),
      recipient: ada.agentId,
    }));
    const rows = await forum.rows<{ number: string; type: string }>(
      `SELECT outbox_id AS number, type FROM release.inbox_pointers(
         ARRAY(SELECT e FROM jsonb_populate_recordset(NULL::outbox, $1) e), $2, $3)`,
      [JSON.stringify(events), ...POINTER_VALUES],
    );
    const made = rows.map(({ number, type }) => ({ kind: KINDS[Number(number)]![0], inbox: type }));
    const listed = KINDS.flatMap(([kind, { inbox }]) => (inbox ? [{ kind, inbox: inbox.type }] : []));
    assert.deepEqual(sorted(made), sorted(listed));
  });

  it('have a job if they ask for one', () => {
    const listed = KINDS.flatMap(([kind, { ownJob }]) => (ownJob ? [kind] : []));
    assert.deepEqual([...OWN_JOB_KINDS].toSorted(), listed.toSorted());
  });

  it('are about what the list says, in all that the writes of the table leave behind', async () => {
    const senderOf = ({ auth }: Operation) => (auth === 'operator' ? world.forum.operator : world.ada);
    for (const op of OPERATIONS) {
      // Its example waits for a worker, and there is none: what is written stays where it can be looked at.
      if (op.kind !== 'write' || op.name === 'inbox.ack') continue;
      const answer = await sendExample(op, await exampleOf(op, world), senderOf(op), true);
      assert.ok(answer.status < 300, `${op.name}: ${JSON.stringify(answer.body)}`);
    }
    const rows = await world.forum.rows<{ kind: EventKind; subject: string }>('SELECT kind, subject FROM outbox');
    const seen = new Set(rows.map(({ kind }) => kind));
    assert.ok(seen.size > 20, [...seen].join());
    assert.deepEqual(
      rows.filter(({ kind, subject }) => !SUBJECTS[EVENTS[kind].about].test(subject)),
      [],
    );
  });
});

const sorted = <T extends { readonly kind: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => a.kind.localeCompare(b.kind));

/** What the features are written in. */
async function serviceSources(): Promise<string[]> {
  const folder = join(import.meta.dirname, '../../src/features');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
}

/** Kinds written in TypeScript. The compiler checks those of an event against the list. */
const kindsIn = (text: string): string[] =>
  [...text.matchAll(/'([a-z]+\.[a-z]+)'/g)].map(([, kind]) => kind!).filter((kind) => kind in EVENTS);
