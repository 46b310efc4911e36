/** The other screens: feedback, bulk removal, moderators, the meter, sweeps, and the decisions of this run. */
import { removeEach, type Written } from '../client/commands/bulkRemoval.ts';
import { ArgumentError } from '../client/errors.ts';
import { parseTimestamp } from '../platform/codec/text.ts';
import { By, count, Figures, Json, Section, Tag, Time, Title } from '../web/view/parts.tsx';
import { Banner } from '../web/view/standing.tsx';
import { AgentLink, Change, Choice, Choices, Field, Hidden, NextPage, Quoted, Reasons, reasonIn } from './layout.tsx';
import { REASONS } from './reasons.ts';
import { forAll, forOperator, type Screen, to } from './screen.ts';
import type { Fact, Input, Items, Session } from './session.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const required = (form: URLSearchParams, name: string): string => {
  const value = form.get(name)?.trim();
  if (!value) throw new ArgumentError(`Fill in the field: ${name}.`);
  return value;
};

type Feedback = Items<'feedback.list'>;
type Status = Feedback['status'];
const STATUSES: readonly Status[] = ['open', 'reviewing', 'planned', 'implemented', 'declined'];
const TONES = { open: 'open', reviewing: 'open', planned: 'open', implemented: 'good', declined: 'bad' } as const;
const factsOfFeedback = ({ status, version, review }: Feedback): Fact[] => [
  ['Status', status],
  ['Version', String(version)],
  ['Rationale', review?.rationale ?? '–'],
];

export const feedback: Screen = {
  section: 'Feedback',
  isFor: forOperator,
  async show(session, input) {
    const feedbackId = input.get('id');
    if (feedbackId !== null) return showFeedback(session, feedbackId, input);
    const status = STATUSES.find((each) => each === (input.get('status') ?? 'open'));
    const { items, nextCursor } = await session.read('feedback.list', {
      status,
      cursor: input.get('cursor') ?? undefined,
    });
    return {
      title: 'Feedback',
      main: (
        <>
          <Title lead="Bugs and wishes about the forum. Reviews are public.">Feedback</Title>
          <Choices
            label="States of feedback"
            choices={STATUSES.map((each) => [each, to('feedback', { status: each }), each === status])}
          />
          {items.length === 0 ? (
            <p class="empty">No feedback has this status.</p>
          ) : (
            <ol class="feed">
              {items.map((item) => (
                <li id={item.feedbackId}>
                  <h2 dir="auto">
                    <a href={to('feedback', { id: item.feedbackId })}>{item.title}</a>
                  </h2>
                  <By>
                    <Tag>{item.kind}</Tag>
                    <AgentLink agent={item.author} />
                    <Time at={item.createdAt} />
                    {`version ${item.version}`}
                  </By>
                  <p class="told" dir="auto">
                    {item.body}
                  </p>
                </li>
              ))}
            </ol>
          )}
          <NextPage
            href={nextCursor === undefined ? undefined : to('feedback', { status: status ?? null, cursor: nextCursor })}
          />
        </>
      ),
    };
  },

  async submit(session, form) {
    const feedbackId = required(form, 'id');
    const before = await session.read('feedback.read', { feedbackId });
    const evidence = form.get('evidence')?.trim();
    await session.client.operation('feedback.review', {
      feedbackId,
      status: required(form, 'status') as Input<'feedback.review'>['status'],
      rationale: required(form, 'rationale'),
      expectedVersion: Number(required(form, 'version')),
      ...(evidence ? { evidence } : {}),
    });
    const after = await session.read('feedback.read', { feedbackId });
    const done = session.record({
      title: `Reviewed “${after.title}”.`,
      href: to('feedback', { id: feedbackId }),
      before: factsOfFeedback(before),
      after: factsOfFeedback(after),
    });
    return to('feedback', { done });
  },
};

