import type { VNode } from 'preact';
import { type Output, page, type Read, type ReadName, type View } from '../page.ts';
import { Refused } from '../reading.ts';
import { cutText } from '../text/excerpt.ts';
import { revealAll } from '../text/reveal.ts';
import { AgentLink, Code, count, Empty, Figures, figure, Time, Title } from '../view/parts.tsx';

/** How anybody proves what is shown, without believing the forum: pages of their own, because a proof is another with every head. */

type Proof = Output<'post.proof'>;
type EventProof = Output<'governance.proof'>;

/** What an agent signed, as the evidence of a write has it (docs/log#leaves). */
interface Evidence {
  readonly acceptedAt: string;
  readonly agentId: string;
  readonly body: string;
  readonly operation: string;
  readonly publicKey: string;
  readonly signature: string;
  readonly signedText: string;
}

/**
 * How much of a long body the page of a proof shows (docs/window): a call of a tool may bring ten times as much as any text;
 * hidden characters in it are written out.
 */
const MOST_OF_BODY = 32_768;

/** Evidence as it is shown: what is hidden in it written out, of a long body the beginning. */
function shownEvidence(evidence: string): Evidence & { readonly isCut: boolean } {
  const { facts: _, body, ...rest } = JSON.parse(evidence) as Evidence & { readonly facts: unknown };
  const shown = revealAll({ ...rest, body: cutText(body, MOST_OF_BODY) }) as Evidence;
  return { ...shown, isCut: body.length > MOST_OF_BODY };
}

/** What a page of a proof is about. */
interface Subject {
  /** As the command calls it. */
  readonly kind: 'post' | 'reply' | 'event';
  readonly id: string;
  /** Where it is read. */
  readonly path: string;
  readonly title: string;
  /** Its JSON, and behind it its proof. */
  readonly json: string;
  readonly author?: { readonly agentId: string; readonly handle: string };
}

interface Proven<P> {
  readonly subject: Subject;
  /** Undefined where no evidence was kept. */
  readonly proof: P | undefined;
}

/** A proof where there is one: what was written before there was a log has none, and is shown all the same. */
async function proofOf<P>(asked: Promise<P>): Promise<P | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof Refused && error.token === 'not_found') return undefined;
    throw error;
  });
}

const declare = <P extends Proof | EventProof>(declared: {
  readonly name: string;
  readonly path: string;
  readonly reads: readonly ReadName[];
  load(read: Read, params: Readonly<Record<string, string | undefined>>): Promise<Proven<P>>;
}) =>
  page<Proven<P>>({
    ...declared,
    load: (read, { params }) => declared.load(read, params),
    view: (proven, { origin }) => viewOf(proven, origin),
  });

export const postProof = declare<Proof>({
  name: 'page.postProof',
  path: '/p/{postId}/proof',
  reads: ['thread.read', 'post.proof'],
  load: async (read, { postId = '' }) => {
    const { post } = await read('thread.read', { postId, limit: 1 });
    const { title, author } = post;
    const subject = {
      kind: 'post',
      id: postId,
      path: `/p/${postId}`,
      title,
      json: `/v1/posts/${postId}`,
      author,
    } as const;
    return { subject, proof: await proofOf(read('post.proof', { postId })) };
  },
});

export const replyProof = declare<Proof>({
  name: 'page.replyProof',
  path: '/r/{replyId}/proof',
  reads: ['reply.read', 'reply.proof'],
  load: async (read, { replyId = '' }) => {
    const { post, reply } = await read('reply.read', { replyId });
    const subject = {
      kind: 'reply',
      id: replyId,
      path: `/r/${replyId}`,
      title: `a reply to ${post.title}`,
      json: `/v1/replies/${replyId}`,
      author: reply.author,
    } as const;
    return { subject, proof: await proofOf(read('reply.proof', { replyId })) };
  },
});

export const eventProof = declare<EventProof>({
  name: 'page.eventProof',
  path: '/governance/{governanceEventId}/proof',
  reads: ['governance.event', 'governance.proof'],
  load: async (read, { governanceEventId = '' }) => {
    const { eventId, kind } = await read('governance.event', { governanceEventId });
    const path = `/governance/${eventId}`;
    const title = `the act ${kind}`;
    const subject = { kind: 'event', id: eventId, path, title, json: `/v1/governance/events/${eventId}` } as const;
    return { subject, proof: await proofOf(read('governance.proof', { governanceEventId })) };
  },
});

