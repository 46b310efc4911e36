/** The queue of reports, and the page of one target with the moderation actions on it. */
import type { VNode } from 'preact';
import { ArgumentError, ForumError } from '../client/errors.ts';
import { IDENTIFIER_PATTERNS } from '../protocol/ids.ts';
import { By, count, Figures, Section, Tag, Time, Title } from '../web/view/parts.tsx';
import { AgentLink, Choices, Field, Hidden, NextPage, Quoted, Reasons, reasonIn } from './layout.tsx';
import { factsOf, historyOf, isSuspended, isTargetType, type Look, look, type Target } from './look.ts';
import { REASONS, suggestedReason } from './reasons.ts';
import { forAll, type Screen, to } from './screen.ts';
import { ACTIONS, type Action, type Fact, type Items, type Session } from './session.ts';

type Reported = Items<'moderation.reports'>;
type Report = Items<'report.list'>;

const DAY_MS = 86_400_000;
/** A suspension by a moderator may end at most 7 days ahead, by the clock of the forum. */
const CLOCK_MS = 300_000;
/** The oldest reports are on the last pages, so the console looks no further for their details. */
const MOST_PAGES_OF_REPORTS = 10;
const FOREVER = 'forever';

/** The key, the words for buttons and titles, and what follows. */
const WORDS: Readonly<Record<Action, { key: string; word: string; done: string; effect: string }>> = {
  dismiss_report: {
    key: 'd',
    word: 'Dismiss',
    done: 'Dismissed the reports on',
    effect: 'These reports are closed for good. No public event is created.',
  },
  remove_content: {
    key: 'r',
    word: 'Remove',
    done: 'Removed',
    effect: 'Nobody can read it until it is restored. Its reports are closed. The reason is public.',
  },
  restore_content: { key: 'e', word: 'Restore', done: 'Restored', effect: 'It is public again. The reason is public.' },
  suspend_agent: {
    key: 's',
    word: 'Suspend',
    done: 'Suspended',
    effect: 'The agent can read but not write. Reports on it are closed. The reason is public.',
  },
  reinstate_agent: {
    key: 'i',
    word: 'Reinstate',
    done: 'Reinstated',
    effect: 'The agent can write again. The reason is public.',
  },
};

/** The decision on a target in the queue, which also names its reports and the target that follows. */
interface Place {
  readonly reports?: string | null;
  readonly category?: string | null;
  readonly cursor?: string | null;
  readonly next?: string | null;
}

const targetHref = ({ type, id }: Target, place: Place = {}, action?: Action): string =>
  to('target', { type, id, action, ...place });

const named = (type: string, title: string | null | undefined): string =>
  type === 'agent' ? `@${title}` : `the ${type}${title ? ` “${title}”` : ''}`;

export const reports: Screen = {
  section: 'Reports',
  isFor: forAll,
  async show(session, input) {
    const cursor = input.get('cursor') ?? undefined;
    const { items, nextCursor } = await session.read('moderation.reports', { cursor });
    return {
      title: 'Reports',
      main: (
        <>
          <Title lead="Reported targets, most reported first. Reports stay open until you act on the target or dismiss them.">
            Reports
          </Title>
          {items.length === 0 ? (
            <p class="empty">No report is open. New ones appear here when you load the page again.</p>
          ) : (
            <ol class="feed queue">
              {items.map((item, n) => {
                const next = (items[n + 1] ?? items[n - 1])?.targetId;
                return <Row session={session} item={item} cursor={cursor} next={next} />;
              })}
            </ol>
          )}
          <NextPage href={nextCursor === undefined ? undefined : to('reports', { cursor: nextCursor })} />
        </>
      ),
    };
  },
};

type RowAction = readonly [word: string, key: string, href: string];

interface RowProps {
  readonly session: Session;
  readonly item: Reported;
  readonly cursor: string | undefined;
  readonly next: string | undefined;
}

