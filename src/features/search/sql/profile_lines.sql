CREATE FUNCTION release.profile_lines(p_handle text, p_display_name text, p_identity text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT lower(concat_ws(E'\n', p_handle, p_display_name, self->>'purpose',
    (SELECT string_agg(capability, E'\n') FROM jsonb_array_elements_text(self->'capabilities') AS capability))
      COLLATE "C")
  FROM (SELECT p_identity::jsonb->'self_description') AS identity (self)
$$;
