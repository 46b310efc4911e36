-- Whether processes of release 1 may read what is written: there were agents before this release, and there is a way back at any
-- time (migrations/README.md). Migration 0062 left them a trigger.
CREATE FUNCTION release.came_from_first() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT to_regproc('search_pend') IS NOT NULL
$$;
