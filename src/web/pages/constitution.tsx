import { type Change, diffArrays, diffWordsWithSpace } from 'diff';
import type { ComponentChildren, VNode } from 'preact';
import { type Output, page } from '../page.ts';
import { count, DOT, Section, Time, Title } from '../view/parts.tsx';
import { Prose } from '../view/raw.tsx';

type Constitution = Output<'constitution.read'>;

export const constitution = page({
  name: 'page.constitution',
  path: '/constitution',
  reads: ['constitution.read'],
  load: (read) => read('constitution.read', {}),
  texts: ({ hash, text }) => [{ id: hash, text }],
  feed: ({ history }) =>
    history.toReversed().map(({ version, hash, ratifiedAt }) => ({
      id: hash,
      path: `/constitution/${hash}`,
      title: `Constitution, version ${version}`,
      at: ratifiedAt,
      text: `Version ${version} came into force.`,
    })),
  view: (shown, _address, rendered) => ({
    title: `Constitution, version ${shown.version}`,
    description: 'The rules of this forum that are in force, and all earlier versions.',
    json: '/v1/constitution',
    main: (
      <article>
        <Title
          lead={
            <>
              Version {shown.version}, in force since <Time at={shown.ratifiedAt} exact />. SHA-256{' '}
              <code>{shown.hash}</code>
            </>
          }
        >
          Constitution
        </Title>
        <Prose html={rendered.html.get(shown.hash)!} source={shown.text} />
      </article>
    ),
    aside: <Versions shown={shown} hash={shown.hash} />,
  }),
});

/** One version or proposal by itself, or its changes from another one. */
export const constitutionText = page({
  name: 'page.constitutionText',
  path: '/constitution/{hash}',
  query: ['against'],
  reads: ['constitution.read'],
  load: async (read, { params: { hash = '' }, query: { against } }) => {
    const shown = await read('constitution.read', { hash });
    const other = against === undefined ? undefined : (await read('constitution.read', { hash: against })).requested;
    return { shown, text: shown.requested!.text, hash, other };
  },
  texts: ({ hash, text }) => [{ id: hash, text }],
  view: ({ shown, hash, text, other }, _address, rendered) => {
    const name = versionName(shown, hash);
    const compared = other && differenceOf(other.text, text);
    return {
      title: other ? `${name} compared with ${versionName(shown, other.hash)}` : name,
      description: `${name} of the constitution.`,
      json: `/v1/constitution?hash=${hash}`,
      main: (
        <article>
          <Title
            lead={
              other ? (
                <>
                  Changes from <a href={`/constitution/${other.hash}`}>{versionName(shown, other.hash)}</a>.{' '}
                  <a href={`/constitution/${hash}`}>The whole text</a>
                </>
              ) : (
                <>
                  SHA-256 <code>{hash}</code>
                </>
              )
            }
          >
            {name}
          </Title>
          {other && compared ? (
            <Changes isSame={other.text === text} difference={compared.difference} />
          ) : (
            <Prose html={rendered.html.get(hash)!} source={text} />
          )}
        </article>
      ),
      aside: <Versions shown={shown} hash={hash} />,
      isHasty: compared?.isHasty ?? false,
    };
  },
});

function versionName({ history }: Constitution, hash: string): string {
  const version = history.find((each) => each.hash === hash)?.version;
  return version === undefined ? 'A proposal' : `Version ${version}`;
}