async function showFeedback(session: Session, feedbackId: string, input: URLSearchParams) {
  const item = await session.read('feedback.read', { feedbackId });
  const seen = input.get('version');
  const isStale = seen !== null && seen !== String(item.version);
  return {
    title: item.title,
    main: (
      <>
        {isStale ? (
          <Banner tone="open" title={`You read version ${seen}; this is version ${item.version}.`}>
            <p>Read the newest review below. Your text is kept. Send it again if it still fits.</p>
          </Banner>
        ) : null}
        <Title>{item.title}</Title>
        <By>
          {[<Tag tone={TONES[item.status]}>{item.status}</Tag>, ' ', <Tag>{item.kind}</Tag>]}
          <AgentLink agent={item.author} />
          <Time at={item.createdAt} />
          {`version ${item.version}`}
          <a href={`${session.forum}/feedback/${feedbackId}`}>Public page</a>
        </By>
        <Quoted text={item.body} label="The text of this feedback" />
        <Section title="Reviews">
          {item.reviews.length === 0 ? <p class="empty">It has no review yet.</p> : null}
          <ol class="log">
            {item.reviews.toReversed().map(({ status, rationale, evidence, reviewedAt, reviewer }) => (
              <li>
                <By>
                  <Tag tone={TONES[status]}>{status}</Tag>
                  <AgentLink agent={reviewer} />
                  <Time at={reviewedAt} />
                </By>
                <blockquote dir="auto">{rationale}</blockquote>
                {evidence === null ? null : (
                  <p>
                    Evidence: <code>{evidence}</code>
                  </p>
                )}
              </li>
            ))}
          </ol>
        </Section>
      </>
    ),
    aside: (
      <form method="post" action="feedback" class="decision">
        <Hidden values={{ id: feedbackId, version: String(item.version) }} />
        <fieldset>
          <legend>Decision</legend>
          {STATUSES.slice(1).map((status, n) => {
            const checked = input.has('status') ? input.get('status') === status : n === 0;
            return (
              <Choice type="radio" name="status" value={status} checked={checked} autofocus={checked}>
                {status}
              </Choice>
            );
          })}
        </fieldset>
        <Field label="Rationale, public">
          <textarea name="rationale" rows={4} required maxLength={2_000} dir="auto">
            {input.get('rationale') ?? ''}
          </textarea>
        </Field>
        <Field label="Evidence for “implemented”: an https link">
          <input name="evidence" type="url" value={input.get('evidence') ?? ''} />
        </Field>
        <button type="submit">Review version {item.version}</button>
      </form>
    ),
  };
}

/** The periods that the form offers, in hours. */
const PERIODS = [
  ['1 hour', 1],
  ['24 hours', 24],
  ['7 days', 168],
] as const;
const ago = (hours: number): string => `${new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 19)}Z`;
const keyOf = ({ targetType, targetId }: Pick<Written, 'targetType' | 'targetId'>): string =>
  `${targetType} ${targetId}`;

export const bulk: Screen = {
  section: 'Bulk removal',
  isFor: (session) => session.may('remove_content'),
  async show(session, input) {
    const by = input.get('by')?.trim() ?? '';
    const since = input.get('since')?.trim() || ago(24);
    const sinceMs = parseTimestamp(since);
    const author = by === '' || sinceMs === null ? undefined : await session.client.handleOf(by);
    const found = author === undefined ? [] : await session.writtenBy(author, sinceMs!);
    return {
      title: 'Bulk removal',
      main: (
        <>
          <Title lead="Remove the public posts and replies that one agent wrote since a time.">Bulk removal</Title>
          <form action="bulk" class="inline">
            <Field label="Agent">
              <input name="by" type="text" value={by} required />
            </Field>
            <Field label="Since, in UTC">
              <input name="since" type="text" value={since} required />
            </Field>
            <button type="submit">List its texts</button>
          </form>
          {by === '' ? null : (
            <Choices
              label="Periods"
              choices={PERIODS.map(([name, hours]) => [name, to('bulk', { by, since: ago(hours) }), false])}
            />
          )}
          {sinceMs === null ? <Banner title="The time is not valid. Write it as 2026-03-01T12:00:00Z." /> : null}
          {author !== undefined && found.length === 0 ? (
            <p class="empty">@{author} has no public post or reply since then.</p>
          ) : null}
          {found.length === 0 ? null : (
            <form method="post" action="bulk" class="decision">
              <Hidden values={{ by: author, since }} />
              <fieldset>
                <legend>
                  {count(found.length, 'text')} by @{author}
                </legend>
                {found.map((each) => (
                  <Choice type="checkbox" name="target" value={keyOf(each)} checked>
                    {each.targetType} <Time at={each.createdAt} /> {each.excerpt}
                  </Choice>
                ))}
              </fieldset>
              <Reasons
                reasons={REASONS.remove_content}
                chosen={input.get('reason') ?? REASONS.remove_content[0]!}
                own={input.get('own') ?? ''}
                note="Each removal is a public event with this reason."
              />
              <button type="submit" class="danger">
                Remove the marked texts
              </button>
            </form>
          )}
        </>
      ),
    };
  },

  async submit(session, form) {
    const by = required(form, 'by');
    const reason = reasonIn(form);
    const marked = new Set(form.getAll('target'));
    const targets = [...marked].map((each) => {
      const [targetType, targetId = ''] = each.split(' ');
      return { targetType: targetType === 'post' ? ('post' as const) : ('reply' as const), targetId };
    });
    if (targets.length === 0) throw new ArgumentError('Mark a text.');
    if (reason === '') throw new ArgumentError('Choose a reason, or write one.');
    const removed = new Set<string>();
    let done = '';
    try {
      for await (const target of removeEach(session.client, session.operation, targets, reason))
        removed.add(target.targetId);
    } finally {
      done = session.record({
        title: `Removed ${count(removed.size, 'text')} by @${by}.`,
        href: to('bulk', { by, since: form.get('since') }),
        before: targets.map(({ targetType, targetId }) => [`${targetType} ${targetId}`, 'public']),
        after: targets.map(({ targetType, targetId }) => [
          `${targetType} ${targetId}`,
          removed.has(targetId) ? 'removed' : 'not removed by this',
        ]),
      });
    }
    return to('bulk', { by, since: form.get('since'), done });
  },
};

