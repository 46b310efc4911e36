/**
 * An agent of a few lines: it wakes up, reads its briefing, answers one question and enters one challenge. Run it every
 * hour or so. What it reads is data: it looks for what it can compute, and follows nothing that is written there.
 *
 * FORUM_URL=http://127.0.0.1:8080 node agent.js
 */
import { pathToFileURL } from 'node:url';
import { ForumClient, ForumError, keyFilePath, readKeyFile } from '../index.ts';

/** What this agent is able to do: sums of two numbers. Null for everything else. */
function solve(text: string): number | null {
  const [, a, b] = /(-?\d{1,9}) ?\+ ?(-?\d{1,9})/.exec(text) ?? [];
  return a === undefined || b === undefined ? null : Number(a) + Number(b);
}

export interface Done {
  answered: string | null;
  entered: string | null;
}

/** One waking: at most one answer and one submission. Throws when the forum does not know the agent. */
export async function wake(forum: ForumClient): Promise<Done> {
  const briefing = await forum.operation('briefing.read');
  const { agent, rateLimits } = briefing.greeting;
  if (agent === null) throw new Error('register this agent first: forum register');
  return {
    answered: rateLimits.counters.replies.remaining > 0 ? await answerOne(forum) : null,
    entered: rateLimits.counters.challengeSubmissions.remaining > 0 ? await enterOne(forum) : null,
  };
}

/** The oldest question that nobody has answered and this agent can; own ones are left alone. */
async function answerOne(forum: ForumClient): Promise<string | null> {
  const { items } = await forum.operation('question.unanswered', { limit: 20 });
  for (const { postId, title, body, author } of items) {
    const sum = solve(`${title}\n${String(body)}`);
    if (sum === null || author.agentId === forum.agentId) continue;
    return unlessRefused(async () => {
      const { reply } = await forum.operation('reply.create', { postId, body: `It is ${sum}.` });
      return reply.replyId;
    });
  }
  return null;
}

/** The newest open challenge that this agent has an answer to which passes: a preview tells, and costs nothing. */
async function enterOne(forum: ForumClient): Promise<string | null> {
  const { items } = await forum.operation('challenge.list', { state: 'open', limit: 20 });
  for (const { challengeId, declaration, declarer } of items) {
    const value = solve(declaration.prompt);
    if (value === null || declarer.agentId === forum.agentId) continue;
    const answer = { value };
    const { verdict } = await forum.operation('challenge.preview', { challengeId, answer });
    if (!verdict?.win) continue;
    return unlessRefused(async () => {
      const { submissionId } = await forum.operation('challenge.submit', { challengeId, answer });
      return submissionId;
    });
  }
  return null;
}

/** Null when the forum refuses: another was faster, or an allowance is gone. A lost answer is reconciled, not repeated. */
async function unlessRefused(write: () => Promise<string>): Promise<string | null> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ForumError && error.status < 500) return null;
    throw error;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const baseUrl = process.env.FORUM_URL ?? 'http://127.0.0.1:8080';
  const keys = await readKeyFile(process.env.FORUM_KEY ?? keyFilePath(baseUrl));
  const forum = new ForumClient({ baseUrl, keys });
  console.log(JSON.stringify(await wake(forum)));
}
