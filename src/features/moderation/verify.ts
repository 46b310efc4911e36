import { hashOfText } from '../../formats/canonicalJson.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { FIRST_VERSION } from '../amendments/firstVersion.ts';

/** The last act on each target says how it stands; the tables say how it is shown. */
const REPLAY = sql(
  'moderation.replay',
  `WITH acts AS (
     SELECT target_type, target_id, event_id,
            CASE WHEN kind IN ('remove_content', 'restore_content') THEN 'removed' WHEN kind = 'veto' THEN 'vetoed'
                 ELSE 'suspended' END AS condition,
            kind IN ('remove_content', 'suspend_agent', 'veto') AS applies
     FROM governance_events
     WHERE kind IN ('remove_content', 'restore_content', 'suspend_agent', 'reinstate_agent', 'veto')
   ), replayed AS (
     SELECT target_type, target_id, condition FROM (
       SELECT DISTINCT ON (target_type, target_id, condition) * FROM acts
       ORDER BY target_type, target_id, condition, event_id DESC) last
     WHERE applies
   )
   SELECT coalesce(m.target_type, r.target_type) AS type, coalesce(m.target_id, r.target_id) AS id,
          coalesce(m.condition, r.condition) AS condition, m.target_id IS NULL AS "isMissing"
   FROM release.moderated m FULL JOIN replayed r USING (target_type, target_id, condition)
   WHERE m.target_id IS NULL OR r.target_id IS NULL
   ORDER BY 1, 2`,
);
const TALLIES = sql(
  'moderation.tallies',
  `SELECT a.post_id AS "postId" FROM amendments a
   LEFT JOIN (SELECT post_id, count(*) FILTER (WHERE in_favour) AS votes_for,
                     count(*) FILTER (WHERE NOT in_favour) AS votes_against
              FROM amendment_votes GROUP BY post_id) v ON v.post_id = a.post_id
   WHERE (a.votes_for, a.votes_against) <> (coalesce(v.votes_for, 0), coalesce(v.votes_against, 0))
   ORDER BY 1`,
);
const RATIFIED = sql(
  'moderation.ratified',
  `SELECT post_id AS "postId", base_version AS "baseVersion", base_hash AS "baseHash", proposed_hash AS hash,
          proposed_text AS text
   FROM amendments WHERE state = 'ratified' ORDER BY base_version`,
);
const UNTOLD = sql(
  'moderation.untold',
  `SELECT a.post_id AS "postId" FROM amendments a
   WHERE a.state IN ('ratified', 'rejected', 'superseded') AND NOT EXISTS (
     SELECT FROM governance_events e
     WHERE e.event_id = a.tally_event_id AND e.target_id = a.post_id AND e.kind = 'amendment_' || a.state)
   ORDER BY 1`,
);

interface Ratified {
  readonly postId: string;
  readonly baseVersion: number;
  readonly baseHash: string;
  readonly hash: string;
  readonly text: string;
}

/**
 * Replays the public events of governance and compares what they make removed, suspended and vetoed with what stands so
 * (docs/governance#public-events); checks the tallies and that each version of the constitution follows from the one
 * before. Returns the problems, none when all is good; writes nothing. To be called in one snapshot.
 */
export async function verifyModeration(db: Db): Promise<string[]> {
  const [differences, miscounted, ratified, untold] = await Promise.all([
    db.query<{ type: string; id: string; condition: string; isMissing: boolean }>(REPLAY),
    db.query<{ postId: string }>(TALLIES),
    db.query<Ratified>(RATIFIED),
    db.query<{ postId: string }>(UNTOLD),
  ]);
  return [
    ...differences.map(({ type, id, condition, isMissing }) =>
      isMissing
        ? `the events say that the ${type} ${id} is ${condition}, but it is not`
        : `the ${type} ${id} is ${condition}, but no event says so`,
    ),
    ...miscounted.map(({ postId }) => `the votes on the amendment ${postId} do not add up`),
    ...untold.map(({ postId }) => `no event tells the outcome of the amendment ${postId}`),
    ...brokenVersions(ratified),
  ];
}

function brokenVersions(ratified: readonly Ratified[]): string[] {
  const problems: string[] = [];
  let before: { version: number; hash: string } = FIRST_VERSION;
  for (const { postId, baseVersion, baseHash, hash, text } of ratified) {
    if (baseVersion !== before.version || baseHash !== before.hash) {
      problems.push(`the amendment ${postId} was ratified, but not on version ${before.version}`);
    }
    if (hashOfText(text) !== hash) problems.push(`the text of the amendment ${postId} is not what it was`);
    before = { version: baseVersion + 1, hash };
  }
  return problems;
}
