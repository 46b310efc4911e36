import assert from 'node:assert/strict';
import type pg from 'pg';
import { verify } from '../../../src/ops/verify.ts';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { inRelease } from '../../../src/platform/postgres/release.ts';
import { POINTERS } from '../../../src/recording/events.ts';

/** The notifications that should exist, computed from the other tables. */
const EXPECTED = `
  SELECT 'reply' AS type, r.reply_id AS subject, coalesce(parent.author_id, p.author_id) AS agent_id
  FROM replies r JOIN posts p USING (post_id) LEFT JOIN replies parent ON parent.reply_id = r.parent_reply_id
  WHERE coalesce(parent.author_id, p.author_id) <> r.author_id
  UNION ALL
  SELECT 'solving', r.reply_id, r.author_id FROM questions q JOIN replies r ON r.reply_id = q.solving_reply_id
  UNION ALL
  SELECT DISTINCT 'karma', k.seq::text, account FROM karma_rows k, unnest(ARRAY[k.from_account, k.to_account]) AS account
  WHERE k.type NOT LIKE 'vote%' AND account NOT IN ('mint', 'pool')
  UNION ALL
  SELECT 'challenge_submission', c.challenge_id, c.declarer_id FROM challenge_submissions s JOIN challenges c USING (challenge_id)
  UNION ALL
  SELECT 'challenge_scored', c.challenge_id, c.declarer_id FROM challenge_states s JOIN challenges c USING (challenge_id)
  WHERE s.settled_by IS NOT NULL
  UNION ALL
  SELECT 'feedback_review', f.feedback_id, f.author_id FROM feedback_reviews r JOIN feedback f USING (feedback_id)
  UNION ALL
  SELECT 'moderation', e.event_id, coalesce(p.author_id, e.target_id) FROM governance_events e
  LEFT JOIN posts p ON e.target_type = 'post' AND p.post_id = e.target_id
  WHERE e.kind IN ('remove_content', 'restore_content', 'suspend_agent', 'reinstate_agent')`;
/** The notifications that exist, of the types that this release knows. Those of a thread depend on when it was read. */
const STANDING = `
  SELECT type, subject, agent_id FROM inbox_entries
  WHERE type = ANY ('{${POINTERS.map(({ type }) => type).join(', ')}}') AND type <> 'thread'`;

/** Statements that select differences between stored counts and rows. */
const COUNTS: Readonly<Record<string, string>> = {
  'replies of a post': `SELECT s.post_id FROM post_states s
    WHERE s.reply_count <> (SELECT count(*) FROM replies r WHERE r.post_id = s.post_id)`,
  'answers to a question': `SELECT q.post_id FROM questions q JOIN posts p USING (post_id)
    WHERE q.answer_count <> (SELECT count(*) FROM replies r WHERE r.post_id = q.post_id AND r.author_id <> p.author_id)`,
  'solvers of questions': `SELECT q.post_id FROM questions q LEFT JOIN replies r ON r.reply_id = q.solving_reply_id
    WHERE q.solver_id IS DISTINCT FROM r.author_id`,
  'votes on a post': `SELECT s.post_id FROM post_states s
    WHERE (s.upvotes, s.downvotes) <> (
      SELECT count(*) FILTER (WHERE value = 1)::integer, count(*) FILTER (WHERE value = -1)::integer
      FROM votes v WHERE v.target_id = s.post_id)`,
  'votes on a reply': `SELECT s.reply_id FROM reply_states s
    WHERE (s.upvotes, s.downvotes) <> (
      SELECT count(*) FILTER (WHERE value = 1)::integer, count(*) FILTER (WHERE value = -1)::integer
      FROM votes v WHERE v.target_id = s.reply_id)`,
  'ballots on an amendment': `SELECT a.post_id FROM amendments a
    WHERE (a.votes_for, a.votes_against) <> (
      SELECT count(*) FILTER (WHERE in_favour)::integer, count(*) FILTER (WHERE NOT in_favour)::integer
      FROM amendment_votes v WHERE v.post_id = a.post_id)`,
  'posts of an author': `SELECT p.author_id, coalesce(p.community_slug, ''), count(*)::integer, count(f.post_id)::integer
    FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed LEFT JOIN findings f ON f.post_id = p.post_id
    WHERE NOT p.hidden GROUP BY 1, 2
    EXCEPT SELECT author_id, community_slug, posts, findings FROM author_counts`,
  'posts of an author in all communities': `SELECT author_id, sum(posts), sum(findings) FROM author_counts
    WHERE community_slug <> '' GROUP BY 1
    EXCEPT SELECT author_id, community_posts, community_findings FROM author_counts WHERE community_slug = ''`,
  'agents that can be found': `SELECT registration_ordinal FROM agents
    EXCEPT ALL SELECT registration_ordinal FROM search_agents`,
  'notifications of one text': `SELECT agent_id, subject FROM inbox_entries WHERE type IN ('reply', 'mention', 'thread')
    GROUP BY agent_id, subject HAVING count(*) > 1`,
  'unread notifications of one thread': `SELECT e.agent_id, r.post_id FROM inbox_entries e JOIN inbox_heads h USING (agent_id)
    JOIN replies r ON r.reply_id = e.subject WHERE e.type = 'thread' AND e.number > h.read_through AND NOT e.read_singly
    GROUP BY e.agent_id, r.post_id HAVING count(*) > 1`,
  'agents that were replied to': `
    (SELECT r.author_id, coalesce(parent.author_id, p.author_id) FROM replies r JOIN posts p USING (post_id)
     LEFT JOIN replies parent ON parent.reply_id = r.parent_reply_id
     WHERE coalesce(parent.author_id, p.author_id) <> r.author_id EXCEPT SELECT agent_id, author_id FROM replied_to)
    UNION ALL
    (SELECT agent_id, author_id FROM replied_to EXCEPT
     SELECT r.author_id, coalesce(parent.author_id, p.author_id) FROM replies r JOIN posts p USING (post_id)
     LEFT JOIN replies parent ON parent.reply_id = r.parent_reply_id)`,
  'pointers to moderation': `SELECT subject FROM inbox_entries WHERE type = 'moderation'
    GROUP BY subject HAVING count(*) > 1`,
  'notifications of an inbox': `SELECT h.agent_id FROM inbox_heads h
    WHERE h.last_number <> (SELECT count(*) FROM inbox_entries e WHERE e.agent_id = h.agent_id)
       OR h.last_number <> (SELECT max(number) FROM inbox_entries e WHERE e.agent_id = h.agent_id)`,
};

/** Fails if something was lost or stored twice, whichever release wrote it. */
export async function assertHistory(pool: pg.Pool, databaseUrl: string): Promise<void> {
  const rows = async (text: string) => (await pool.query(inRelease(text))).rows;
  assert.deepEqual(await rows(`(${EXPECTED}) EXCEPT ALL (${STANDING})`), [], 'missing notifications');
  assert.deepEqual(await rows(`(${STANDING}) EXCEPT ALL (${EXPECTED})`), [], 'notifications too many');
  for (const [what, text] of Object.entries(COUNTS)) assert.deepEqual(await rows(text), [], what);
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum test history' });
  try {
    assert.deepEqual(await verify(db), []);
  } finally {
    await db.close();
  }
}
