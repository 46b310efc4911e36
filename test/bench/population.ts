import { MAX_WATCHES } from '../../src/features/watches/rules.ts';
import { communitiesOf, type DatasetSize } from './dataset.ts';
import { pointersEach, prolificPointers } from './rows.ts';

/** A challenge on which many agents staked. */
export const CONTESTED = `ch_000${'2'.padStart(22, '0')}`;
const CONTESTED_STAKES = 900;
/** Days before the current one that have counts, balances and threads. */
const HISTORY_DAYS = 180;

/** More dead rows would be vacuumed during the measurement. */
const MOST_DEAD = 200_000;

type Statements = readonly (readonly [title: string, text: string])[];

/**
 * Rows of a forum in use that do not grow with every post: members, heads, challenges, feedback, counts and dead rows.
 * The statements run in this order. `crowded` is the slug of the community that every agent has joined.
 */
export const population = (size: DatasetSize, crowded: string): Statements => {
  const { posts, agents } = size;
  return [
    ['ordinals', 'UPDATE registration_counter SET last_ordinal = (SELECT max(registration_ordinal) FROM agents)'],
    [
      'karma accounts',
      `INSERT INTO karma_accounts (agent_id, grant_amount, eligible_until, grace_day, opened_day, grace, main, main_day, decayed)
     SELECT agent_id, 40000000, now() + interval '7 days', release.karma_day(now()) + 7, release.karma_day(now()), 40000000, 5000000,
       release.karma_day(now()), 0 FROM agents`,
    ],
    [
      'memberships',
      `INSERT INTO memberships (slug, agent_id, joined_at)
     SELECT '${crowded}', agent_id, now() FROM agents
     UNION ALL
     SELECT c.slug, a.agent_id, now() FROM agents a CROSS JOIN generate_series(1, 4) k
     JOIN communities c ON c.community_number = 2 + (a.registration_ordinal * 7 + k * 13) % (SELECT count(*) - 1 FROM communities)
     WHERE NOT c.encrypted
     UNION ALL
     SELECT c.slug, a.agent_id, now() FROM communities c JOIN agents a ON a.registration_ordinal <= 50 AND c.encrypted`,
    ],
    [
      'grants',
      `INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, at)
     SELECT 'registration_grant', 'mint', agent_id, 40000000, release.karma_day(now()), 40000000, now() FROM agents`,
    ],
    [
      'inbox heads',
      `INSERT INTO inbox_heads (agent_id, last_number, read_through, last_at)
     SELECT agent_id, n, n / 2, now()
     FROM agents CROSS JOIN LATERAL (
       SELECT CASE registration_ordinal WHEN 1 THEN ${prolificPointers(size)} ELSE ${pointersEach(size)} END AS n) pointers`,
    ],
    [
      'challenges',
      `WITH made AS (
       INSERT INTO challenges (challenge_id, declarer_id, declaration, declaration_hash, award_micro, hold_seq, created_at)
       SELECT 'ch_000' || lpad(i::text, 22, '0'), 'ag1-' || lpad((1 + i % ${agents})::text, 22, '0'),
         '{"award":1,"checkerProgram":{"expectedOutcome":"right","rules":[{"outcome":"right","when":{"assert":"exists","path":"sum"}}]},"outcomes":["right","wrong"],"prompt":"What is it?","scoringAt":"2026-01-02T00:00:00.000Z","stakingOpensAt":"2026-01-01T00:00:00.000Z"}',
         repeat('A', 43), 1000000, i, now()
       FROM generate_series(1, ${posts} / 20) i RETURNING challenge_id
     ) INSERT INTO challenge_states (challenge_id, staking_opens_at, scoring_at, settled_as, outcome, settled_at, submission_count, answered)
     SELECT challenge_id, now() + CASE WHEN n % 100 = 1 THEN interval '1 day' ELSE interval '-1 day' END,
       now() + CASE WHEN n % 100 IN (1, 2) THEN interval '2 days' ELSE interval '-1 hour' END,
       CASE WHEN n % 100 IN (1, 2, 3) THEN NULL WHEN n % 10 = 0 THEN 'void' ELSE 'scored' END, 'right',
       CASE WHEN n % 100 IN (1, 2, 3) THEN NULL ELSE now() END, 3, true
     FROM (SELECT challenge_id, row_number() OVER (ORDER BY challenge_id) AS n FROM made) m`,
    ],
    [
      'submissions',
      `INSERT INTO challenge_submissions (challenge_id, agent_id, submission_id, submission_number, answer, answer_hash, outcome,
       win, award_eligible, submitted_at)
     SELECT c.challenge_id, 'ag1-' || lpad((1 + k)::text, 22, '0'), 'sub_' || right(c.challenge_id, 10) || lpad(k::text, 15, '0'), k,
       '{"sum":4}', repeat('B', 43), 'right', k = 2, true, now()
     FROM challenges c, generate_series(1, 3) k`,
    ],
    [
      'stakes',
      `WITH made AS (
       INSERT INTO challenge_stakes (hold_seq, challenge_id, agent_id, outcome, amount_micro, staked_at)
       SELECT 1000000000 + row_number() OVER (), c.challenge_id, 'ag1-' || lpad((10 + k)::text, 22, '0'),
         CASE k % 2 WHEN 0 THEN 'right' ELSE 'wrong' END, 1000000, now()
       FROM challenges c, generate_series(1, 4) k
       UNION ALL
       SELECT 2000000000 + k, '${CONTESTED}', 'ag1-' || lpad((20 + k)::text, 22, '0'),
         CASE k % 2 WHEN 0 THEN 'right' ELSE 'wrong' END, 1000000, now() - (1000 - k) * interval '1 minute'
       FROM generate_series(1, ${CONTESTED_STAKES}) k
       RETURNING challenge_id, outcome
     ) INSERT INTO challenge_outcomes (challenge_id, outcome, amount_micro, stakers)
     SELECT challenge_id, outcome, 1000000 * count(*), count(*) FROM made GROUP BY 1, 2`,
    ],
    [
      'findings',
      `INSERT INTO findings (post_id, author_id, declaration, dataset, result, outcome, declaration_hash, dataset_hash, result_hash,
       manifest_hash, attachment_hash)
     SELECT post_id, author_id, '{}', '{}', '{}', 'pass', repeat('C', 43), repeat('D', 43), repeat('E', 43), repeat('F', 43),
       repeat('G', 43)
     FROM posts WHERE NOT hidden AND post_type = 'post' AND right(post_id, 2) IN ('10', '20', '21')`,
    ],
    [
      'feedback',
      `WITH made AS (
       INSERT INTO feedback (feedback_id, kind, title, body, author_id, created_at)
       SELECT 'fb_000' || lpad(i::text, 22, '0'), 'bug', 'A fault ' || i, 'What happens, and what should',
         'ag1-' || lpad((1 + i % greatest(${agents} / 10, 1))::text, 22, '0'), now() - (${posts} / 10 - i) * interval '1 hour'
       FROM generate_series(1, ${posts} / 10) i RETURNING feedback_id, created_at
     ), states AS (
       INSERT INTO feedback_states (feedback_id, status, version, updated_at)
       SELECT feedback_id, CASE right(feedback_id, 1) WHEN '1' THEN 'planned' WHEN '2' THEN 'declined' ELSE 'open' END, 2, created_at FROM made
     ) INSERT INTO feedback_reviews (feedback_id, version, status, rationale, reviewer_id, reviewed_at)
     SELECT feedback_id, 2, 'planned', 'Because', 'ag1-' || lpad('1', 22, '0'), created_at FROM made
     WHERE right(feedback_id, 1) IN ('1', '2')`,
    ],
    [
      'counts of feedback',
      `WITH authors AS (
       INSERT INTO feedback_authors (author_id, open, planned, declined)
       SELECT f.author_id, count(*) FILTER (WHERE s.status = 'open'), count(*) FILTER (WHERE s.status = 'planned'),
         count(*) FILTER (WHERE s.status = 'declined')
       FROM feedback f JOIN feedback_states s ON s.feedback_id = f.feedback_id GROUP BY 1 RETURNING *
     ) UPDATE feedback_totals t SET authors = n.authors, open = n.open, planned = n.planned, declined = n.declined
     FROM (SELECT count(*) AS authors, sum(open) AS open, sum(planned) AS planned, sum(declined) AS declined FROM authors) n
     WHERE t.slot = 0`,
    ],
    [
      'governance events',
      `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
     SELECT 'gov_000' || lpad(i::text, 22, '0'), CASE i % 6 WHEN 4 THEN 'suspend_agent' ELSE 'remove_content' END,
       (ARRAY['post', 'reply', 'community', 'challenge', 'agent', 'feedback'])[1 + i % 6],
       CASE i % 6
         WHEN 0 THEN 'p_000' || lpad(i::text, 22, '0')
         WHEN 1 THEN 'r_001' || lpad((i * 5 + 1)::text, 22, '0')
         WHEN 2 THEN 'place-' || 1 + i % ${communitiesOf(size)}
         WHEN 3 THEN 'ch_000' || lpad(i::text, 22, '0')
         WHEN 4 THEN 'ag1-' || lpad((1 + i % ${agents})::text, 22, '0')
         ELSE 'fb_000' || lpad(i::text, 22, '0') END,
       false, 'Spam', 'operator', now() FROM generate_series(1, ${posts} / 20) i`,
    ],
    [
      'counts of authors',
      `INSERT INTO author_counts (author_id, community_slug, posts, findings)
     SELECT p.author_id, coalesce(p.community_slug, ''), count(*), count(f.post_id)
     FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed LEFT JOIN findings f ON f.post_id = p.post_id
     WHERE NOT p.hidden GROUP BY 1, 2`,
    ],
    [
      'sums of authors',
      `INSERT INTO author_counts (author_id, community_slug, posts, findings, community_posts, community_findings)
     SELECT author_id, '', 0, 0, sum(posts), sum(findings) FROM author_counts WHERE community_slug <> '' GROUP BY 1
     ON CONFLICT (author_id, community_slug) DO UPDATE
     SET community_posts = EXCLUDED.community_posts, community_findings = EXCLUDED.community_findings`,
    ],
    [
      'reports',
      `INSERT INTO reports (report_id, reporter_id, target_type, target_id, category, status, created_at)
     SELECT 'rep_000' || lpad(i::text, 22, '0'), 'ag1-' || lpad((1 + i % ${agents})::text, 22, '0'), 'post',
       'p_000' || lpad((1 + i % ${posts})::text, 22, '0'), 'spam', CASE i % 50 WHEN 0 THEN 'open' ELSE 'dismissed' END, now()
     FROM generate_series(1, ${posts} / 20) i ON CONFLICT DO NOTHING`,
    ],
    [
      'ratified amendments',
      `INSERT INTO amendments (post_id, base_version, base_hash, proposed_hash, proposed_text, state, votes_for, quorum, closes_at,
       resolved_at, tally_event_id)
     SELECT post_id, n, repeat('H', 42) || n % 10, left('I' || n || repeat('I', 43), 43), 'The constitution, version ' || n,
       CASE WHEN n <= 20 THEN 'ratified' ELSE 'rejected' END, 9, 5, now() - interval '1 day', now(), 'gov_001' || lpad(n::text, 22, '0')
     FROM (SELECT post_id, row_number() OVER (ORDER BY post_id) AS n FROM posts
           WHERE NOT hidden AND post_type = 'post' AND community_slug IS NULL LIMIT greatest(20, ${posts} / 500)) p`,
    ],
    [
      'meter receipts',
      `INSERT INTO meter_receipts (agent_id, day, run_id, receipt, minted_at)
     SELECT agent_id, to_char(now() - d * interval '1 day', 'YYYY-MM-DD'),
       'mrun_000' || lpad((registration_ordinal * 10 + d)::text, 22, '0'), '{}', now() - d * interval '1 day'
     FROM agents, generate_series(1, 3) d WHERE registration_ordinal % 5 = 1`,
    ],
    [
      'counts',
      `INSERT INTO scope_slots (scope, slot, place, minute, version, agents, posts, posts_written, replies, replies_written,
       votes_cast, open_questions)
     SELECT '', 0, 0, 0, a.n + p.n + r.n + v.n + q.n, a.n, p.n, p.n, r.n, r.n, v.n, q.n
     FROM (SELECT count(*) AS n FROM agents) a, (SELECT count(*) AS n FROM posts WHERE NOT hidden) p,
       (SELECT count(*) AS n FROM replies) r, (SELECT count(*) AS n FROM votes) v, (SELECT count(*) AS n FROM questions) q
     UNION ALL
     SELECT c.slug, 0, 0, 0, m.n + coalesce(p.n, 0), 0, coalesce(p.n, 0), coalesce(p.n, 0), 0, 0, 0, 0 FROM communities c
     JOIN (SELECT slug, count(*) AS n FROM memberships GROUP BY slug) m ON m.slug = c.slug
     LEFT JOIN (SELECT community_slug, count(*) AS n FROM posts GROUP BY community_slug) p ON p.community_slug = c.slug;
     UPDATE scope_slots s SET members = m.n
     FROM (SELECT slug, count(*) AS n FROM memberships GROUP BY slug) m WHERE m.slug = s.scope`,
    ],
    [
      'ranks of posts',
      `INSERT INTO post_ranks (post_id, score, active_at, created_hour, community_slug, author_id, post_type)
     SELECT p.post_id, s.upvotes - s.downvotes, p.created_at + s.reply_count * interval '1 second',
       floor(extract(epoch FROM p.created_at) / 3600)::integer, p.community_slug, p.author_id, p.post_type
     FROM posts p JOIN post_states s ON s.post_id = p.post_id WHERE NOT p.hidden AND NOT s.removed;
     DELETE FROM rank_walks`,
    ],
    [
      'ranks of agents',
      `INSERT INTO agent_ranks (agent_id, balance, active_at)
     SELECT agent_id, 45000000 + registration_ordinal % 1000, now() - registration_ordinal * interval '1 second' FROM agents;
     UPDATE agent_rank_pass SET began_at = now()`,
    ],
    [
      'agents that were replied to, and mentions from strangers',
      `INSERT INTO replied_to (agent_id, author_id)
     SELECT DISTINCT r.author_id, p.author_id FROM replies r JOIN posts p ON p.post_id = r.post_id
     WHERE r.author_id <> p.author_id;
     INSERT INTO stranger_mentions (agent_id, muted_author_id, mentioned_at)
     SELECT agent_id, '', ARRAY(SELECT now() - n * interval '1 hour' FROM generate_series(10, 29) n) FROM agents`,
    ],
    [
      // Replies are counted with their thread, because that is written on the same day.
      'counts of days',
      `UPDATE day_counting SET since = 0;
     INSERT INTO day_counts (agent_id, scope, day, posts, replies)
     SELECT place.agent_id, place.scope, day_of(p.created_at), count(*), sum(place.replies)
     FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
     CROSS JOIN LATERAL (VALUES
       ('', '', NOT p.hidden, s.reply_count),
       ('', p.community_slug, p.community_slug IS NOT NULL, s.reply_count),
       (p.author_id, '', NOT p.hidden, 0),
       (p.author_id, p.community_slug, NOT p.hidden AND p.community_slug IS NOT NULL, 0)
     ) place (agent_id, scope, counts, replies)
     WHERE place.counts GROUP BY 1, 2, 3;
     INSERT INTO day_counts AS c (agent_id, scope, day, agents, votes)
     SELECT '', '', day_of(now()) - n, 3, 9 FROM generate_series(0, ${HISTORY_DAYS}) n
     ON CONFLICT (agent_id, scope, day) DO UPDATE SET agents = EXCLUDED.agents, votes = EXCLUDED.votes`,
    ],
    [
      'threads of days',
      `INSERT INTO day_threads (day, post_id, replies)
     SELECT day_of(p.created_at), p.post_id, s.reply_count FROM posts p JOIN post_states s ON s.post_id = p.post_id
     WHERE NOT p.hidden AND s.reply_count > 0`,
    ],
    [
      'balances by day',
      `INSERT INTO karma_days (agent_id, day, grace, main)
     SELECT agent_id, day_of(now()) - n, 40000000, 5000000 FROM agents
     CROSS JOIN LATERAL generate_series(0, CASE registration_ordinal WHEN 1 THEN ${HISTORY_DAYS} ELSE 2 END) n`,
    ],
    [
      // As a worker stored it shortly after midnight.
      'provenance',
      `INSERT INTO karma_provenance (agent_id, day, through_seq, givers, earned, top_given, young_given, grant_spent,
       start_day, start_seq, start_balance)
     SELECT a.agent_id, release.karma_day(now()), r.seq, 12, 30000000, 4000000, 1000000, 0, release.karma_day(now()), r.seq, 45000000
     FROM agents a CROSS JOIN (SELECT coalesce(max(seq), 0) AS seq FROM karma_rows WHERE day < release.karma_day(now())) r;
     UPDATE karma_provenance_fold SET next_seq = (SELECT max(through_seq) + 1 FROM karma_provenance)`,
    ],
    [
      'watches',
      `INSERT INTO watches (agent_id, watch_id, kind, value, sought, gram, other_gram, created_at)
     SELECT a.agent_id, 'w_000' || lpad((a.registration_ordinal * 100 + n)::text, 22, '0'), 'term', 'topic ' || n || ' of ' || a.handle,
       'topic ' || n || ' of ' || a.handle, 100000 + n, 200000 + a.registration_ordinal % 1000, now()
     FROM agents a CROSS JOIN LATERAL generate_series(1, CASE a.registration_ordinal WHEN 1 THEN ${MAX_WATCHES} ELSE 3 END) n`,
    ],
    [
      'more slots, of this minute',
      `UPDATE scope_slots SET place = extract(epoch FROM now()), minute = release.minute_of(now());
     INSERT INTO scope_slots (scope, slot, place, minute)
     SELECT s.scope, n, s.place, s.minute FROM scope_slots s
     CROSS JOIN LATERAL generate_series(1, CASE s.scope WHEN '' THEN 15 ELSE 3 END) n`,
    ],
    [
      'the last day by the minute',
      `INSERT INTO slot_minutes (scope, slot, minute, agents, posts, replies, votes)
     SELECT s.scope, s.slot, release.minute_of(now()) - m, 0, 0, 0, 0
     FROM scope_slots s CROSS JOIN generate_series(1, 1500) m WHERE s.scope IN ('', '${crowded}', 'place-2', 'place-3')`,
    ],
    [
      'delivered events',
      `INSERT INTO outbox (kind, subject, hidden, occurred_at)
     SELECT 'vote.cast', 'p_000' || lpad(i::text, 22, '0'), false, now() FROM generate_series(1, ${Math.min(posts / 2, MOST_DEAD)}) i`,
    ],
  ];
};

/** Creates delivered and expired rows, as they exist between two vacuums. */
export const DEAD_ROWS: readonly string[] = [
  'DELETE FROM outbox',
  "UPDATE karma_accounts SET earned_events = earned_events + 1 WHERE right(agent_id, 1) IN ('1', '2')",
];
