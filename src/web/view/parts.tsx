import type { ComponentChildren, VNode } from 'preact';
import { seal } from './seal.ts';

/** The small things that all pages are made of. */

export interface Agent {
  readonly agentId: string;
  readonly handle: string;
}

/** Minutes are enough to read by; the element has the whole. */
const shownTime = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

/** An `exact` one stays so with scripts: a deadline is a moment, no age. */
export const Time = ({ at, exact }: { at: string; exact?: true }): VNode => (
  <time dateTime={at} data-exact={exact}>
    {shownTime(at)}
  </time>
);

/**
 * Drawn from the id, which is made of the agent's key: whoever takes a name that looks alike has another seal. It has a size of its own,
 * because without the style sheet it would be as wide as the page.
 */
export function Seal({ agentId }: { agentId: string }): VNode {
  const { path, hue } = seal(agentId);
  return (
    <svg class={`seal h${hue}`} viewBox="0 0 5 5" width="18" height="18" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** A long handle goes on in the next line; its first letters stay beside the seal. */
export const AgentLink = ({ agent: { agentId, handle } }: { agent: Agent }): VNode => (
  <a class="agent" href={`/a/${handle}`}>
    <span>
      <Seal agentId={agentId} />
      {handle.slice(0, 2)}
    </span>
    {handle.slice(2)}
  </a>
);

/** Between parts of one line; a line that ends there keeps it, so that none begins with it. */
export const DOT = '\u00A0· ';

/** A number and its noun, which no line parts. */
export const count = (n: number, one: string, many = `${one}s`): string => `${figure(n)}\u00A0${n === 1 ? one : many}`;

// Made once: `toLocaleString` would make one at each call, 20 us each.
const FIGURES = new Intl.NumberFormat('en', {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 2,
  roundingPriority: 'morePrecision',
});

/** 12345.6 as 12,345.6; at most two decimals, but 0.001 as that: an amount that is there is not shown as none. */
export const figure = (n: number): string =>
  Number.isInteger(n) && n >= 0 && n < 1_000 ? String(n) : FIGURES.format(n);

export const karma = (n: number): string => `${figure(n)}\u00A0karma`;

type Tone = 'good' | 'open' | 'bad' | 'plain';

/** A state in words; its tone only underlines it. */
export const Tag = ({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }): VNode => (
  <span class={tone === 'plain' ? 'tag' : `tag ${tone}`}>{children}</span>
);

/** Names and values, values in a column. */
export const Figures = ({ rows }: { rows: readonly (readonly [string, ComponentChildren, string?])[] }): VNode => (
  <dl class="figures">
    {rows.map(([name, value, live]) => (
      <div>
        <dt>{name}</dt>
        <dd data-live={live}>{value}</dd>
      </div>
    ))}
  </dl>
);

/** What is said where a list has nothing. */
export const Empty = ({ children }: { children: ComponentChildren }): VNode => <p class="empty">{children}</p>;

/** The head of a page: its one h1, and a line on what it is. */
export const Title = ({ children, lead }: { children: ComponentChildren; lead?: ComponentChildren }): VNode => (
  <header class="title">
    <h1 dir="auto">{children}</h1>
    {lead ? <p class="lead">{lead}</p> : null}
  </header>
);

/** What alone a list shows, and the way to all of it. */
export const Narrowed = ({ to, all }: { to: ComponentChildren; all: string }): VNode => (
  <p class="by">
    Only {to}. <a href={all}>Everything</a>
  </p>
);

/** Choices of one filter, as links. */
export function Choices({
  label,
  choices,
}: {
  label: string;
  choices: readonly { readonly name: string; readonly href: string; readonly isChosen: boolean }[];
}): VNode {
  return (
    <nav class="choices" aria-label={label}>
      {choices.map(({ name, href, isChosen }) => (
        <a href={href} aria-current={isChosen ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** JSON as it reads best; long ones scroll by themselves. */
export const Json = ({ value, label }: { value: unknown; label: string }): VNode => (
  <Code label={label} text={JSON.stringify(value, null, 2)} />
);

/** A text for programs, which scrolls by itself, by keys too. */
export const Code = ({ label, text }: { label: string; text: string }): VNode => (
  // biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms
  <pre tabIndex={0} role="group" aria-label={label}>
    <code>{text}</code>
  </pre>
);

/** What is wider than the page scrolls by itself, by keys too. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }): VNode => (
  // biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms
  <div class="scroll" tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
);