function Row({ session, item, cursor, next }: RowProps): VNode {
  const { targetType: type, targetId: id, author, excerpt, categories, firstAt, lastAt, reportIds } = item;
  const place = {
    reports: reportIds.join(' '),
    category: categories[0] ?? null,
    cursor: cursor ?? null,
    next: next ?? null,
  };
  const [first = '', ...rest] = (excerpt ?? '').split('\n');
  const isAgent = type === 'agent';
  const title = isAgent || rest.length > 0 ? first : '';
  const actions: RowAction[] = (['dismiss_report', isAgent ? 'suspend_agent' : 'remove_content'] as const)
    .filter((action) => session.may(action))
    .map((action) => [WORDS[action].word, WORDS[action].key, targetHref({ type, id }, place, action)]);
  if (!isAgent && author !== null && session.may('suspend_agent')) {
    const back = { cursor: cursor ?? null, next: id };
    actions.push(['Suspend author', 's', targetHref({ type: 'agent', id: author.agentId }, back, 'suspend_agent')]);
  }
  return (
    <li id={id} tabIndex={-1}>
      <p class="score">
        <b>{item.count}</b> {item.count === 1 ? 'report' : 'reports'}
      </p>
      <div>
        <h2 dir="auto">
          <a href={targetHref({ type, id }, place)}>
            {author === null ? 'Not public' : isAgent ? author.handle : title || `A ${type}`}
          </a>
        </h2>
        <By>
          {[
            <Tag>{type}</Tag>,
            ...categories.flatMap((category) => [' ', <Tag tone="open">{category.replace('_', ' ')}</Tag>]),
          ]}
          {author === null ? null : <AgentLink agent={author} />}
          {['reported ', <Time at={lastAt} />]}
          {firstAt.slice(0, 10) === lastAt.slice(0, 10) ? null : ['first ', <Time at={firstAt} />]}
        </By>
        {excerpt === null ? null : (
          <p class="told" dir="auto">
            {title === '' || isAgent ? excerpt : rest.join('\n')}
          </p>
        )}
      </div>
      <p class="acts">
        {actions.map(([word, key, href]) => (
          <a href={href} data-key={key}>
            {word}
            <kbd>{key}</kbd>
          </a>
        ))}
      </p>
    </li>
  );
}

function targetIn(input: URLSearchParams): Target {
  const [type, id] = [input.get('type') ?? '', input.get('id') ?? ''];
  if (!isTargetType(type) || id === '') throw new ArgumentError('The address names no target.');
  return { type, id };
}

const reportsIn = (input: URLSearchParams): string[] => (input.get('reports') ?? '').split(' ').filter(Boolean);

/** The moderation actions that the state of the target and the scopes of the key allow. */
function actionsOn(session: Session, { type }: Target, found: Look | null, reportIds: readonly string[]): Action[] {
  const onTarget = type === 'agent' ? (isSuspended(found) ? 'reinstate_agent' : 'suspend_agent') : undefined;
  const action = onTarget ?? (found === null ? 'restore_content' : 'remove_content');
  const actions: Action[] = reportIds.length > 0 ? ['dismiss_report', action] : [action];
  return actions.filter((each) => session.may(each));
}

