import { type Db, sql } from '../../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, SLICE, type Sliced, slices } from '../../../platform/postgres/slices.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import { type Act, Withheld } from '../../../protocol/acts.ts';
import { hashOfText } from '../../../protocol/canonicalJson.ts';
import { firstVersionOf } from '../amendments/constitution.ts';

/** How many amendments a slice has, because each needs a count of votes or its text. */
const AMENDMENTS = 100;

/** Selects the last key of a slice of `rows` after $1, and the keys of the marked rows in it. */
const marked = (rows: string, limit = SLICE): string =>
  `SELECT array_agg(key ORDER BY key) FILTER (WHERE is_marked) AS ids, max(key) AS last
   FROM (SELECT * FROM (${rows}) r WHERE key > $1 ORDER BY key LIMIT ${limit}) slice HAVING count(*) > 0`;

/** What is removed, erased, suspended or vetoed in the database: type, condition, key, table, and the mark in SQL. */
const WITHHELD = (
  [
    ['agent', 'suspended', 'agent_id', 'agent_states', 'suspended'],
    ['agent', 'erased', 'agent_id', 'agents', "display_name = '' AND description = ''"],
    ['community', 'removed', 'slug', 'community_states', 'removed'],
    ['post', 'removed', 'post_id', 'post_states', 'removed'],
    ['reply', 'removed', 'reply_id', 'reply_states', 'removed'],
    ['challenge', 'removed', 'challenge_id', 'challenge_states', 'removed'],
    ['challenge', 'vetoed', 'challenge_id', 'challenge_states', 'vetoed_at IS NOT NULL'],
    ['feedback', 'removed', 'feedback_id', 'feedback_states', 'removed'],
    ['post', 'erased', 'post_id', 'posts', "title = '' AND body = ''"],
    ['reply', 'erased', 'reply_id', 'replies', "body = ''"],
    ['community', 'erased', 'slug', 'communities', "display_name = ''"],
    ['challenge', 'erased', 'challenge_id', 'challenges', "declaration = '{}'"],
    ['feedback', 'erased', 'feedback_id', 'feedback', "title = '' AND body = ''"],
    ['amendment', 'vetoed', 'post_id', 'amendments', "state = 'vetoed'"],
  ] as const
).map(([type, condition, key, table, mark]) => {
  const rows = `SELECT ${key} AS key, ${mark} AS is_marked FROM ${table}`;
  return { type, condition, marks: sql(`moderation.withheld.${type}.${condition}`, marked(rows)) };
});
const EXISTS: Readonly<Record<string, Statement>> = Object.fromEntries(
  [
    ['agent', 'agents WHERE agent_id'],
    ['community', 'communities WHERE slug'],
    ['post', 'posts WHERE post_id'],
    ['reply', 'replies WHERE reply_id'],
    ['challenge', 'challenges WHERE challenge_id'],
    ['feedback', 'feedback WHERE feedback_id'],
    ['amendment', 'amendments WHERE post_id'],
  ].map(([type, rows]) => [type, sql(`moderation.exists.${type}`, `SELECT FROM ${rows} = $1`)]),
);
const ACTS: Sliced = {
  start: '',
  statement: sql(
    'moderation.acts',
    `SELECT event_id AS last, kind, target_type AS type, target_id AS id, until FROM governance_events
     WHERE event_id > $1 ORDER BY event_id LIMIT ${SLICE}`,
  ),
};
/** Agents whose suspension with an end, while it lasts, is not that of their last suspension or reinstatement. */
const WRONG_END = sql(
  'moderation.wrongEnd',
  marked(
    `SELECT s.agent_id AS key, CASE WHEN s.suspended_until > now() THEN s.suspended_until END IS DISTINCT FROM (
       SELECT CASE WHEN e.until > now() THEN e.until END FROM governance_events e
       WHERE e.target_type = 'agent' AND e.target_id = s.agent_id AND e.kind IN ('suspend_agent', 'reinstate_agent')
       ORDER BY e.event_id DESC LIMIT 1) AS is_marked
     FROM agent_states s`,
  ),
);
/** Moderators of which the last appointment or dismissal says something else. */
const WRONG_MODERATORS = sql(
  'moderation.wrongModerators',
  marked(
    `SELECT m.agent_id AS key, (m.event_id, m.until) IS DISTINCT FROM (
       SELECT (e.event_id, e.until) FROM governance_events e
       WHERE e.target_type = 'agent' AND e.target_id = m.agent_id AND e.kind IN ('appoint_moderator', 'dismiss_moderator')
       ORDER BY e.event_id DESC LIMIT 1) AS is_marked
     FROM moderators m`,
  ),
);
/** Targets of reports whose open reports are counted wrongly. */
const WRONG_REPORTS = sql(
  'moderation.wrongReports',
  marked(
    `SELECT r.target_id AS key, bool_or(coalesce(t.open_reports, 0) <> r.open_reports) AS is_marked FROM (
       SELECT target_type, target_id, count(*) FILTER (WHERE status = 'open') AS open_reports FROM reports GROUP BY 1, 2) r
     LEFT JOIN reported_targets t ON t.target_type = r.target_type COLLATE "C" AND t.target_id = r.target_id
     GROUP BY r.target_id`,
  ),
);
const MISCOUNTED = sql(
  'moderation.miscounted',
  marked(
    `SELECT a.post_id AS key, (a.votes_for, a.votes_against) <> (v.votes_for, v.votes_against) AS is_marked
   FROM amendments a CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE in_favour) AS votes_for, count(*) FILTER (WHERE NOT in_favour) AS votes_against
     FROM amendment_votes WHERE post_id = a.post_id) v`,
    AMENDMENTS,
  ),
);
const UNTOLD = sql(
  'moderation.untold',
  marked(
    `SELECT a.post_id AS key, a.state IN ('ratified', 'rejected', 'superseded') AND NOT EXISTS (
     SELECT FROM governance_events e
     WHERE e.event_id = a.tally_event_id AND e.target_id = a.post_id AND e.kind = 'amendment_' || a.state) AS is_marked
   FROM amendments a`,
    AMENDMENTS,
  ),
);
const RATIFIED: Sliced = {
  start: '0',
  statement: sql(
    'moderation.ratified',
    `SELECT post_id AS "postId", base_version AS "baseVersion", base_hash AS "baseHash", proposed_hash AS hash,
            proposed_text AS text, base_version::text AS last
     FROM amendments WHERE state = 'ratified' AND base_version > $1::integer ORDER BY base_version LIMIT ${AMENDMENTS}`,
  ),
};

