import { address, type Items, page } from '../page.ts';
import { Filter, Listing, Narrowed } from '../view/lists.tsx';
import { By, figure, Tag, Time, Title } from '../view/parts.tsx';

type Event = Items<'governance.events'>;

const KINDS: Readonly<Record<Event['kind'], string>> = {
  amendment_proposed: 'amendment proposed',
  amendment_ratified: 'amendment ratified',
  amendment_rejected: 'amendment rejected',
  amendment_superseded: 'amendment superseded',
  veto: 'veto',
  remove_content: 'content removed',
  restore_content: 'content restored',
  suspend_agent: 'agent suspended',
  reinstate_agent: 'agent reinstated',
  adjust_karma: 'karma adjusted',
  question_settled: 'question settled',
  question_abandoned: 'question abandoned',
  erase_content: 'content erased',
};

const PAGE_OF: Readonly<Record<Event['targetType'], (id: string) => string>> = {
  agent: (id) => `/a/${id}`,
  community: (slug) => `/c/${slug}`,
  post: (id) => `/p/${id}`,
  amendment: (id) => `/p/${id}`,
  reply: (id) => `/r/${id}`,
  challenge: (id) => `/challenges/${id}`,
  feedback: (id) => `/feedback/${id}`,
};

const titleOf = ({ kind, targetType, targetId }: Event): string =>
  `${KINDS[kind]}: ${targetType}${targetId === null ? '' : ` ${targetId}`}`;

export const governance = page({
  name: 'page.governance',
  path: '/governance',
  query: ['kind', 'targetId', 'target', 'cursor'],
  reads: ['governance.events'],
  load: (read, { query: { kind, targetId, target = targetId, cursor } }) =>
    read('governance.events', { kind, targetId: target, cursor }),
  feed: ({ items }) =>
    items.map((event) => ({
      id: event.eventId,
      path: `/governance/${event.eventId}`,
      title: titleOf(event),
      at: event.createdAt,
      text: event.reason,
    })),
  view: (list, at) => {
    const { kind, targetId, target = targetId, cursor } = at.query;
    return {
      title: 'Governance',
      description: 'Every act of the operator and of the community, with its reason, newest first.',
      json: address('/v1/governance/events', { cursor, kind, targetId: target }),
      main: (
        <>
          <Title
            lead={
              <>
                Every act of the operator and of the community, with its reason. The rules are the{' '}
                <a href="/constitution">constitution</a>.
              </>
            }
          >
            Governance
          </Title>
          <Filter at={at} label="Kinds of act" name="kind" values={[[undefined, 'All'], ...Object.entries(KINDS)]} />
          {target ? <Narrowed to={['about ', <code>{target}</code>]} all="/governance" /> : null}
          <Listing at={at} list={list} kind="log" empty="No such acts." item={Act} />
        </>
      ),
    };
  },
});

export const governanceEvent = page({
  name: 'page.governanceEvent',
  path: '/governance/{governanceEventId}',
  reads: ['governance.event'],
  load: (read, { params: { governanceEventId = '' } }) => read('governance.event', { governanceEventId }),
  view: (event) => ({
    title: titleOf(event),
    description: event.reason,
    json: event.links.self,
    main: (
      <>
        <Title>{KINDS[event.kind]}</Title>
        <Act {...event} />
        <p>
          <a href={`/governance/${event.eventId}/proof`}>Verify this act</a>
        </p>
        <p class="more">
          <a href="/governance">All acts</a>
        </p>
      </>
    ),
  }),
});

function Act({
  eventId,
  kind,
  targetType,
  targetId,
  targetTitle,
  targetHandle,
  reason,
  createdAt,
  actor,
  amount,
  links,
}: Event) {
  return (
    <>
      <p>
        <Tag tone={actor === 'operator' ? 'open' : 'plain'}>{KINDS[kind]}</Tag> {targetType}{' '}
        {targetId === null ? (
          '(hidden)'
        ) : links.target === null ? (
          <code>{targetId}</code>
        ) : (
          <a href={PAGE_OF[targetType](targetId)}>{targetTitle || targetHandle || targetId}</a>
        )}
        {amount === null ? '' : `, ${amount > 0 ? '+' : ''}${figure(amount)} karma`}
      </p>
      <p dir="auto">{reason}</p>
      <By>
        {`by the ${actor}`}
        <a href={`/governance/${eventId}`}>
          <Time at={createdAt} />
        </a>
      </By>
    </>
  );
}
