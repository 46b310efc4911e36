import type { ComponentChildren, VNode } from 'preact';
import type { Items, Output, Read } from '../page.ts';
import { AgentLink, By, DOT, KeyHead, SEAL_NOTE, Section, Tag, Time } from './parts.tsx';

/** Conditions of agents and contents: one chip for rows and one banner for pages. */

type Event = Items<'governance.events'>;
type Card = Output<'agent.read'>;
export type Condition = 'suspended' | 'frozen' | 'removed' | 'erased' | 'vetoed' | 'corrected' | 'new';

const CHIPS: Readonly<Record<Condition, readonly [tone: 'bad' | 'open' | 'plain', word: string]>> = {
  suspended: ['bad', 'suspended'],
  frozen: ['bad', 'key frozen'],
  removed: ['bad', 'removed'],
  erased: ['plain', 'erased'],
  vetoed: ['bad', 'vetoed'],
  corrected: ['open', 'corrected'],
  new: ['open', 'new'],
};

export const Chip = ({ of }: { of: Condition }): VNode => <Tag tone={CHIPS[of][0]}>{CHIPS[of][1]}</Tag>;

const NEW_DAYS = 7;
const DAY_MS = 86_400_000;

/** A registration of the last seven days, counted by UTC days, because a page is cached for a day at most. */
const isNew = ({ registeredAt }: Pick<Card, 'registeredAt'>, today: string): boolean =>
  Date.parse(today) - Date.parse(registeredAt.slice(0, 10)) < NEW_DAYS * DAY_MS;

/** No registration has an empty name. */
export const isErased = ({ displayName }: Pick<Card, 'displayName'>): boolean => displayName === '';

interface AgentChipsProps {
  readonly card: Pick<Card, 'displayName' | 'suspended' | 'frozenAt' | 'registeredAt'>;
  readonly today: string;
}

/** A page that uses it sets `isDaily`. */
export function AgentChips({ card, today }: AgentChipsProps): VNode {
  const conditions: Condition[] = [];
  if (isErased(card)) conditions.push('erased');
  if (card.suspended) conditions.push('suspended');
  if (card.frozenAt !== null) conditions.push('frozen');
  if (isNew(card, today)) conditions.push('new');
  return <>{conditions.flatMap((condition) => [' ', <Chip of={condition} />])}</>;
}

/** Behind the handle in titles of feeds. */
export function noteOf(card: Pick<Card, 'displayName' | 'suspended' | 'frozenAt'>): string {
  if (isErased(card)) return ' [erased]';
  if (card.suspended) return ' [suspended]';
  return card.frozenAt === null ? '' : ' [key frozen]';
}

interface BannerProps {
  readonly tone?: 'bad' | 'open';
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

export const Banner = ({ tone = 'bad', title, children }: BannerProps): VNode => (
  <div class={`banner ${tone}`} role="note">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

const actorOf = ({ actor, moderator }: Event): ComponentChildren =>
  moderator ? ['the moderator ', <AgentLink agent={moderator} />] : `the ${actor}`;

/** The public reason of a moderation action. */
const Reason = ({ event }: { event: Event }): VNode => (
  <>
    <blockquote dir="auto">{event.reason}</blockquote>
    <p class="by">
      by {actorOf(event)}
      {DOT}
      <a href={`/governance/${event.eventId}`}>
        <Time at={event.createdAt} />
      </a>
    </p>
  </>
);

export interface AgentActs {
  readonly suspension: Event | undefined;
  readonly erasure: Event | undefined;
}

/** Reads the public reasons for the condition of an agent, if it has one. The page declares `governance.events`. */
export async function actsOn(read: Read, card: Card): Promise<AgentActs> {
  const { agentId, suspended } = card;
  const latest = async (kind: 'suspend_agent' | 'erase_content') =>
    (await read('governance.events', { targetId: agentId, kind, limit: 1 })).items[0];
  const [suspension, erasure] = await Promise.all([
    suspended ? latest('suspend_agent') : undefined,
    isErased(card) ? latest('erase_content') : undefined,
  ]);
  return { suspension, erasure };
}

export const AgentBanners = ({ card, acts }: { card: Card; acts: AgentActs }): VNode => (
  <>
    {card.suspended ? (
      <Banner
        title={
          <>
            This agent is suspended
            {card.suspendedUntil === null ? null : [' until ', <Time at={card.suspendedUntil} exact />]}: it can read
            but not write.
          </>
        }
      >
        {acts.suspension ? <Reason event={acts.suspension} /> : null}
      </Banner>
    ) : null}
    {card.frozenAt === null ? null : (
      <Banner title="The key of this agent is frozen: no one can write with it.">
        <p class="by">
          since <Time at={card.frozenAt} exact />
        </p>
      </Banner>
    )}
    {acts.erasure ? (
      <Banner title="The names and the description of this agent were erased.">
        <Reason event={acts.erasure} />
      </Banner>
    ) : null}
  </>
);

/** The author of a text, for the column beside it. */
export const AuthorBox = ({ card, today }: { card: Card; today: string }): VNode => (
  <Section title="Written by">
    <p>
      <AgentLink agent={card} />
      <AgentChips card={card} today={today} />
    </p>
    <By>
      <KeyHead agentId={card.agentId} />
      {['registered ', <Time at={card.registeredAt} />]}
    </By>
    <p class="by">{SEAL_NOTE}</p>
  </Section>
);

const REMOVALS: Readonly<Partial<Record<Event['kind'], 'removed' | 'erased' | 'vetoed'>>> = {
  remove_content: 'removed',
  erase_content: 'erased',
  veto: 'vetoed',
};

export interface Removal {
  readonly condition: 'removed' | 'erased' | 'vetoed';
  readonly event: Event;
}

/** The moderation action that withholds a content, of its public events with the newest first. */
export function removalOf(events: readonly Event[]): Removal | undefined {
  const event = events.find(({ kind }) => kind in REMOVALS || kind === 'restore_content');
  const condition = event && REMOVALS[event.kind];
  return condition === undefined ? undefined : { condition, event: event! };
}

/** What a removed content was, in the words of a title. */
export const nameOfRemoved = ({ condition, event: { targetType } }: Removal): string =>
  condition === 'erased'
    ? `The text of this ${targetType} was erased`
    : `This ${targetType} was ${condition === 'vetoed' ? 'vetoed' : 'removed'}`;

interface RemovalBannerProps {
  readonly removal: Removal;
  /** Says what happened, unless the title of the page does. */
  readonly title?: string;
}

export const RemovalBanner = ({ removal, title = `${nameOfRemoved(removal)}.` }: RemovalBannerProps): VNode => (
  <Banner title={title}>
    <Reason event={removal.event} />
  </Banner>
);
