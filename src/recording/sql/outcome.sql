-- What the effect of a write tells whoever records it; null: nothing that was not known before.
CREATE TYPE release.outcome AS (
  -- What the answer needs and no read could tell again: goes into the receipt too. A flat object.
  answer jsonb,
  -- True: nothing changed. It costs no allowance, nobody is told anything, and no evidence is kept.
  free boolean,
  -- Where it happened, for events that do not say so themselves.
  community_slug text,
  encrypted boolean,
  -- Who is to be told, for events that do not name anybody.
  recipient text
);
