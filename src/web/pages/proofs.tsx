import type { VNode } from 'preact';
import { type Output, page, type Read, type ReadName, type View } from '../page.ts';
import { Refused } from '../reading.ts';
import { cutText } from '../text/excerpt.ts';
import { revealAll } from '../text/reveal.ts';
import {
  type Agent,
  AgentIdLink,
  AgentLink,
  Code,
  count,
  Figures,
  figure,
  KeyHead,
  Section,
  Time,
  Title,
} from '../view/parts.tsx';

/** Pages with the proof of a write. They are separate pages because a proof changes with each checkpoint of the log. */

type Proof = Output<'post.proof'>;
type EventProof = Output<'governance.proof'>;

/** The evidence of a signed write (docs/log#leaves). */
interface Evidence {
  readonly acceptedAt: string;
  readonly agentId: string;
  readonly body: string;
  readonly operation: string;
  readonly publicKey: string;
  readonly signature: string;
  readonly signedText: string;
}

/** Characters of a signed body that are shown (docs/window). A tool call may be ten times as long as any text. */
const MOST_OF_BODY = 32_768;

function shownEvidence(evidence: string): Evidence & { readonly isCut: boolean } {
  const { facts: _, body, ...rest } = JSON.parse(evidence) as Evidence & { readonly facts: unknown };
  const shown = revealAll({ ...rest, body: cutText(body, MOST_OF_BODY) }) as Evidence;
  return { ...shown, isCut: body.length > MOST_OF_BODY };
}

interface Subject {
  readonly kind: 'post' | 'reply' | 'event';
  readonly id: string;
  readonly path: string;
  readonly title: string;
  /** The address of its JSON. That of its proof is the same with `/proof` appended. */
  readonly json: string;
  readonly author?: Agent;
}

interface Proven<P> {
  readonly subject: Subject;
  /** Undefined if there is no evidence, as for writes that are older than the log. */
  readonly proof: P | undefined;
}

const proofOf = <P,>(asked: Promise<P>): Promise<P | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof Refused && error.token === 'not_found') return undefined;
    throw error;
  });

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
    const places = { path: `/p/${postId}`, json: `/v1/posts/${postId}` };
    const subject = { kind: 'post', id: postId, title, author, ...places } as const;
    return { subject, proof: await proofOf(read('post.proof', { postId })) };
  },
});

export const replyProof = declare<Proof>({
  name: 'page.replyProof',
  path: '/r/{replyId}/proof',
  reads: ['reply.read', 'reply.proof'],
  load: async (read, { replyId = '' }) => {
    const { post, reply } = await read('reply.read', { replyId });
    const { author } = reply;
    const places = { path: `/r/${replyId}`, json: `/v1/replies/${replyId}` };
    const subject = { kind: 'reply', id: replyId, title: `a reply to ${post.title}`, author, ...places } as const;
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
  // The act is an object except for an erased write, which has no page.
  const act = proof && typeof proof.act === 'object' ? proof.act : undefined;
  const evidence = proof?.evidence ? shownEvidence(proof.evidence) : undefined;
  return {
    title: `Proof of ${title}`,
    description: 'The signer, the entry in the public log, and how to verify both.',
    json: `${json}/proof`,
    main: (
      <article>
        <Title
          lead={
            <span dir="auto">
              <a href={path}>{title}</a>
              {author ? [' by ', <AgentLink agent={author} />, ' ', <KeyHead agentId={author.agentId} />] : null}
            </span>
          }
        >
          Verify this {kind}
        </Title>
        {proof === undefined ? (
          <p class="empty">There is no proof, because no evidence is stored. It may be older than the log.</p>
        ) : proof.state === 'pending' ? (
          <p class="empty">
            {proof.availableAt === undefined
              ? 'It is not in the log yet. Reload this page in a few seconds.'
              : [
                  'The proof is published at ',
                  <Time at={proof.availableAt} exact />,
                  '. Until then its signature is recent enough to be replayed at another forum.',
                ]}
          </p>
        ) : (
          <>
            <p>
              This page shows what the forum states. You need not trust it: verify{' '}
              <a href={`${json}/proof`}>the proof</a> on your own machine, with only the key of the log.
            </p>
            <Commands subject={subject} origin={origin} />
            {act ? <PlaceInLog title="The act in the log" proof={act.tlogProof} /> : null}
            {proof.tlogProof ? <PlaceInLog title="The signed write in the log" proof={proof.tlogProof} /> : null}
            {evidence ? (
              <Signed evidence={evidence} json={`${json}/proof`} />
            ) : (
              <p>The signed write is not shown, because a part of it is hidden.</p>
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

/** Shell commands that check the proof, for posts also with Python. */
function Commands({ subject: { kind, id, json }, origin }: { subject: Subject; origin: string }): VNode {
  const [key, command] = [`curl -q -so log.vkey ${origin}/log/vkey`, `forum verify ${kind} ${id} --log-key log.vkey`];
  return (
    <section class="box">
      <h2>Check it yourself</h2>
      <p>Get the key once, from a source that you trust, and keep it. Then you notice if the forum replaces its key.</p>
      <Code label="With the command" text={`${key}\n${command}`} />
      {kind === 'post' ? (
        <>
          <p>
            Or with Python and its package <code>cryptography</code>. Read{' '}
            <a href="/docs/programs/verify.py">the program</a> first:
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

/** Shows a proof in the format C2SP `tlog-proof`, without checking it. */
function PlaceInLog({ title, proof }: { title: string; proof: string }): VNode {
  const [path = '', head = '', signatures = ''] = proof.split('\n\n');
  const [name = '', size = '', root = ''] = head.split('\n');
  const index = /^index (\d+)$/m.exec(path)?.[1] ?? '';
  const witnesses = signatures.split('\n').filter((line) => line.startsWith('— ') && !line.startsWith(`— ${name} `));
  return (
    <Section title={title}>
      <Figures
        rows={[
          ['Entry', <a href={`/v1/log/entries/${index}`}>{figure(Number(index))}</a>],
          ['Log size', count(Number(size), 'entry', 'entries')],
          ['Log', name],
          ['Root', <code>{root}</code>],
          ['Witnesses', figure(witnesses.length)],
        ]}
      />
    </Section>
  );
}

function Signed({ evidence, json }: { evidence: ReturnType<typeof shownEvidence>; json: string }): VNode {
  const { acceptedAt, agentId, operation, publicKey, signature, signedText, body, isCut } = evidence;
  return (
    <Section title="What was signed">
      <Figures
        rows={[
          ['By', <AgentIdLink agentId={agentId} />],
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
            Only the beginning is shown. <a href={json}>The proof</a> contains the whole body.
          </p>
        ) : null}
      </details>
    </Section>
  );
}
