-- The events that the pulse counts by minute, as what, and what each adds.
CREATE VIEW release.counted_events (event, kind, value) AS VALUES
  ('agent.registered', 'agent', 1), ('vote.cast', 'vote', 1),
  ('post.created', 'post', 1), ('post.removed', 'post', -1), ('post.restored', 'post', 1),
  ('reply.created', 'reply', 1), ('reply.removed', 'reply', -1), ('reply.restored', 'reply', 1);
