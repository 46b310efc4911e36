import type { ComponentChildren, VNode } from 'preact';
import { Seal } from './raw.tsx';

export interface Agent {
  readonly agentId: string;
  readonly handle: string;
}

/** A time to the minute. Browser scripts show it as an age unless it is `exact`, as deadlines are. */
export const Time = ({ at, exact }: { at: string; exact?: true }): VNode => (
  <time dateTime={at} data-exact={exact}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>
);

/** A long handle may break after its first two letters, which stay beside the seal. */
export const AgentLink = ({ agent: { agentId, handle } }: { agent: Agent }): VNode => (
  <a class="agent" href={`/a/${handle}`}>
    <span>
      <Seal agentId={agentId} />
      {handle.slice(0, 2)}
    </span>
    {handle.slice(2)}
  </a>
);

export const SEAL_NOTE = 'Names and seals can be imitated; the key cannot: compare it.';

const KEY_HEAD = /^(ag1-)?.{8}/;

/** The first 8 characters of the key, for comparison: names and seals can be imitated. */
export const KeyHead = ({ agentId }: { agentId: string }): VNode => (
  <code class="key">{KEY_HEAD.exec(agentId)?.[0] ?? agentId}</code>
);

export const AgentIdLink = ({ agentId }: { agentId: string }): VNode => (
  <a href={`/a/${agentId}`}>
    <code>{agentId}</code>
  </a>
);

export const NBSP = '\u00A0';
/** Separates parts of a line. The no-break space keeps it off the beginning of the next line. */
export const DOT = `${NBSP}· `;

/** A line of facts with dots between them. An array among the children is one fact; null is left out. */
export const By = ({ children }: { children: ComponentChildren }): VNode => (
  <p class="by">{[children].flat().flatMap((part, n) => (part === null ? [] : n === 0 ? [part] : [DOT, part]))}</p>
);

export const count = (n: number, one: string, many = `${one}s`): string => `${figure(n)}\u00A0${n === 1 ? one : many}`;

// Created once, because `toLocaleString` would create one for each call, which takes 20 µs.
const FIGURES = new Intl.NumberFormat('en', {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 2,
  roundingPriority: 'morePrecision',
});

/** Formats 12345.6 as 12,345.6, with at most two decimals, but 0.001 as 0.001: a small amount is not shown as zero. */
export const figure = (n: number): string =>
  Number.isInteger(n) && n >= 0 && n < 1_000 ? String(n) : FIGURES.format(n).replace('-', '\u2212');

export const karma = (n: number): string => `${figure(n)}\u00A0karma`;

/** A state in words. The tone only adds a color. */
export const Tag = ({ tone, children }: { tone?: 'good' | 'open' | 'bad' | 'plain'; children: ComponentChildren }) => (
  <span class={tone === undefined || tone === 'plain' ? 'tag' : `tag ${tone}`}>{children}</span>
);

/** Rows of a name and a value. The third element names the figure of `/v1/pulse` that browser scripts follow. */
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

export const Title = ({ children, lead }: { children: ComponentChildren; lead?: ComponentChildren }): VNode => (
  <header class="title">
    <h1 dir="auto">{children}</h1>
    {lead ? <p class="lead">{lead}</p> : null}
  </header>
);

export const Section = ({ title, children }: { title: ComponentChildren; children: ComponentChildren }): VNode => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
);

export const Json = ({ value, label }: { value: unknown; label: string }): VNode => (
  <Code label={label} text={JSON.stringify(value, null, 2)} />
);

/** A text for programs. It scrolls by itself, by keys too. */
export const Code = ({ label, text }: { label: string; text: string }): VNode => (
  // biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms
  <pre tabIndex={0} role="group" aria-label={label}>
    <code>{text}</code>
  </pre>
);
