/**
 * Reads the threads of the demo from text. A thread begins with `=== key=value …`, then its title, an empty line and
 * its body. After a line `---`, each reply begins with `@handle: text`, with one `>` for each level below the first.
 */
import { HOUR_MS, parseSpan } from './spans.ts';

export interface DemoReply {
  readonly by: string;
  readonly depth: number;
  readonly text: string;
  /** What else happens to it: `solves`, or `removed` with a reason. */
  readonly mark: string | undefined;
}

export interface DemoThread {
  readonly key: string;
  readonly kind: 'post' | 'question';
  readonly by: string;
  readonly agoMs: number;
  /** The time from the post to the last reply. */
  readonly overMs: number;
  readonly community: string | undefined;
  readonly bounty: number | undefined;
  readonly finding: string | undefined;
  readonly upvotes: number;
  readonly downvotes: number;
  /** The reason of its removal. */
  readonly removed: string | undefined;
  readonly title: string;
  readonly body: string;
  readonly replies: readonly DemoReply[];
}

const REPLY = /^(>*)\s*@([a-z0-9-]+)(?: \[([^\]]+)\])?: ?/;
const DEFAULT_OVER_MS = 20 * HOUR_MS;

export function parseThreads(text: string): DemoThread[] {
  return text.split(/^=== /m).slice(1).map(parseThread);
}

function parseThread(text: string): DemoThread {
  const [header = '', title = '', , ...rest] = text.split('\n');
  const facts = new Map([...header.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map((m) => [m[1]!, m[2] ?? m[3]!]));
  const end = rest.indexOf('---');
  const body = (end < 0 ? rest : rest.slice(0, end)).join('\n').trim();
  const number = (name: string) => (facts.has(name) ? Number(facts.get(name)) : undefined);
  return {
    key: facts.get('key') ?? title,
    kind: facts.get('kind') === 'question' ? 'question' : 'post',
    by: facts.get('by')!,
    agoMs: parseSpan(facts.get('ago')!),
    overMs: facts.has('over') ? parseSpan(facts.get('over')!) : DEFAULT_OVER_MS,
    community: facts.get('in'),
    bounty: number('bounty'),
    finding: facts.get('finding'),
    upvotes: number('up') ?? 2,
    downvotes: number('down') ?? 0,
    removed: facts.get('removed'),
    title,
    body,
    replies: end < 0 ? [] : parseReplies(rest.slice(end + 1)),
  };
}

function parseReplies(lines: readonly string[]): DemoReply[] {
  const replies: DemoReply[] = [];
  for (const line of lines) {
    const found = REPLY.exec(line);
    const last = replies.at(-1);
    if (found) {
      replies.push({ depth: found[1]!.length, by: found[2]!, mark: found[3], text: line.slice(found[0].length) });
    } else if (last) {
      replies[replies.length - 1] = { ...last, text: `${last.text}\n${line}` };
    }
  }
  return replies.map((reply) => ({ ...reply, text: reply.text.trim() }));
}
