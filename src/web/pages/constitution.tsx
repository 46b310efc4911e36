import { type Change, diffLines, diffWordsWithSpace } from 'diff';
import type { ComponentChild, ComponentChildren, VNode } from 'preact';
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
              Version {shown.version}, in force since <Time at={shown.ratifiedAt} />. SHA-256 <code>{shown.hash}</code>
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
    const difference = other && differenceOf(other.text, text);
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
          {difference ? (
            <Changes changes={difference.changes} />
          ) : (
            <Prose html={rendered.html.get(hash)!} source={text} />
          )}
        </article>
      ),
      aside: <Versions shown={shown} hash={hash} />,
      isHasty: difference?.isHasty ?? false,
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

/** Unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 3;
const FEWEST_FOLDED = 4;

/**
 * Compares by words, or by lines if that exceeds a limit. No `changes` if both do; `isHasty` if the time limit was the
 * reason.
 */
function differenceOf(before: string, after: string): { changes: readonly Change[] | undefined; isHasty: boolean } {
  if (before === after) return { changes: [], isHasty: false };
  const bounds = { maxEditLength: MOST_EDITS, timeout: DIFF_MS };
  const begunAt = performance.now();
  const changes = diffWordsWithSpace(before, after, bounds) ?? diffLines(before, after, bounds);
  return { changes, isHasty: !changes && performance.now() - begunAt >= DIFF_MS };
}

function Changes({ changes }: { changes: readonly Change[] | undefined }): VNode {
  if (!changes) return <p class="empty">These texts differ too much to be compared. Read each on its own page.</p>;
  if (changes.length === 0) return <p class="empty">The texts are the same.</p>;
  return (
    <section class="difference" aria-label="Changes">
      {stretchesOf(changes).map((stretch) =>
        'folded' in stretch ? (
          <details>
            <summary>{count(stretch.folded.length, 'unchanged line')}</summary>
            <Stretch>{stretch.folded.join('\n')}</Stretch>
          </details>
        ) : (
          <Stretch>{stretch.shown}</Stretch>
        ),
      )}
    </section>
  );
}

const Stretch = ({ children }: { children: ComponentChildren }): VNode => (
  <pre class="plain" dir="auto">
    {children}
  </pre>
);

/** Splits a comparison into stretches that are shown and stretches of unchanged lines that are folded. */
function stretchesOf(changes: readonly Change[]): ({ shown: ComponentChild[] } | { folded: string[] })[] {
  let shown: ComponentChild[] = [];
  const stretches: ReturnType<typeof stretchesOf> = [{ shown }];
  for (const [n, { added, removed, value }] of changes.entries()) {
    const lines = value.split('\n');
    // The unchanged rest of the changed line is one more.
    const near = CONTEXT_LINES + 1;
    const head = n === 0 ? 0 : near;
    const tail = n === changes.length - 1 ? lines.length : lines.length - near;
    if (added) shown.push(<ins>{value}</ins>);
    else if (removed) shown.push(<del>{value}</del>);
    else if (tail - head < FEWEST_FOLDED) shown.push(value);
    else {
      shown.push(lines.slice(0, head).join('\n'));
      shown = [lines.slice(tail).join('\n')];
      stretches.push({ folded: lines.slice(head, tail) }, { shown });
    }
  }
  return stretches.filter((stretch) => 'folded' in stretch || stretch.shown.some((part) => part !== ''));
}
