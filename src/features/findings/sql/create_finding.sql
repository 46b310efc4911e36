-- AF400 unless the superseded finding is a visible public one of the author. Locks its post before the new one counts,
-- as strongly as the trigger that renews its version: two writers with a weaker lock would wait for each other.
CREATE FUNCTION release.create_finding(
  p_post_id text, p_author_id text, p_post_type text, p_community_slug text, p_hidden boolean, p_title text,
  p_body text,
  p_at timestamptz, p_declaration text, p_dataset text, p_result text, p_outcome text, p_declaration_hash text,
  p_dataset_hash text, p_result_hash text, p_manifest_hash text, p_attachment_hash text, p_supersedes_post_id text,
  p_supersedes_hash text
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_post release.outcome;
BEGIN
  IF p_supersedes_post_id IS NOT NULL THEN
    PERFORM FROM post_states WHERE post_id = p_supersedes_post_id FOR NO KEY UPDATE;
    PERFORM FROM release.visible_posts(NULL) v
      WHERE v.post_id = p_supersedes_post_id AND v.author_id = p_author_id AND v.finding_hash = p_supersedes_hash;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'finding.supersedes', MESSAGE = 'no such finding of yours';
    END IF;
  END IF;
  v_post := release.create_post(p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO findings (post_id, author_id, declaration, dataset, result, outcome, declaration_hash, dataset_hash,
    result_hash, manifest_hash, attachment_hash, supersedes_post_id, supersedes_hash)
  VALUES (p_post_id, p_author_id, p_declaration, p_dataset, p_result, p_outcome, p_declaration_hash, p_dataset_hash,
    p_result_hash, p_manifest_hash, p_attachment_hash, p_supersedes_post_id, p_supersedes_hash);
  PERFORM release.renew_superseded_digests(ARRAY[p_post_id], p_at);
  RETURN v_post;
END $$;
