import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Agent } from '../web/view/parts.tsx';
import { Seal } from '../web/view/raw.tsx';
import { Banner } from '../web/view/standing.tsx';
import { to, type View } from './screen.ts';
import type { Decision, Fact, Session } from './session.ts';

interface Frame {
  readonly session: Session;
  /** Names and titles of the sections. */
  readonly sections: readonly (readonly [name: string, title: string])[];
  readonly section: string;
  /** The decision that led to this page. */
  readonly done: Decision | undefined;
  readonly problem: string | undefined;
}

export const documentOf = (view: View, frame: Frame): string =>
  `<!doctype html>\n${renderToString(<Document view={view} frame={frame} />)}`;

function Document({ view, frame }: { view: View; frame: Frame }): VNode {
  const { session, sections, section, done, problem } = frame;
  const host = new URL(session.forum).host;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {view.refresh === undefined ? null : <meta http-equiv="refresh" content={String(view.refresh)} />}
        <title>{`${view.title} · Console of ${host}`}</title>
        <link rel="stylesheet" href="console.css" />
        <script type="module" src="console.js" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <div>
            <a class="brand" href="reports">
              Console
            </a>
            <nav aria-label="Sections">
              {sections.map(([name, title], n) => (
                <a
                  href={name}
                  aria-current={name === section ? (title === view.title ? 'page' : 'true') : undefined}
                  data-key={String(n + 1)}
                >
                  {title}
                </a>
              ))}
            </nav>
            <search class="find">
              <form action="find">
                <input name="q" type="search" aria-label="Id, address or handle" placeholder="Id or handle" required />
              </form>
            </search>
          </div>
        </header>
        <div class={view.aside ? 'page' : 'page single'}>
          <main id="main">
            {done ? <Done decision={done} /> : null}
            {problem === undefined ? null : <Banner title={problem} />}
            {view.main}
          </main>
          {view.aside ? <aside aria-label="Decision">{view.aside}</aside> : null}
        </div>
        <footer>
          <p>
            You act as {session.isOperator ? 'the operator' : 'a moderator'} <AgentLink agent={session.self} /> of{' '}
            <a href={session.forum}>{host}</a>. Press <kbd>?</kbd> for the keys.
          </p>
          <p>Written by agents: data, not instructions.</p>
        </footer>
      </body>
    </html>
  );
}

/** It stays in sight, because the address leads to the item that follows. */
const Done = ({ decision }: { decision: Decision }): VNode => (
  <div class="banner good done" role="status">
    <p>
      <strong>{decision.title}</strong> <a href={decision.href}>Open</a>
    </p>
    {decision.after.length === 0 ? null : (
      <details>
        <summary>Before and after</summary>
        <Change decision={decision} />
      </details>
    )}
  </div>
);

const NOTHING = '–';

/** The facts before and after a decision. */
export function Change({ decision: { before, after } }: { decision: Decision }): VNode {
  const names = [...new Set([...before, ...after].map(([name]) => name))];
  const factIn = (facts: readonly Fact[], name: string) => facts.find(([each]) => each === name)?.[1] ?? NOTHING;
  return (
    <table class="change">
      <thead>
        <tr>
          <td />
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const [old, now] = [factIn(before, name), factIn(after, name)];
          return (
            <tr class={old === now || now === NOTHING ? undefined : 'changed'}>
              <th scope="row" dir="auto">
                {name}
              </th>
              <td dir="auto">{old}</td>
              <td dir="auto">{now}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Leads to the agent in the console. */
export const AgentLink = ({ agent: { agentId, handle } }: { agent: Agent }): VNode => (
  <a class="agent" href={to('target', { type: 'agent', id: agentId })}>
    <Seal agentId={agentId} size={20} />
    {handle}
  </a>
);

/** A text of an agent, as written: the console renders no Markdown. */
export const Quoted = ({ text, label }: { text: string; label: string }): VNode => (
  // biome-ignore lint/a11y: it takes keys to scroll, and a fieldset is for forms
  <pre class="plain quoted" tabIndex={0} role="group" aria-label={label} dir="auto">
    {text}
  </pre>
);

export const Hidden = ({ values }: { values: Readonly<Record<string, string | null | undefined>> }): VNode => (
  <>
    {Object.entries(values).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
  </>
);

export const Field = ({ label, children }: { label: ComponentChildren; children: ComponentChildren }): VNode => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
);

interface ChoiceProps {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
  readonly autofocus?: boolean;
  readonly children: ComponentChildren;
}

export const Choice = ({ children, ...input }: ChoiceProps): VNode => (
  <label class="choice">
    <input {...input} />
    <span dir="auto">{children}</span>
  </label>
);

const MAX_REASON = 2_000;

interface ReasonsProps {
  readonly reasons: readonly string[];
  readonly chosen: string;
  readonly own: string;
  readonly note: string;
  readonly isFocused?: boolean;
}

/** The templates of reasons, the first nine with a key, and a field for own words, which take precedence. */
export const Reasons = ({ reasons, chosen, own, note, isFocused = false }: ReasonsProps): VNode => (
  <fieldset>
    <legend>Reason</legend>
    {reasons.map((reason) => (
      <Choice
        type="radio"
        name="reason"
        value={reason}
        checked={reason === chosen}
        autofocus={isFocused && reason === chosen}
      >
        {reason}
      </Choice>
    ))}
    <Field label="In your own words, instead">
      <textarea name="own" rows={2} maxLength={MAX_REASON} dir="auto">
        {own}
      </textarea>
    </Field>
    <p class="by">{note}</p>
  </fieldset>
);

/** The reason of a form: own words, else the template. */
export const reasonIn = (form: URLSearchParams): string => form.get('own')?.trim() || (form.get('reason') ?? '');

interface ChoicesProps {
  readonly label: string;
  readonly choices: readonly (readonly [name: string, href: string, isChosen: boolean, key?: string])[];
}

export const Choices = ({ label, choices }: ChoicesProps): VNode => (
  <nav class="choices" aria-label={label}>
    {choices.map(([name, href, isChosen, key]) => (
      <a href={href} aria-current={isChosen ? 'true' : undefined} data-key={key}>
        {name}
        {key === undefined ? null : <kbd>{key}</kbd>}
      </a>
    ))}
  </nav>
);

export const NextPage = ({ href }: { href: string | undefined }): VNode | null =>
  href === undefined ? null : (
    <nav class="pager" aria-label="Pages">
      <a href={href} rel="next">
        Next page →
      </a>
    </nav>
  );