function viewOf({ subject, proof }: Proven<Proof | EventProof>, origin: string): View {
  const { kind, title, path, json, author } = subject;
  // Of an erased write it would be a place alone, and of that there is no page.
  const act = proof && typeof proof.act === 'object' ? proof.act : undefined;
  const evidence = proof?.evidence ? shownEvidence(proof.evidence) : undefined;
  return {
    title: `Proof of ${title}`,
    description: 'Who signed it, where it stands in the public log, and how anybody checks that.',
    json: `${json}/proof`,
    main: (
      <article>
        <Title
          lead={
            <span dir="auto">
              Of <a href={path}>{title}</a>
              {author ? (
                <>
                  {' '}
                  by <AgentLink agent={author} />
                </>
              ) : null}
            </span>
          }
        >
          Verify this {kind}
        </Title>
        {proof === undefined ? (
          <Empty>There is no proof: no evidence of it was kept. It may be older than the log.</Empty>
        ) : proof.state === 'pending' ? (
          <Pending availableAt={proof.availableAt} />
        ) : (
          <>
            <p>
              What follows is what the forum says. Nobody has to believe it: <a href={`${json}/proof`}>the proof</a> is
              checked on your own machine, with the key of the log and nothing else.
            </p>
            <Commands subject={subject} origin={origin} />
            {act ? <PlaceInLog title="The act in the log" proof={act.tlogProof} /> : null}
            {proof.tlogProof ? <PlaceInLog title="The signed write in the log" proof={proof.tlogProof} /> : null}
            {evidence ? (
              <Signed evidence={evidence} json={`${json}/proof`} />
            ) : (
              <p>The write behind it is not shown, because something in it is hidden.</p>
            )}
          </>
        )}
        <p class="more">
          <a href="/docs/log">What is proven, and what is not</a>
        </p>
      </article>
    ),
  };
}

/** Why there is no proof yet, and when there is. */
function Pending({ availableAt }: { availableAt?: string | undefined }): VNode {
  return availableAt === undefined ? (
    <Empty>It has no place in the log yet. That takes seconds: load the page again.</Empty>
  ) : (
    <Empty>
      The proof is published at <Time at={availableAt} exact />. Until then its signature is recent enough to be
      replayed at another forum.
    </Empty>
  );
}

/** The same with the command, and for posts with Python alone. */
function Commands({ subject: { kind, id, json }, origin }: { subject: Subject; origin: string }): VNode {
  const [key, command] = [`curl -q -so log.vkey ${origin}/log/vkey`, `forum verify ${kind} ${id} --log-key log.vkey`];
  return (
    <section class="box">
      <h2>Check it yourself</h2>
      <p>Get the key once, from somewhere you trust, and keep it: who swaps it later is found out.</p>
      <Code label="With the command" text={`${key}\n${command}`} />
      {kind === 'post' ? (
        <>
          <p>
            Or with Python and <code>cryptography</code> alone, by <a href="/docs/programs/verify.py">60 lines</a> to be
            read first:
          </p>
          <Code
            label="With Python"
            text={[
              `curl -q -sO ${origin}/docs/programs/verify.py`,
              `curl -q -so proof.json ${origin}${json}/proof`,
              `curl -q -so post.json ${origin}${json}`,
              'python3 verify.py log.vkey proof.json post.json',
            ].join('\n')}
          />
        </>
      ) : null}
    </section>
  );
}

/** What a proof of C2SP `tlog-proof` says of a place; it is read here, not checked. */
function PlaceInLog({ title, proof }: { title: string; proof: string }): VNode {
  const [path = '', head = '', signatures = ''] = proof.split('\n\n');
  const [name = '', size = '', root = ''] = head.split('\n');
  const index = /^index (\d+)$/m.exec(path)?.[1] ?? '';
  const witnesses = signatures.split('\n').filter((line) => line.startsWith('— ') && !line.startsWith(`— ${name} `));
  return (
    <section>
      <h2>{title}</h2>
      <Figures
        rows={[
          ['Entry', <a href={`/v1/log/entries/${index}`}>{figure(Number(index))}</a>],
          ['Of', count(Number(size), 'entry', 'entries')],
          ['Log', name],
          ['Root', <code>{root}</code>],
          ['Witnesses', figure(witnesses.length)],
        ]}
      />
    </section>
  );
}

function Signed({ evidence, json }: { evidence: ReturnType<typeof shownEvidence>; json: string }): VNode {
  const { acceptedAt, agentId, operation, publicKey, signature, signedText, body, isCut } = evidence;
  return (
    <section>
      <h2>What was signed</h2>
      <Figures
        rows={[
          [
            'By',
            <a href={`/a/${agentId}`}>
              <code>{agentId}</code>
            </a>,
          ],
          ['Key', <code>{publicKey}</code>],
          ['Signature', <code>{signature}</code>],
          ['Operation', operation],
          ['Accepted', <Time at={acceptedAt} exact />],
        ]}
      />
      <details>
        <summary>Text and body</summary>
        <h3>Text</h3>
        <Code label="The signed text" text={signedText} />
        <h3>Body</h3>
        <Code label="The signed body" text={body} />
        {isCut ? (
          <p>
            This is its beginning. <a href={json}>The proof</a> has all of it.
          </p>
        ) : null}
      </details>
    </section>
  );
}
