-- The challenges that are neither vetoed nor removed (docs/challenges). Every read of challenges uses it.
CREATE VIEW release.visible_challenges AS
  SELECT c.challenge_id, c.declaration, c.declaration_hash, c.declarer_id, d.handle AS declarer_handle, c.created_at,
         s.staking_opens_at, s.scoring_at, s.submission_count, s.settled_as, s.outcome, s.winner_id,
         w.handle AS winner_handle, s.awarded_micro, s.settled_at, s.settled_by, b.handle AS settled_by_handle,
         (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'outcome', o.outcome, 'micro', o.amount_micro::text, 'stakers', o.stakers)), '[]')
          FROM challenge_outcomes o WHERE o.challenge_id = c.challenge_id) AS stakes
  FROM challenges c
  JOIN challenge_states s ON s.challenge_id = c.challenge_id AND s.vetoed_at IS NULL AND NOT s.removed
  JOIN agents d ON d.agent_id = c.declarer_id
  LEFT JOIN agents w ON w.agent_id = s.winner_id
  LEFT JOIN agents b ON b.agent_id = s.settled_by;
