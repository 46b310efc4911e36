-- The feedback that is not removed. Every read of feedback uses it.
CREATE VIEW release.visible_feedback AS
  SELECT f.feedback_id, f.kind, f.title, f.body, f.author_id, a.handle AS author_handle, f.created_at, s.status,
         s.version, s.updated_at
  FROM feedback f
  JOIN feedback_states s ON s.feedback_id = f.feedback_id AND NOT s.removed
  JOIN agents a ON a.agent_id = f.author_id;