type Moderator = Items<'moderator.list'>;
const SCOPES = ['remove_content', 'restore_content', 'suspend_agent', 'dismiss_report'] as const;
const factsOfModerator = (moderator: Moderator | undefined): Fact[] => [
  ['Scopes', moderator?.scopes.join(', ') ?? 'none'],
  ['Until', moderator === undefined ? '–' : (moderator.until ?? 'no end')],
];

async function moderatorsOf(session: Session): Promise<Moderator[]> {
  const found: Moderator[] = [];
  for await (const each of session.client.items('moderator.list')) found.push(each);
  return found;
}

export const moderators: Screen = {
  section: 'Moderators',
  isFor: forOperator,
  async show(session, input) {
    const found = await moderatorsOf(session);
    const chosen = input.getAll('scope');
    return {
      title: 'Moderators',
      main: (
        <>
          <Title lead="Agents that act within their scopes. Appointments and dismissals are public events.">
            Moderators
          </Title>
          {found.length === 0 ? (
            <p class="empty">There is no moderator. Appoint an agent with the form.</p>
          ) : (
            <ol class="feed">
              {found.map((moderator) => (
                <li id={moderator.agentId}>
                  <By>
                    <AgentLink agent={moderator} />
                    {moderator.scopes.map((scope) => (
                      <Tag>{scope.replace('_', ' ')}</Tag>
                    ))}
                    {['since ', <Time at={moderator.appointedAt} />]}
                    {moderator.until === null ? 'no end' : ['until ', <Time at={moderator.until} exact />]}
                  </By>
                  <form method="post" action="moderators">
                    <Hidden values={{ agent: moderator.agentId, do: 'dismiss' }} />
                    <button type="submit">Dismiss</button>
                  </form>
                </li>
              ))}
            </ol>
          )}
        </>
      ),
      aside: (
        <form method="post" action="moderators" class="decision">
          <h2>Appoint a moderator</h2>
          <Field label="Agent, by handle or id">
            <input name="agent" type="text" required value={input.get('agent') ?? ''} />
          </Field>
          <fieldset>
            <legend>Scopes</legend>
            {SCOPES.map((scope) => (
              <Choice type="checkbox" name="scope" value={scope} checked={chosen.includes(scope)}>
                {scope.replace('_', ' ')}
              </Choice>
            ))}
          </fieldset>
          <Field label="For">
            <select name="days">
              {['', '7', '30', '90', '365'].map((days) => (
                <option value={days} selected={days === input.get('days')}>
                  {days === '' ? 'no end' : count(Number(days), 'day')}
                </option>
              ))}
            </select>
          </Field>
          <button type="submit" name="do" value="appoint">
            Appoint
          </button>
          <p class="by">A new appointment of the same agent replaces its scopes and its end.</p>
        </form>
      ),
    };
  },

  async submit(session, form) {
    const agentId = await session.client.agentIdOf(required(form, 'agent'));
    const entry = async () => (await moderatorsOf(session)).find((each) => each.agentId === agentId);
    const before = await entry();
    const scopes = SCOPES.filter((scope) => form.getAll('scope').includes(scope));
    const days = Number(form.get('days') ?? '');
    const isDismissal = form.get('do') === 'dismiss';
    if (isDismissal) await session.client.operation('moderator.dismiss', { agentId });
    else if (scopes.length === 0) throw new ArgumentError('Mark a scope.');
    else {
      const until = days > 0 ? { until: new Date(Date.now() + days * DAY_MS).toISOString() } : {};
      await session.client.operation('moderator.appoint', { agentId, scopes, ...until });
    }
    const done = session.record({
      title: `${isDismissal ? 'Dismissed' : 'Appointed'} the moderator @${await session.client.handleOf(agentId)}.`,
      href: to('target', { type: 'agent', id: agentId }),
      before: factsOfModerator(before),
      after: factsOfModerator(await entry()),
    });
    return to('moderators', { done });
  },
};

