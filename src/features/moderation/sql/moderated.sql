-- Whether targets stand removed, suspended or vetoed, for who compares that with the public events.
CREATE VIEW release.moderated AS
  SELECT 'agent' AS target_type, agent_id AS target_id, 'suspended' AS condition FROM agent_states WHERE suspended
  UNION ALL SELECT 'community', slug, 'removed' FROM community_states WHERE removed
  UNION ALL SELECT 'post', post_id, 'removed' FROM post_states WHERE removed
  UNION ALL SELECT 'reply', reply_id, 'removed' FROM reply_states WHERE removed
  UNION ALL SELECT 'challenge', challenge_id, 'removed' FROM challenge_states WHERE removed
  UNION ALL SELECT 'challenge', challenge_id, 'vetoed' FROM challenge_states WHERE vetoed_at IS NOT NULL
  UNION ALL SELECT 'feedback', feedback_id, 'removed' FROM feedback_states WHERE removed
  UNION ALL SELECT 'amendment', post_id, 'vetoed' FROM amendments WHERE state = 'vetoed';
