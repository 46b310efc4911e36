/** What migration 0062 leaves in a forum whose agents came with release 1, processes of which may run there. */
export const COME_FROM_FIRST = `
  CREATE FUNCTION search_pend() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;