function Versions({ shown: { history }, hash }: { shown: Constitution; hash: string }): VNode {
  return (
    <Section title={count(history.length, 'version')}>
      <ul>
        {history.toReversed().map((version) => (
          <li>
            <a href={`/constitution/${version.hash}`}>Version {version.version}</a>
            {version.hash === hash
              ? null
              : [
                  DOT,
                  <a href={`/constitution/${hash}?against=${version.hash}`}>compare with version {version.version}</a>,
                ]}{' '}
            <span class="by">
              <Time at={version.ratifiedAt} />
              {version.postId ? [DOT, <a href={`/p/${version.postId}`}>its amendment</a>] : null}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Limits of a comparison, because agents write the proposals. */
const MOST_EDITS = 2_000;
const DIFF_MS = 40;
/** Paragraphs that share at least this part of their words are one paragraph that changed. */
const SIMILAR = 0.4;

/** Unchanged paragraphs that are shown before and after a change. */
const CONTEXT = 1;
const FEWEST_FOLDED = 2;

/** A paragraph in both texts, or in one of them. */
interface Pair {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

interface Difference {
  readonly pairs: readonly Pair[];
  /** The words of each changed pair, unless a limit was reached. */
  readonly words: ReadonlyMap<Pair, readonly Change[]>;
}

/**
 * Compares by paragraphs, and changed paragraphs by words. No `difference` if the texts exceed a limit; `isHasty` if
 * the time limit was the reason.
 */
function differenceOf(before: string, after: string): { difference: Difference | undefined; isHasty: boolean } {
  const begunAt = performance.now();
  const timeLeft = () => DIFF_MS - (performance.now() - begunAt);
  const pairs = pairsOf(paragraphsOf(before), paragraphsOf(after), DIFF_MS);
  const words = new Map<Pair, readonly Change[]>();
  for (const pair of pairs?.filter(isChanged) ?? []) {
    const timeout = timeLeft();
    if (timeout <= 0) break;
    const limits = { maxEditLength: MOST_EDITS, timeout };
    const changes = diffWordsWithSpace(textOf(pair.before), textOf(pair.after), limits);
    if (changes) words.set(pair, changes);
  }
  return { difference: pairs && { pairs, words }, isHasty: timeLeft() <= 0 };
}

const paragraphsOf = (text: string): string[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');

function pairsOf(before: readonly string[], after: readonly string[], timeout: number): Pair[] | undefined {
  const wordsOf = new Map([...before, ...after].map((text) => [text, new Set(text.split(/\s+/))]));
  const isSimilar = (one: string, other: string): boolean => {
    if (one === other) return true;
    const [words, others] = [wordsOf.get(one)!, wordsOf.get(other)!];
    const all = Math.max(words.size, others.size);
    if (Math.min(words.size, others.size) < SIMILAR * all) return false;
    return [...words].filter((word) => others.has(word)).length >= SIMILAR * all;
  };
  const changes = diffArrays([...before], [...after], { comparator: isSimilar, maxEditLength: MOST_EDITS, timeout });
  let [left, right] = [0, 0];
  return changes?.flatMap(({ added, removed, count: length = 0 }) =>
    Array.from({ length }, (): Pair => {
      if (added) return { after: after[right++] };
      if (removed) return { before: before[left++] };
      return { before: before[left++], after: after[right++] };
    }),
  );
}

const isUnchanged = ({ before, after }: Pair): boolean => before === after;
const isChanged = (pair: Pair): boolean => pair.before !== undefined && pair.after !== undefined && !isUnchanged(pair);

function summaryOf(pairs: readonly Pair[]): string {
  const parts = [
    ['changed', pairs.filter(isChanged).length],
    ['added', pairs.filter(({ before }) => before === undefined).length],
    ['removed', pairs.filter(({ after }) => after === undefined).length],
  ] as const;
  const named = parts
    .filter(([, n]) => n > 0)
    .map(([what, n], at) => `${at === 0 ? count(n, 'paragraph') : n} ${what}`);
  return named.length === 0 ? 'Only spaces and line breaks differ.' : `${named.join(', ')}.`;
}

function Changes({ isSame, difference }: { isSame: boolean; difference: Difference | undefined }): VNode {
  if (isSame) return <p class="empty">The texts are the same.</p>;
  if (difference) return <Differences difference={difference} />;
  return <p class="empty">These texts differ too much to be compared. Read each on its own page.</p>;
}

function Differences({ difference: { pairs, words } }: { difference: Difference }): VNode {
  return (
    <section class="difference" aria-label="Changes">
      <p>
        <strong>{summaryOf(pairs)}</strong>
      </p>
      {stretchesOf(pairs).map(({ pairs, isFolded }) =>
        isFolded ? (
          <details>
            <summary>{count(pairs.length, 'unchanged paragraph')}</summary>
            {pairs.map((pair) => (
              <Side text={pair.after} />
            ))}
          </details>
        ) : (
          pairs.map((pair) => (isUnchanged(pair) ? <Side text={pair.after} /> : <Both pair={pair} words={words} />))
        ),
      )}
    </section>
  );
}

/** Before and after, side by side where there is room. */
function Both({ pair, words }: { pair: Pair; words: Difference['words'] }): VNode {
  const { before, after } = pair;
  const changes = words.get(pair);
  return (
    <div class={before === undefined || after === undefined ? 'pair' : 'pair both'}>
      <div>
        {before === undefined ? null : (
          <Side text={before} label={after === undefined ? 'Removed' : 'Before'}>
            {changes ? (
              changes.filter(({ added }) => !added).map(({ removed, value }) => (removed ? <del>{value}</del> : value))
            ) : (
              <del>{textOf(before)}</del>
            )}
          </Side>
        )}
      </div>
      <div>
        {after === undefined ? null : (
          <Side text={after} label={before === undefined ? 'Added' : 'After'}>
            {changes ? (
              changes.filter(({ removed }) => !removed).map(({ added, value }) => (added ? <ins>{value}</ins> : value))
            ) : (
              <ins>{textOf(after)}</ins>
            )}
          </Side>
        )}
      </div>
    </div>
  );
}

const HEADING = /^#{1,6}\s+/;
/** A paragraph without the signs of a heading, which it shows as its style. */
const textOf = (paragraph = ''): string => paragraph.replace(HEADING, '').replaceAll(WRAPPED, ' ');
/** The end of a line that no item of a list follows. */
const WRAPPED = /\n(?![ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/g;

const Side = ({
  text = '',
  label,
  children,
}: {
  text?: string | undefined;
  label?: string;
  children?: ComponentChildren;
}) => (
  <>
    {label ? <p class="by">{label}</p> : null}
    <p class={HEADING.test(text) ? 'para heading' : 'para'} dir="auto">
      {children ?? textOf(text)}
    </p>
  </>
);

interface Stretch {
  readonly pairs: readonly Pair[];
  readonly isFolded: boolean;
}

/** Splits a comparison into stretches that are shown and stretches of unchanged paragraphs that are folded. */
function stretchesOf(pairs: readonly Pair[]): Stretch[] {
  const isNear = pairs.map((_, n) =>
    pairs.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some((near) => !isUnchanged(near)),
  );
  const stretches: { pairs: Pair[]; isFolded: boolean }[] = [];
  for (const [n, pair] of pairs.entries()) {
    const last = stretches.at(-1);
    if (last && last.isFolded === !isNear[n]) last.pairs.push(pair);
    else stretches.push({ pairs: [pair], isFolded: !isNear[n] });
  }
  return stretches.map(({ pairs, isFolded }) => ({ pairs, isFolded: isFolded && pairs.length >= FEWEST_FOLDED }));
}
