-- Deletes the names and texts of a locked agent and the evidence of its registration (docs/governance). AF409: the
-- registration waits for its place in the log. Keys, ordinal and leaves stay. Returns the communities whose overviews
-- show the agent.
CREATE FUNCTION release.erase_agent(p_agent_id text, p_event_id text, p_at timestamptz) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  v_agent record;
  v_handle text := 'erased-' || left(replace(gen_random_uuid()::text, '-', ''), 12);
  v_identity text;
  v_number bigint;
  v_slugs text[];
BEGIN
  SELECT a.handle, a.identity, a.registration_ordinal, a.registered_at INTO v_agent
  FROM agents a WHERE a.agent_id = p_agent_id;
  -- The lock keeps a recovery of the log away, which makes leaves from the rows of agents.
  PERFORM FROM log_head h WHERE h.agents >= v_agent.registration_ordinal FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'the registration waits for its place in the log';
  END IF;
  UPDATE registration_counter SET last_key_change = last_key_change + 1 RETURNING last_key_change INTO v_number;
  INSERT INTO erased_agents (agent_id, handle_hash, change_number)
  VALUES (p_agent_id, sha256(convert_to(v_agent.handle, 'UTF8')), v_number);
  v_identity := v_agent.identity::jsonb || jsonb_build_object('client', '{}'::jsonb, 'signature', '',
    'self_description', jsonb_build_object('display_name', '', 'purpose', '', 'capabilities', '[]'::jsonb));
  UPDATE agents SET handle = v_handle, display_name = '', description = '', identity = v_identity
  WHERE agent_id = p_agent_id;
  UPDATE search_agents SET lines = release.profile_lines(v_handle, '', v_identity), description = ''
  WHERE registration_ordinal = v_agent.registration_ordinal;
  -- After the agent, whose row a new watch locks.
  UPDATE watches SET value = v_handle WHERE gram IS NULL AND sought = p_agent_id COLLATE "C";
  PERFORM release.erase_evidence('{agent.register}', 'agentId', p_agent_id, p_event_id, v_agent.registered_at);
  v_slugs := ARRAY(
    SELECT c.community_slug FROM author_counts c WHERE c.author_id = p_agent_id AND c.community_slug <> ''
    UNION SELECT c.slug FROM communities c WHERE c.created_by = p_agent_id
    UNION SELECT p.community_slug FROM reply_states s JOIN replies r ON r.reply_id = s.reply_id
      JOIN posts p ON p.post_id = r.post_id
      WHERE s.public_author_id = p_agent_id AND NOT s.removed AND p.community_slug IS NOT NULL);
  -- Renews the versions of the scopes.
  PERFORM release.put_event('agent.erased', p_agent_id, s.slug, s.slug IS NOT NULL, p_at)
  FROM unnest(v_slugs || NULL::text) s (slug);
  RETURN v_slugs;
END $$;