interface Ratified {
  readonly postId: string;
  readonly baseVersion: number;
  readonly baseHash: string;
  readonly hash: string;
  readonly text: string;
  readonly last: string;
}

/** Compares replayed public events with the database (docs/governance#public-events). Call it in one snapshot. */
export async function verifyModeration(db: Db): Promise<string[]> {
  const problems = await unlikeStanding(db, await replayedEvents(db), 'event');
  for await (const id of idsOf(db, MISCOUNTED)) problems.push(`the votes on the amendment ${id} do not add up`);
  for await (const id of idsOf(db, UNTOLD)) problems.push(`no event records the outcome of the amendment ${id}`);
  for await (const id of idsOf(db, WRONG_END)) problems.push(`no event records the end of the suspension of ${id}`);
  for await (const id of idsOf(db, WRONG_MODERATORS)) problems.push(`no event records the appointment of ${id}`);
  for await (const id of idsOf(db, WRONG_REPORTS)) problems.push(`the open reports on ${id} do not add up`);
  for await (const problem of brokenVersions(db)) problems.push(problem);
  return problems.slice(0, MAX_PROBLEMS);
}

async function replayedEvents(db: Db): Promise<Withheld> {
  const withheld = new Withheld();
  for await (const act of slices<Act & { last: string }>(db, ACTS)) withheld.apply(act);
  return withheld;
}

/** `source` is what `withheld` was read from. Call it in one snapshot. */
export async function unlikeStanding(
  db: Db,
  withheld: Withheld,
  source: 'event' | 'act in the log',
): Promise<string[]> {
  const problems: string[] = [];
  const replayed = new Set(withheld.names());
  for (const { type, condition, marks } of WITHHELD) {
    for await (const id of idsOf(db, marks)) {
      if (!replayed.delete(`${type} ${id} ${condition}`)) {
        problems.push(`the ${type} ${id} is ${condition}, but no ${source} says so`);
      }
    }
  }
  for (const name of replayed) {
    const [type, id, condition] = name.split(' ') as [string, string, string];
    // The log may be newer than a database that was restored.
    if (source !== 'event' && (await db.query(EXISTS[type]!, [id])).length === 0) continue;
    problems.push(
      `the ${source.replace(/^(event|act)/, '$1s')} say that the ${type} ${id} is ${condition}, but it is not`,
    );
  }
  return problems;
}

async function* idsOf(db: Db, statement: Statement): AsyncGenerator<string> {
  const all = slices<{ ids: string[] | null; last: string }>(db, { start: '', statement });
  for await (const { ids } of all) yield* ids ?? [];
}

async function* brokenVersions(db: Db): AsyncGenerator<string> {
  let before: { version: number; hash: string } = await firstVersionOf(db);
  for await (const { postId, baseVersion, baseHash, hash, text } of slices<Ratified>(db, RATIFIED)) {
    if (baseVersion !== before.version || baseHash !== before.hash) {
      yield `the amendment ${postId} was ratified, but not on version ${before.version}`;
    }
    // An erased text leaves its hash.
    if (text !== '' && hashOfText(text) !== hash) yield `the text of the amendment ${postId} is not what it was`;
    before = { version: baseVersion + 1, hash };
  }
}
