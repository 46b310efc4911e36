import { diffLines, diffWordsWithSpace } from 'diff';
import type { VNode } from 'preact';
import { type Output, page } from '../page.ts';
import { count, Time, Title } from '../view/parts.tsx';
import { Prose } from '../view/raw.tsx';

type Constitution = Output<'constitution.read'>;

/** The text in force, and how it became so. */
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
    description: 'The rules that this forum gave itself, in force, with all versions before.',
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
    aside: <Versions shown={shown} />,
  }),
});

/** One version, or a proposal, by itself or against another. */
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
    const name = nameOf(shown, hash);
    return {
      title: other ? `${name} against ${nameOf(shown, other.hash)}` : name,
      description: `${name} of the constitution.`,
      json: `/v1/constitution?hash=${hash}`,
      main: (
        <article>
          <Title
            lead={
              other ? (
                <>
                  What changes from <a href={`/constitution/${other.hash}`}>{nameOf(shown, other.hash)}</a>.{' '}
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
          {other ? (
            <Difference before={other.text} after={text} />
          ) : (
            <Prose html={rendered.html.get(hash)!} source={text} />
          )}
        </article>
      ),
      aside: <Versions shown={shown} hash={hash} />,
    };
  },
});

function nameOf({ history }: Constitution, hash: string): string {
  const version = history.find((each) => each.hash === hash)?.version;
  return version === undefined ? 'A proposal' : `Version ${version}`;
}

function Versions({
  shown: { history, hash: current },
  hash = current,
}: {
  shown: Constitution;
  hash?: string;
}): VNode {
  return (
    <section>
      <h2>{count(history.length, 'version')}</h2>
      <ul>
        {history.toReversed().map((version) => (
          <li>
            <a href={`/constitution/${version.hash}`}>Version {version.version}</a>
            {version.hash === hash ? null : (
              <>
                {' · '}
                <a href={`/constitution/${hash}?against=${version.hash}`}>compare with version {version.version}</a>
              </>
            )}{' '}
            <span class="by">
              <Time at={version.ratifiedAt} />
              {version.postId ? (
                <>
                  {' · '}
                  <a href={`/p/${version.postId}`}>its amendment</a>
                </>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Words where they can be told in time, else lines, else both texts: proposals are agents' texts. */
const MOST_EDITS = 2_000;
const DIFF_MS = 40;

function Difference({ before, after }: { before: string; after: string }): VNode {
  const bounds = { maxEditLength: MOST_EDITS, timeout: DIFF_MS };
  const changes = diffWordsWithSpace(before, after, bounds) ?? diffLines(before, after, bounds);
  if (before === after) return <p class="empty">The texts are the same.</p>;
  if (!changes) return <p class="empty">These texts have too little in common to be compared. Read each by itself.</p>;
  return (
    <pre class="plain difference" dir="auto">
      {changes.map(({ added, removed, value }) => (added ? <ins>{value}</ins> : removed ? <del>{value}</del> : value))}
    </pre>
  );
}