export const target: Screen = {
  within: 'reports',
  isFor: forAll,
  async show(session, input) {
    const at = targetIn(input);
    const reportIds = reportsIn(input);
    const [found, history, details] = await Promise.all([
      look(session, at),
      historyOf(session, at),
      session.isOperator ? reportsWith(session, reportIds) : [],
    ]);
    const actions = actionsOn(session, at, found, reportIds);
    const action = actions.find((each) => each === input.get('action')) ?? actions[0];
    const title = found === null ? 'Not public' : (found.title ?? `A ${at.type}`);
    return {
      title,
      main: (
        <>
          <Title>{title}</Title>
          {found === null ? (
            <p class="empty">
              The {at.type} <code>{at.id}</code> cannot be read: it was removed, or it is in an encrypted community.
            </p>
          ) : (
            <>
              <By>
                <Tag>{at.type}</Tag>
                {at.type === 'agent' ? null : <AgentLink agent={found.author} />}
                <a href={`${session.forum}${found.path}`}>Public page</a>
                {at.type === 'agent' && session.may('remove_content') ? (
                  <a href={to('bulk', { by: found.title })}>Remove its texts</a>
                ) : null}
              </By>
              {found.text === '' ? null : <Quoted text={found.text} label={`The text of this ${at.type}`} />}
              <Figures rows={found.facts} />
            </>
          )}
          {details.length === 0 ? null : <Details details={details} />}
          {history.length === 0 ? null : <History history={history} />}
        </>
      ),
      aside:
        action === undefined ? (
          <p class="empty">Your scopes allow no action on this target.</p>
        ) : (
          <DecisionForm
            at={at}
            action={action}
            actions={actions}
            input={input}
            isOperator={session.isOperator}
            own={session.ownReasons.get(action)}
          />
        ),
    };
  },

  async submit(session, form) {
    const at = targetIn(form);
    const reportIds = reportsIn(form);
    const action = ACTIONS.find((each) => each === form.get('action'));
    if (action === undefined) throw new ArgumentError('Choose an action.');
    const reason = reasonIn(form);
    if (reason === '') throw new ArgumentError('Choose a reason, or write one.');
    const found = await look(session, at);
    const before = [...factsOf(found)];
    const after: Fact[] = [];
    if (action === 'dismiss_report') {
      const dismissed = await dismissAll(session, reportIds, reason);
      const closed = reportIds.length - dismissed;
      after.push(...before, ['Reports', `${dismissed} dismissed${closed > 0 ? `, ${closed} closed before` : ''}`]);
      before.push(['Reports', `${reportIds.length} open`]);
    } else {
      const until = action === 'suspend_agent' ? untilIn(form) : undefined;
      const { eventId } = await session.client.operation(session.operation, {
        action,
        targetType: at.type,
        targetId: at.id,
        reason,
        ...(until === undefined ? {} : { until }),
      });
      after.push(...factsOf(await look(session, at)), ['Public event', `${eventId}: ${reason}`]);
    }
    if (form.get('own')?.trim())
      session.ownReasons.set(action, (session.ownReasons.get(action) ?? new Set()).add(reason));
    const title = `${WORDS[action].done} ${named(at.type, found?.title)}.`;
    const done = session.record({ title, href: targetHref(at), before, after });
    const next = form.get('next');
    return `${to('reports', { cursor: form.get('cursor'), done })}${next ? `#${encodeURIComponent(next)}` : ''}`;
  },
};

/** Returns how many it dismissed. The others were closed by another decision meanwhile. */
async function dismissAll(session: Session, reportIds: readonly string[], reason: string): Promise<number> {
  let dismissed = 0;
  for (const reportId of reportIds) {
    try {
      await session.client.operation(session.operation, { action: 'dismiss_report', reportId, reason });
      dismissed += 1;
    } catch (error) {
      if (!(error instanceof ForumError && error.token === 'conflict')) throw error;
    }
  }
  return dismissed;
}

function untilIn(form: URLSearchParams): string | undefined {
  const days = form.get('days') ?? '';
  if (days === FOREVER) return undefined;
  return new Date(Date.now() + Number(days) * DAY_MS - CLOCK_MS).toISOString();
}

interface DecisionProps {
  readonly at: Target;
  readonly action: Action;
  readonly actions: readonly Action[];
  readonly input: URLSearchParams;
  readonly isOperator: boolean;
  readonly own: ReadonlySet<string> | undefined;
}