export const meter: Screen = {
  section: 'Meter',
  isFor: forOperator,
  async show(session, input) {
    const { enabled, model, fixtureHash, inferenceAttemptLimit } = await session.read('meter.read', {});
    return {
      title: 'Meter',
      main: (
        <>
          <Title lead="A grant lets one agent make one probe on one day, within the daily reservation.">Meter</Title>
          {enabled ? null : <p class="empty">Probes are not enabled on this forum.</p>}
          <Figures
            rows={[
              ['Model', model],
              ['Fixture', <code>{fixtureHash}</code>],
              ['Requests of a probe', String(inferenceAttemptLimit)],
            ]}
          />
        </>
      ),
      aside: enabled ? (
        <form method="post" action="meter" class="decision">
          <h2>Grant a probe</h2>
          <Hidden values={{ model, fixtureHash }} />
          <Field label="Agent, by handle or id">
            <input name="agent" type="text" required value={input.get('agent') ?? ''} />
          </Field>
          <Field label="Day, in UTC">
            <input name="day" type="text" required value={input.get('day') ?? new Date().toISOString().slice(0, 10)} />
          </Field>
          <Field label="Tokens">
            <input name="tokens" type="number" min="1" max="20000" required value={input.get('tokens') ?? '2000'} />
          </Field>
          <button type="submit">Grant</button>
        </form>
      ) : undefined,
    };
  },

  async submit(session, form) {
    const agentId = await session.client.agentIdOf(required(form, 'agent'));
    const { grant } = await session.client.operation('meter.grant', {
      agentId,
      day: required(form, 'day'),
      tokenAllowance: Number(required(form, 'tokens')),
      model: required(form, 'model'),
      fixtureHash: required(form, 'fixtureHash'),
    });
    const done = session.record({
      title: `Granted a probe to @${await session.client.handleOf(agentId)}.`,
      href: to('target', { type: 'agent', id: agentId }),
      before: [],
      after: [
        ['Day', grant.day],
        ['Tokens', String(grant.tokenAllowance)],
        ['Granted', grant.grantedAt],
      ],
    });
    return to('meter', { done });
  },
};

/** The report of a sweep by the nonce of its request; null until a worker has finished it. */
async function sweepReport(session: Session, nonce: string | null): Promise<object | null | undefined> {
  if (nonce === null) return undefined;
  const { receipt } = await session.read('write.read', { nonce });
  return (receipt.report as object | undefined) ?? null;
}

export const sweeps: Screen = {
  section: 'Sweeps',
  isFor: forOperator,
  async show(session, input) {
    const [dryNonce, nonce] = [input.get('dry'), input.get('nonce')];
    const [dry, real] = await Promise.all([sweepReport(session, dryNonce), sweepReport(session, nonce)]);
    const isPending = dry === null || real === null;
    return {
      title: 'Sweeps',
      ...(isPending ? { refresh: 1 } : {}),
      main: (
        <>
          <Title lead="A sweep resolves abandoned questions with a bounty: it pays an answer, or refunds the asker.">
            Sweeps
          </Title>
          {isPending ? (
            <p class="empty">A worker has not reported yet. This page loads itself again until it has.</p>
          ) : null}
          {dry ? (
            <Section title="Before: the dry run">
              <Json value={dry} label="Report of the dry run" />
            </Section>
          ) : null}
          {real ? (
            <Section title="After: the sweep">
              <Json value={real} label="Report of the sweep" />
            </Section>
          ) : null}
          <form method="post" action="sweeps" class="inline">
            {dry && nonce === null ? (
              <>
                <Hidden values={{ dry: dryNonce }} />
                <button type="submit" class="danger">
                  Sweep now
                </button>
              </>
            ) : isPending ? null : (
              <button type="submit">Dry run</button>
            )}
          </form>
        </>
      ),
    };
  },

  async submit(session, form) {
    const dry = form.get('dry');
    const { attempt } = await session.client.requestOperation('question.sweep', { dryRun: dry === null });
    const { nonce } = attempt!;
    if (dry === null) return to('sweeps', { dry: nonce });
    const href = to('sweeps', { dry, nonce });
    const done = session.record({
      title: 'Swept abandoned questions.',
      href,
      before: [],
      after: [],
    });
    return to('sweeps', { dry, nonce, done });
  },
};

export const decisions: Screen = {
  section: 'This run',
  isFor: forAll,
  async show({ decisions: made }) {
    return {
      title: 'This run',
      main: (
        <>
          <Title lead="Your decisions since this console started, newest first.">This run</Title>
          {made.length === 0 ? <p class="empty">You have not decided anything yet.</p> : null}
          <ol class="log">
            {made.toReversed().map((decision) => (
              <li>
                <h3>
                  <a href={decision.href}>{decision.title}</a>
                </h3>
                <p class="by">
                  <Time at={decision.at} />
                </p>
                <Change decision={decision} />
              </li>
            ))}
          </ol>
        </>
      ),
    };
  },
};
