-- Empties the index beside the posts, which another one takes the place of: posts before p_below are in no segment
-- here.
CREATE FUNCTION release.give_up_search_index(p_below text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE search_backfill SET below = p_below;
  TRUNCATE public.search_segments, public.search_block_posts, public.search_postings, public.search_summaries,
    public.search_summary_grams;
END $$;