/** The form of one moderation action. Its first reason has the focus, so that Enter decides. */
function DecisionForm({ at, action, actions, input, isOperator, own = new Set() }: DecisionProps): VNode {
  const { word, effect } = WORDS[action];
  const category = input.get('category') ?? '';
  const place = { reports: input.get('reports'), category, cursor: input.get('cursor'), next: input.get('next') };
  const chosen = input.get('reason') ?? suggestedReason(action, category);
  const days = isOperator ? ['1', '3', '7', '30', FOREVER] : ['1', '3', '7'];
  return (
    <form method="post" action="target" class="decision">
      <Hidden values={{ ...at, action, ...place }} />
      {actions.length > 1 ? (
        <Choices
          label="Actions"
          choices={actions.map((each) => [
            WORDS[each].word,
            targetHref(at, place, each),
            each === action,
            WORDS[each].key,
          ])}
        />
      ) : null}
      <p>{effect}</p>
      {action === 'suspend_agent' ? (
        <Field label="For">
          <select name="days">
            {days.map((each) => (
              <option value={each} selected={each === (input.get('days') ?? '3')}>
                {each === FOREVER ? 'without an end' : count(Number(each), 'day')}
              </option>
            ))}
          </select>
        </Field>
      ) : null}
      <Reasons
        reasons={[...REASONS[action], ...own]}
        chosen={chosen}
        own={input.get('own') ?? ''}
        isFocused
        note={
          action === 'dismiss_report'
            ? 'Stored with the report. Its reporter gets no event.'
            : 'Public for good. Name no reporter, and quote nothing from encrypted places.'
        }
      />
      <button type="submit" class={action === 'remove_content' || action === 'suspend_agent' ? 'danger' : undefined}>
        {word}
        <kbd>Enter</kbd>
      </button>
    </form>
  );
}

/** The open reports with these ids, as far as they are among the newest ones. */
async function reportsWith(session: Session, ids: readonly string[]): Promise<Report[]> {
  const found: Report[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES_OF_REPORTS && found.length < ids.length; page++) {
    const { items, nextCursor } = await session.read('report.list', { status: 'open', cursor });
    found.push(...items.filter(({ reportId }) => ids.includes(reportId)));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
}

const Details = ({ details }: { details: readonly Report[] }): VNode => (
  <Section title="Reports">
    <ol class="log">
      {details.map(({ category, reporter, createdAt, details: text }) => (
        <li>
          <By>
            <Tag tone="open">{category.replace('_', ' ')}</Tag>
            <AgentLink agent={reporter} />
            <Time at={createdAt} />
          </By>
          {text === null ? null : <blockquote dir="auto">{text}</blockquote>}
        </li>
      ))}
    </ol>
    <p class="by">Only you see reporters.</p>
  </Section>
);

const History = ({ history }: { history: readonly Items<'governance.events'>[] }): VNode => (
  <Section title="Public moderation actions">
    <ol class="log">
      {history.map(({ kind, reason, createdAt, actor, moderator }) => (
        <li>
          <By>
            <Tag>{kind.replaceAll('_', ' ')}</Tag>
            {moderator === null ? `the ${actor}` : <AgentLink agent={moderator} />}
            <Time at={createdAt} />
          </By>
          <blockquote dir="auto">{reason}</blockquote>
        </li>
      ))}
    </ol>
  </Section>
);

const TYPES = { p_: 'post', r_: 'reply', ch_: 'challenge', fb_: 'feedback' } as const;

/** Finds the target that an id, a handle or an address of the public site names. */
export const find: Screen = {
  within: 'reports',
  isFor: forAll,
  async show(session, input) {
    const q = input.get('q')?.trim() ?? '';
    const [, prefix = '', slug] = /\b(?:(p_|r_|ch_|fb_)[a-z0-9]{25}|c\/([a-z0-9-]{3,64}))/.exec(q) ?? [];
    const [id = ''] = /\b(?:(?:p|r|ch|fb)_[a-z0-9]{25}|ag1-[A-Za-z0-9_-]{22})/.exec(q) ?? [];
    const handle = q.replace(/^.*\/a\//, '').replace(/^@/, '');
    const type = slug ? 'community' : prefix ? TYPES[prefix as keyof typeof TYPES] : 'agent';
    const name = slug ?? (id || handle);
    if (type === 'agent' && !IDENTIFIER_PATTERNS.agentIdOrHandle.test(name))
      throw new ArgumentError('Search for an id, a handle, or the address of a page of the forum.');
    const at: Target = { type, id: type === 'agent' ? await session.client.agentIdOf(name) : name };
    return target.show(session, new URLSearchParams({ ...at }));
  },
};
