-- What the effect of a write returns to record_writes; null for nothing.
CREATE TYPE release.outcome AS (
  -- What the response needs and no read can rebuild, also for the receipt. A flat object.
  answer jsonb,
  -- True: nothing changed. No allowance, events or evidence.
  unchanged boolean,
  -- For events without a community of their own.
  community_slug text,
  encrypted boolean,
  -- For events without a recipient of their own.
  recipient text
);
