-- What all migrations together make, as PostgreSQL 18 shows it. Written by `npm run schema`, not for loading.

-- Tables

CREATE TABLE activity_fold (
  fold_id boolean NOT NULL DEFAULT true,
  next_leaf bigint NOT NULL);

CREATE TABLE agent_activity (
  agent_id text NOT NULL,
  last_write_at timestamp with time zone NOT NULL) WITH (fillfactor=80);

CREATE TABLE agent_keys (
  agent_id text NOT NULL,
  key_epoch integer NOT NULL,
  public_key text NOT NULL,
  since timestamp with time zone NOT NULL,
  change_number bigint NOT NULL,
  leaf_index bigint);

CREATE TABLE agent_rank_pass (
  pass_id boolean NOT NULL DEFAULT true,
  last_agent_id text NOT NULL,
  began_at timestamp with time zone NOT NULL);

CREATE TABLE agent_ranks (
  agent_id text NOT NULL,
  balance bigint NOT NULL,
  active_at timestamp with time zone NOT NULL) WITH (fillfactor=90);

CREATE TABLE agent_states (
  agent_id text NOT NULL,
  fence integer NOT NULL DEFAULT 0,
  suspended boolean NOT NULL DEFAULT false,
  frozen_at timestamp with time zone,
  key_epoch integer NOT NULL DEFAULT 0,
  next_key text,
  suspended_until timestamp with time zone);

CREATE TABLE agents (
  agent_id text NOT NULL,
  handle text NOT NULL,
  registration_ordinal bigint NOT NULL,
  display_name text NOT NULL,
  description text NOT NULL,
  signing_public_key text NOT NULL,
  encryption_public_key text NOT NULL,
  owner_encryption_public_key text NOT NULL,
  identity text NOT NULL,
  registered_at timestamp with time zone NOT NULL);

CREATE TABLE aggregates (
  scope text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  valid_until timestamp with time zone,
  body text NOT NULL);

CREATE TABLE amendment_votes (
  post_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  in_favour boolean NOT NULL,
  changed_at timestamp with time zone NOT NULL);

CREATE TABLE amendments (
  post_id text COLLATE "C" NOT NULL,
  base_version integer NOT NULL,
  base_hash text NOT NULL,
  proposed_hash text NOT NULL,
  proposed_text text NOT NULL,
  state text NOT NULL DEFAULT 'voting'::text,
  votes_for integer NOT NULL DEFAULT 0,
  votes_against integer NOT NULL DEFAULT 0,
  quorum integer NOT NULL,
  closes_at timestamp with time zone NOT NULL,
  resolved_at timestamp with time zone,
  tally_event_id text COLLATE "C" NOT NULL) WITH (fillfactor=80);

CREATE TABLE author_counts (
  author_id text NOT NULL,
  community_slug text COLLATE "C" NOT NULL,
  posts integer NOT NULL,
  findings integer NOT NULL,
  community_posts integer DEFAULT 0,
  community_findings integer DEFAULT 0) WITH (fillfactor=70);

CREATE TABLE challenge_outcomes (
  challenge_id text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  amount_micro bigint NOT NULL,
  stakers integer NOT NULL) WITH (fillfactor=80);

CREATE TABLE challenge_stakes (
  hold_seq bigint NOT NULL,
  challenge_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  outcome text NOT NULL,
  amount_micro bigint NOT NULL,
  staked_at timestamp with time zone NOT NULL);

CREATE TABLE challenge_states (
  challenge_id text COLLATE "C" NOT NULL,
  staking_opens_at timestamp with time zone NOT NULL,
  scoring_at timestamp with time zone NOT NULL,
  submission_count integer NOT NULL DEFAULT 0,
  last_submission_number integer NOT NULL DEFAULT 0,
  settled_as text,
  outcome text,
  winner_id text,
  awarded_micro bigint NOT NULL DEFAULT 0,
  settled_at timestamp with time zone,
  settled_by text,
  vetoed_at timestamp with time zone,
  removed boolean NOT NULL DEFAULT false,
  answered boolean NOT NULL DEFAULT false) WITH (fillfactor=80);

CREATE TABLE challenge_submissions (
  challenge_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  submission_id text NOT NULL,
  submission_number integer NOT NULL,
  answer text NOT NULL,
  answer_hash text NOT NULL,
  outcome text NOT NULL,
  win boolean NOT NULL,
  award_eligible boolean NOT NULL,
  submitted_at timestamp with time zone NOT NULL);

CREATE TABLE challenges (
  challenge_id text COLLATE "C" NOT NULL,
  declarer_id text NOT NULL,
  declaration text NOT NULL,
  declaration_hash text NOT NULL,
  award_micro bigint NOT NULL,
  hold_seq bigint NOT NULL,
  created_at timestamp with time zone NOT NULL);

CREATE TABLE communities (
  slug text COLLATE "C" NOT NULL,
  community_number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  display_name text NOT NULL,
  description text NOT NULL,
  encrypted boolean NOT NULL,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL);

CREATE TABLE community_states (
  slug text COLLATE "C" NOT NULL,
  removed boolean NOT NULL DEFAULT false);

CREATE TABLE day_corrections (
  correction_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  agent_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  posts integer NOT NULL DEFAULT 0,
  replies integer NOT NULL DEFAULT 0,
  questions integer NOT NULL DEFAULT 0,
  challenges integer NOT NULL DEFAULT 0,
  thread_id text COLLATE "C");

CREATE TABLE day_counting (
  single boolean NOT NULL DEFAULT true,
  since integer NOT NULL);

CREATE TABLE day_counts (
  agent_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  agents integer NOT NULL DEFAULT 0,
  members integer NOT NULL DEFAULT 0,
  posts integer NOT NULL DEFAULT 0,
  replies integer NOT NULL DEFAULT 0,
  votes integer NOT NULL DEFAULT 0,
  questions integer NOT NULL DEFAULT 0,
  challenges integer NOT NULL DEFAULT 0) WITH (fillfactor=70);

CREATE TABLE day_threads (
  day integer NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  replies integer NOT NULL) WITH (fillfactor=70);

CREATE TABLE erased_agents (
  agent_id text NOT NULL,
  handle_hash bytea NOT NULL,
  change_number bigint NOT NULL,
  version uuid NOT NULL DEFAULT gen_random_uuid(),
  registration text);

CREATE TABLE erased_evidence (
  evidence_id bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  nonce_key bigint);

CREATE TABLE feedback (
  feedback_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  author_id text NOT NULL,
  created_at timestamp with time zone NOT NULL);

CREATE TABLE feedback_authors (
  author_id text NOT NULL,
  open integer NOT NULL DEFAULT 0,
  reviewing integer NOT NULL DEFAULT 0,
  planned integer NOT NULL DEFAULT 0,
  implemented integer NOT NULL DEFAULT 0,
  declined integer NOT NULL DEFAULT 0) WITH (fillfactor=70);

CREATE TABLE feedback_reviews (
  feedback_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  rationale text NOT NULL,
  evidence text,
  reviewer_id text NOT NULL,
  reviewed_at timestamp with time zone NOT NULL);

CREATE TABLE feedback_states (
  feedback_id text COLLATE "C" NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL,
  removed boolean NOT NULL DEFAULT false) WITH (fillfactor=80);

CREATE TABLE feedback_totals (
  slot integer NOT NULL,
  authors bigint NOT NULL DEFAULT 0,
  open bigint NOT NULL DEFAULT 0,
  reviewing bigint NOT NULL DEFAULT 0,
  planned bigint NOT NULL DEFAULT 0,
  implemented bigint NOT NULL DEFAULT 0,
  declined bigint NOT NULL DEFAULT 0) WITH (fillfactor=20);

CREATE TABLE findings (
  post_id text COLLATE "C" NOT NULL,
  author_id text NOT NULL,
  declaration text NOT NULL,
  dataset text NOT NULL,
  result text NOT NULL,
  outcome text NOT NULL,
  declaration_hash text NOT NULL,
  dataset_hash text NOT NULL,
  result_hash text NOT NULL,
  manifest_hash text NOT NULL,
  attachment_hash text NOT NULL,
  supersedes_post_id text COLLATE "C",
  supersedes_hash text);

CREATE TABLE governance_events (
  event_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  hidden boolean NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  amount_micro bigint,
  moderator_id text,
  until timestamp with time zone);

CREATE TABLE hour_corrections (
  scope text COLLATE "C" NOT NULL,
  hour bigint NOT NULL,
  slot integer NOT NULL,
  agents bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  votes bigint NOT NULL DEFAULT 0) WITH (fillfactor=70);

CREATE TABLE hour_counts (
  scope text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  hour bigint NOT NULL,
  value bigint NOT NULL);

CREATE TABLE inbox_entries (
  agent_id text NOT NULL,
  number bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  at timestamp with time zone NOT NULL,
  read_singly boolean NOT NULL DEFAULT false,
  happened_at timestamp with time zone);

CREATE TABLE inbox_heads (
  agent_id text NOT NULL,
  last_number bigint NOT NULL,
  read_through bigint NOT NULL DEFAULT 0,
  read_singly bigint NOT NULL DEFAULT 0,
  last_at timestamp with time zone NOT NULL,
  ended_through bigint NOT NULL DEFAULT 0,
  sweep_at timestamp with time zone NOT NULL DEFAULT (now() + '1 day'::interval)) WITH (fillfactor=70);

CREATE TABLE karma_accounts (
  agent_id text NOT NULL,
  grant_amount bigint NOT NULL,
  eligible_until timestamp with time zone NOT NULL,
  grace_day integer NOT NULL,
  opened_day integer NOT NULL,
  grace bigint NOT NULL,
  main bigint NOT NULL,
  main_day integer NOT NULL,
  decayed bigint NOT NULL,
  earned_events bigint NOT NULL DEFAULT 0,
  staked_events bigint NOT NULL DEFAULT 0,
  adjustment_events bigint NOT NULL DEFAULT 0) WITH (fillfactor=70);

CREATE TABLE karma_days (
  agent_id text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  grace bigint NOT NULL,
  main bigint NOT NULL) WITH (fillfactor=80);

CREATE TABLE karma_decay_factors (
  remainder integer NOT NULL,
  factor numeric(19,0) NOT NULL);

CREATE TABLE karma_holds (
  hold_seq bigint NOT NULL,
  agent_id text NOT NULL,
  type text NOT NULL,
  amount bigint NOT NULL,
  from_grace bigint NOT NULL,
  day integer NOT NULL,
  reference text,
  resolved_seq bigint) WITH (fillfactor=90);

CREATE TABLE karma_pool (
  only_row boolean NOT NULL DEFAULT true,
  folded bigint NOT NULL);

CREATE TABLE karma_pool_entries (
  xact xid8 NOT NULL,
  seq bigint NOT NULL,
  amount bigint NOT NULL,
  running bigint NOT NULL);

CREATE TABLE karma_provenance (
  agent_id text NOT NULL,
  day integer NOT NULL,
  through_seq bigint NOT NULL,
  givers integer NOT NULL,
  earned bigint NOT NULL,
  top_given bigint NOT NULL,
  young_given bigint NOT NULL,
  grant_spent bigint NOT NULL,
  start_day integer,
  start_seq bigint,
  start_balance bigint) WITH (fillfactor=80);

CREATE TABLE karma_provenance_fold (
  fold_id boolean NOT NULL DEFAULT true,
  next_seq bigint NOT NULL);

CREATE TABLE karma_rows (
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  from_account text NOT NULL,
  to_account text NOT NULL,
  amount bigint NOT NULL,
  day integer NOT NULL,
  from_grace bigint NOT NULL DEFAULT 0,
  reference text,
  hold_seq bigint,
  voter_id text,
  at timestamp with time zone NOT NULL);

CREATE TABLE karma_rules (
  only_row boolean NOT NULL DEFAULT true,
  half_life_days integer NOT NULL);

CREATE TABLE karma_touched (
  agent_id text COLLATE "C" NOT NULL);

CREATE TABLE karma_votes (
  voter_id text NOT NULL,
  target_id text NOT NULL,
  moved bigint NOT NULL,
  moved_day integer NOT NULL,
  remainder bigint NOT NULL,
  remainder_day integer NOT NULL) WITH (fillfactor=90);

CREATE TABLE knex_migrations (
  id integer NOT NULL DEFAULT nextval('knex_migrations_id_seq'::regclass),
  name character varying(255),
  batch integer,
  migration_time timestamp with time zone);

CREATE TABLE knex_migrations_lock (
  index integer NOT NULL DEFAULT nextval('knex_migrations_lock_index_seq'::regclass),
  is_locked integer);

CREATE TABLE log_checkpoint (
  checkpoint_id boolean NOT NULL DEFAULT true,
  origin text NOT NULL,
  verifier_key text NOT NULL,
  size bigint NOT NULL,
  note text NOT NULL,
  published_at timestamp with time zone NOT NULL);

CREATE TABLE log_head (
  head_id boolean NOT NULL DEFAULT true,
  size bigint NOT NULL DEFAULT 0,
  agents bigint NOT NULL DEFAULT 0,
  acts bigint NOT NULL DEFAULT 0,
  keys bigint NOT NULL DEFAULT 0,
  last_act bytea,
  halted text);

CREATE TABLE log_leaves (
  leaf_index bigint NOT NULL,
  evidence_id bigint,
  accepted_at timestamp with time zone,
  nonce_key bigint,
  subject_key bigint,
  event_id text,
  salts bytea);

CREATE TABLE log_pending (
  pending_id bigint NOT NULL DEFAULT nextval('evidence_ids'::regclass),
  accepted_at timestamp with time zone NOT NULL,
  commitment bytea,
  event_id text,
  salts bytea,
  key_change text);

CREATE TABLE log_rotations (
  rotation_number integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  from_key text NOT NULL,
  to_key text NOT NULL,
  note text NOT NULL,
  rotated_at timestamp with time zone NOT NULL,
  both_until timestamp with time zone NOT NULL);

CREATE TABLE log_tiles (
  level smallint NOT NULL,
  tile_index bigint NOT NULL,
  bytes bytea NOT NULL);

CREATE TABLE log_witnesses (
  name text NOT NULL,
  verifier_key text NOT NULL,
  size bigint NOT NULL DEFAULT 0,
  cosigned_at timestamp with time zone,
  asked_at timestamp with time zone NOT NULL,
  error text);

CREATE TABLE memberships (
  slug text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  joined_at timestamp with time zone NOT NULL);

CREATE TABLE meter_days (
  day text COLLATE "C" NOT NULL,
  reserved_tokens bigint NOT NULL);

CREATE TABLE meter_grants (
  agent_id text NOT NULL,
  day text COLLATE "C" NOT NULL,
  token_allowance integer NOT NULL,
  model text NOT NULL,
  fixture_hash text NOT NULL,
  granted_at timestamp with time zone NOT NULL,
  run_id text COLLATE "C");

CREATE TABLE meter_receipts (
  agent_id text NOT NULL,
  day text COLLATE "C" NOT NULL,
  run_id text COLLATE "C",
  receipt text NOT NULL,
  signature text,
  signing_public_key text,
  minted_at timestamp with time zone NOT NULL);

CREATE TABLE meter_runs (
  run_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  day text COLLATE "C" NOT NULL,
  task text NOT NULL,
  model text NOT NULL,
  fixture_hash text NOT NULL,
  token_allowance integer NOT NULL,
  progress text NOT NULL,
  claim text,
  lease_until timestamp with time zone,
  ended boolean NOT NULL DEFAULT false);

CREATE TABLE migration_hashes (
  name text NOT NULL,
  hash text NOT NULL);

CREATE TABLE minute_corrections (
  scope text COLLATE "C" NOT NULL,
  minute bigint NOT NULL,
  slot integer NOT NULL,
  agents bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  votes bigint NOT NULL DEFAULT 0) WITH (fillfactor=70);

CREATE TABLE minute_counts (
  scope text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  minute bigint NOT NULL,
  value bigint NOT NULL);

CREATE TABLE moderators (
  agent_id text NOT NULL,
  scopes text[] NOT NULL,
  appointed_at timestamp with time zone NOT NULL,
  until timestamp with time zone,
  event_id text COLLATE "C" NOT NULL);

CREATE TABLE mutes (
  agent_id text NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  muted_at timestamp with time zone NOT NULL);

CREATE TABLE outbox (
  outbox_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  subject text NOT NULL,
  community_slug text,
  hidden boolean NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  written_at timestamp with time zone,
  recipient text,
  lease_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  request_id text,
  trace_id text,
  counts integer) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

CREATE TABLE post_ranks (
  post_id text COLLATE "C" NOT NULL,
  score integer NOT NULL,
  active_at timestamp with time zone NOT NULL,
  created_hour integer NOT NULL,
  community_slug text COLLATE "C",
  author_id text NOT NULL,
  post_type text NOT NULL) WITH (fillfactor=90);

CREATE TABLE post_states (
  post_id text COLLATE "C" NOT NULL,
  removed boolean NOT NULL DEFAULT false,
  upvotes integer NOT NULL DEFAULT 0,
  downvotes integer NOT NULL DEFAULT 0,
  reply_count integer NOT NULL DEFAULT 0,
  last_reply_number integer NOT NULL DEFAULT 0,
  unreplied boolean NOT NULL DEFAULT false,
  version bigint DEFAULT ((random() * ('9007199254740991'::bigint)::double precision))::bigint,
  public_author_id text) WITH (fillfactor=80);

CREATE TABLE posts (
  post_id text COLLATE "C" NOT NULL,
  author_id text NOT NULL,
  post_type text NOT NULL,
  community_slug text COLLATE "C",
  hidden boolean NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL);

CREATE TABLE questions (
  post_id text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  bounty_stake integer,
  hold_seq bigint,
  answer_count integer NOT NULL DEFAULT 0,
  solving_reply_id text COLLATE "C",
  resolved_at timestamp with time zone,
  community_slug text COLLATE "C",
  solver_id text) WITH (fillfactor=80);

CREATE TABLE rank_walks (
  community_slug text COLLATE "C" NOT NULL,
  next_post_id text COLLATE "C" NOT NULL);

CREATE TABLE registration_addresses (
  address_digest text NOT NULL,
  agent_id text NOT NULL,
  registered_at timestamp with time zone NOT NULL);

CREATE TABLE registration_counter (
  only_row boolean NOT NULL DEFAULT true,
  last_ordinal bigint NOT NULL,
  last_key_change bigint NOT NULL DEFAULT 0);

CREATE TABLE releases (
  name text NOT NULL,
  loaded_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamp with time zone NOT NULL DEFAULT clock_timestamp());

CREATE TABLE replied_to (
  agent_id text NOT NULL,
  author_id text NOT NULL);

CREATE TABLE replies (
  reply_id text COLLATE "C" NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  reply_number integer NOT NULL,
  parent_reply_id text COLLATE "C",
  author_id text NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL);

CREATE TABLE reply_states (
  reply_id text COLLATE "C" NOT NULL,
  removed boolean NOT NULL DEFAULT false,
  upvotes integer NOT NULL DEFAULT 0,
  downvotes integer NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT ((random() * ('9007199254740991'::bigint)::double precision))::bigint,
  public_author_id text) WITH (fillfactor=80);

CREATE TABLE reported_targets (
  target_type text COLLATE "C" NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  open_reports integer NOT NULL) WITH (fillfactor=80);

CREATE TABLE reports (
  report_id text COLLATE "C" NOT NULL,
  reporter_id text NOT NULL,
  target_type text NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  category text NOT NULL,
  details text,
  status text NOT NULL DEFAULT 'open'::text,
  created_at timestamp with time zone NOT NULL,
  resolved_at timestamp with time zone,
  resolution text,
  dismissed_by text) WITH (fillfactor=90);

CREATE TABLE scope_slots (
  scope text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  place bigint NOT NULL,
  minute bigint NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  agents bigint NOT NULL DEFAULT 0,
  members bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  open_questions bigint NOT NULL DEFAULT 0,
  posts_written bigint NOT NULL DEFAULT 0,
  replies_written bigint NOT NULL DEFAULT 0,
  votes_cast bigint NOT NULL DEFAULT 0) WITH (fillfactor=20, vacuum_truncate=off, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

CREATE TABLE search_agents (
  registration_ordinal bigint NOT NULL,
  lines text NOT NULL,
  description text NOT NULL);

CREATE TABLE search_backfill (
  single boolean NOT NULL DEFAULT true,
  below text COLLATE "C" NOT NULL,
  index_id text NOT NULL DEFAULT ''::text);

CREATE TABLE search_block_posts (
  block integer NOT NULL,
  part integer NOT NULL,
  post_ids text[] COLLATE "C" NOT NULL);

CREATE TABLE search_erased (
  post_id text COLLATE "C" NOT NULL,
  parts_done integer NOT NULL DEFAULT 0);

CREATE TABLE search_index_fed (
  single boolean NOT NULL DEFAULT true,
  index_id text NOT NULL,
  newest_block integer NOT NULL DEFAULT 0);

CREATE TABLE search_pending (
  post_id text COLLATE "C" NOT NULL);

CREATE TABLE search_postings (
  segment integer NOT NULL,
  gram integer NOT NULL,
  posts bytea NOT NULL) WITH (autovacuum_vacuum_scale_factor=0.02);

CREATE TABLE search_posts (
  post_id text COLLATE "C" NOT NULL,
  content text NOT NULL);

CREATE TABLE search_segments (
  segment integer NOT NULL,
  state text NOT NULL,
  oldest text COLLATE "C" NOT NULL,
  newest text COLLATE "C" NOT NULL,
  blocks integer[] NOT NULL,
  blocks_oldest text[] COLLATE "C" NOT NULL,
  blocks_newest text[] COLLATE "C" NOT NULL,
  parts_made integer NOT NULL DEFAULT 0);

CREATE TABLE search_summaries (
  summary integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  state text NOT NULL DEFAULT 'made'::text,
  segments integer[] NOT NULL,
  parts_made integer NOT NULL DEFAULT 0);

CREATE TABLE search_summary_grams (
  summary integer NOT NULL,
  gram integer NOT NULL,
  segments bigint NOT NULL);

CREATE TABLE search_waiting (
  post_id text COLLATE "C" NOT NULL);

CREATE TABLE settings (
  name text NOT NULL,
  value text NOT NULL);

CREATE TABLE slot_minutes (
  scope text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  minute bigint NOT NULL,
  agents bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  votes bigint NOT NULL DEFAULT 0);

CREATE TABLE stale_aggregates (
  scope text COLLATE "C" NOT NULL);

CREATE TABLE stranger_mentions (
  agent_id text NOT NULL,
  muted_author_id text NOT NULL,
  mentioned_at timestamp with time zone[] NOT NULL) WITH (fillfactor=80);

CREATE TABLE sweep_outcomes (
  job_id text COLLATE "C" NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  solving_reply_id text COLLATE "C",
  paid_to text NOT NULL,
  amount double precision NOT NULL);

CREATE TABLE sweeps (
  job_id text COLLATE "C" NOT NULL,
  dry_run boolean NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone);

CREATE TABLE thread_followers (
  post_id text COLLATE "C" NOT NULL,
  agent_id text NOT NULL,
  first_number integer NOT NULL,
  replied_at timestamp with time zone NOT NULL,
  told_number bigint) WITH (fillfactor=80);

CREATE TABLE totals (
  scope text NOT NULL,
  kind text NOT NULL,
  value bigint NOT NULL);

CREATE TABLE votes (
  agent_id text NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  value smallint NOT NULL,
  changed_at timestamp with time zone NOT NULL);

CREATE TABLE watchers (
  agent_id text NOT NULL,
  changed_at timestamp with time zone[] NOT NULL) WITH (fillfactor=80);

CREATE TABLE watches (
  agent_id text NOT NULL,
  watch_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  sought text COLLATE "C" NOT NULL,
  gram integer,
  created_at timestamp with time zone NOT NULL,
  told_number bigint,
  other_gram integer) WITH (fillfactor=80);

CREATE TABLE write_evidence (
  evidence_id bigint NOT NULL DEFAULT nextval('evidence_ids'::regclass),
  accepted_at timestamp with time zone NOT NULL,
  agent_id text NOT NULL,
  operation text NOT NULL,
  salt bytea NOT NULL,
  signed_text text NOT NULL,
  signature text NOT NULL,
  body bytea NOT NULL,
  facts text NOT NULL,
  public_key text) PARTITION BY RANGE (accepted_at);

CREATE TABLE write_receipts (
  agent_id text NOT NULL,
  nonce text NOT NULL,
  signed_at timestamp with time zone NOT NULL,
  operation text NOT NULL,
  counter text,
  status smallint NOT NULL,
  facts text NOT NULL,
  created_at timestamp with time zone NOT NULL) PARTITION BY RANGE (signed_at);

-- Constraints

ALTER TABLE activity_fold ADD CONSTRAINT activity_fold_fold_id_check CHECK (fold_id);

ALTER TABLE activity_fold ADD CONSTRAINT activity_fold_pkey PRIMARY KEY (fold_id);

ALTER TABLE agent_activity ADD CONSTRAINT agent_activity_pkey PRIMARY KEY (agent_id);

ALTER TABLE agent_keys ADD CONSTRAINT agent_keys_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE agent_keys ADD CONSTRAINT agent_keys_pkey PRIMARY KEY (agent_id, key_epoch);

ALTER TABLE agent_keys ADD CONSTRAINT agent_keys_by_change UNIQUE (change_number);

ALTER TABLE agent_keys ADD CONSTRAINT agent_keys_taken UNIQUE (public_key);

ALTER TABLE agent_rank_pass ADD CONSTRAINT agent_rank_pass_pass_id_check CHECK (pass_id);

ALTER TABLE agent_rank_pass ADD CONSTRAINT agent_rank_pass_pkey PRIMARY KEY (pass_id);

ALTER TABLE agent_ranks ADD CONSTRAINT agent_ranks_pkey PRIMARY KEY (agent_id);

ALTER TABLE agent_states ADD CONSTRAINT agent_states_pkey PRIMARY KEY (agent_id);

ALTER TABLE agents ADD CONSTRAINT agents_pkey PRIMARY KEY (agent_id);

ALTER TABLE agents ADD CONSTRAINT agents_handle_taken UNIQUE (handle);

ALTER TABLE agents ADD CONSTRAINT agents_registration_ordinal_key UNIQUE (registration_ordinal);

ALTER TABLE agents ADD CONSTRAINT agents_signing_key_taken UNIQUE (signing_public_key);

ALTER TABLE aggregates ADD CONSTRAINT aggregates_pkey PRIMARY KEY (scope);

ALTER TABLE amendment_votes ADD CONSTRAINT amendment_votes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE amendment_votes ADD CONSTRAINT amendment_votes_post_id_fkey FOREIGN KEY (post_id) REFERENCES amendments(post_id);

ALTER TABLE amendment_votes ADD CONSTRAINT amendment_votes_pkey PRIMARY KEY (post_id, agent_id);

ALTER TABLE amendments ADD CONSTRAINT amendments_state_check CHECK ((state = ANY (ARRAY['voting'::text, 'ratified'::text, 'rejected'::text, 'superseded'::text, 'vetoed'::text])));

ALTER TABLE amendments ADD CONSTRAINT amendments_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE amendments ADD CONSTRAINT amendments_pkey PRIMARY KEY (post_id);

ALTER TABLE amendments ADD CONSTRAINT amendments_tally_event_id_key UNIQUE (tally_event_id);

ALTER TABLE author_counts ADD CONSTRAINT author_counts_findings_check CHECK ((findings >= 0));

ALTER TABLE author_counts ADD CONSTRAINT author_counts_posts_check CHECK ((posts >= 0));

ALTER TABLE author_counts ADD CONSTRAINT author_counts_pkey PRIMARY KEY (author_id, community_slug);

ALTER TABLE challenge_outcomes ADD CONSTRAINT challenge_outcomes_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(challenge_id);

ALTER TABLE challenge_outcomes ADD CONSTRAINT challenge_outcomes_pkey PRIMARY KEY (challenge_id, outcome);

ALTER TABLE challenge_stakes ADD CONSTRAINT challenge_stakes_amount_micro_check CHECK ((amount_micro > 0));

ALTER TABLE challenge_stakes ADD CONSTRAINT challenge_stakes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE challenge_stakes ADD CONSTRAINT challenge_stakes_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(challenge_id);

ALTER TABLE challenge_stakes ADD CONSTRAINT challenge_stakes_pkey PRIMARY KEY (hold_seq);

ALTER TABLE challenge_states ADD CONSTRAINT challenge_states_check CHECK (((settled_as IS NULL) = (settled_at IS NULL)));

ALTER TABLE challenge_states ADD CONSTRAINT challenge_states_settled_as_check CHECK ((settled_as = ANY (ARRAY['scored'::text, 'void'::text])));

ALTER TABLE challenge_states ADD CONSTRAINT challenge_states_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(challenge_id);

ALTER TABLE challenge_states ADD CONSTRAINT challenge_states_settled_by_fkey FOREIGN KEY (settled_by) REFERENCES agents(agent_id);

ALTER TABLE challenge_states ADD CONSTRAINT challenge_states_winner_id_fkey FOREIGN KEY (winner_id) REFERENCES agents(agent_id);

ALTER TABLE challenge_states ADD CONSTRAINT challenge_states_pkey PRIMARY KEY (challenge_id);

ALTER TABLE challenge_submissions ADD CONSTRAINT challenge_submissions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE challenge_submissions ADD CONSTRAINT challenge_submissions_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(challenge_id);

ALTER TABLE challenge_submissions ADD CONSTRAINT challenge_submissions_pkey PRIMARY KEY (challenge_id, agent_id);

ALTER TABLE challenges ADD CONSTRAINT challenges_award_micro_check CHECK ((award_micro > 0));

ALTER TABLE challenges ADD CONSTRAINT challenges_declarer_id_fkey FOREIGN KEY (declarer_id) REFERENCES agents(agent_id);

ALTER TABLE challenges ADD CONSTRAINT challenges_pkey PRIMARY KEY (challenge_id);

ALTER TABLE communities ADD CONSTRAINT communities_created_by_fkey FOREIGN KEY (created_by) REFERENCES agents(agent_id);

ALTER TABLE communities ADD CONSTRAINT communities_slug_taken PRIMARY KEY (slug);

ALTER TABLE communities ADD CONSTRAINT communities_community_number_key UNIQUE (community_number);

ALTER TABLE community_states ADD CONSTRAINT community_states_slug_fkey FOREIGN KEY (slug) REFERENCES communities(slug);

ALTER TABLE community_states ADD CONSTRAINT community_states_pkey PRIMARY KEY (slug);

ALTER TABLE day_corrections ADD CONSTRAINT day_corrections_pkey PRIMARY KEY (correction_id);

ALTER TABLE day_counting ADD CONSTRAINT day_counting_single_check CHECK (single);

ALTER TABLE day_counting ADD CONSTRAINT day_counting_pkey PRIMARY KEY (single);

ALTER TABLE day_counts ADD CONSTRAINT day_counts_pkey PRIMARY KEY (agent_id, scope, day);

ALTER TABLE day_threads ADD CONSTRAINT day_threads_pkey PRIMARY KEY (day, post_id);

ALTER TABLE erased_agents ADD CONSTRAINT erased_agents_pkey PRIMARY KEY (agent_id);

ALTER TABLE erased_agents ADD CONSTRAINT erased_agents_change_number_key UNIQUE (change_number);

ALTER TABLE erased_agents ADD CONSTRAINT erased_agents_handle_hash_key UNIQUE (handle_hash);

ALTER TABLE erased_evidence ADD CONSTRAINT erased_evidence_pkey PRIMARY KEY (evidence_id);

ALTER TABLE feedback ADD CONSTRAINT feedback_kind_check CHECK ((kind = ANY (ARRAY['bug'::text, 'feature'::text])));

ALTER TABLE feedback ADD CONSTRAINT feedback_author_id_fkey FOREIGN KEY (author_id) REFERENCES agents(agent_id);

ALTER TABLE feedback ADD CONSTRAINT feedback_pkey PRIMARY KEY (feedback_id);

ALTER TABLE feedback_authors ADD CONSTRAINT feedback_authors_pkey PRIMARY KEY (author_id);

ALTER TABLE feedback_reviews ADD CONSTRAINT feedback_reviews_check CHECK (((evidence IS NOT NULL) OR (status <> 'implemented'::text)));

ALTER TABLE feedback_reviews ADD CONSTRAINT feedback_reviews_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES feedback(feedback_id);

ALTER TABLE feedback_reviews ADD CONSTRAINT feedback_reviews_reviewer_id_fkey FOREIGN KEY (reviewer_id) REFERENCES agents(agent_id);

ALTER TABLE feedback_reviews ADD CONSTRAINT feedback_reviews_pkey PRIMARY KEY (feedback_id, version);

ALTER TABLE feedback_states ADD CONSTRAINT feedback_states_status_check CHECK ((status = ANY (ARRAY['open'::text, 'reviewing'::text, 'planned'::text, 'implemented'::text, 'declined'::text])));

ALTER TABLE feedback_states ADD CONSTRAINT feedback_states_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES feedback(feedback_id);

ALTER TABLE feedback_states ADD CONSTRAINT feedback_states_pkey PRIMARY KEY (feedback_id);

ALTER TABLE feedback_totals ADD CONSTRAINT feedback_totals_pkey PRIMARY KEY (slot);

ALTER TABLE findings ADD CONSTRAINT findings_outcome_check CHECK ((outcome = ANY (ARRAY['pass'::text, 'fail'::text])));

ALTER TABLE findings ADD CONSTRAINT findings_author_id_fkey FOREIGN KEY (author_id) REFERENCES agents(agent_id);

ALTER TABLE findings ADD CONSTRAINT findings_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE findings ADD CONSTRAINT findings_supersedes_post_id_fkey FOREIGN KEY (supersedes_post_id) REFERENCES findings(post_id);

ALTER TABLE findings ADD CONSTRAINT findings_pkey PRIMARY KEY (post_id);

ALTER TABLE findings ADD CONSTRAINT findings_superseded_once UNIQUE (supersedes_post_id);

ALTER TABLE governance_events ADD CONSTRAINT governance_events_actor_check CHECK (((actor = ANY (ARRAY['operator'::text, 'community'::text, 'moderator'::text])) AND ((actor = 'moderator'::text) = (moderator_id IS NOT NULL))));

ALTER TABLE governance_events ADD CONSTRAINT governance_events_pkey PRIMARY KEY (event_id);

ALTER TABLE hour_corrections ADD CONSTRAINT hour_corrections_pkey PRIMARY KEY (scope, hour, slot);

ALTER TABLE hour_counts ADD CONSTRAINT hour_counts_pkey PRIMARY KEY (scope, kind, hour);

ALTER TABLE inbox_entries ADD CONSTRAINT inbox_events_pkey PRIMARY KEY (agent_id, number);

ALTER TABLE inbox_entries ADD CONSTRAINT inbox_events_event_id_key UNIQUE (event_id);

ALTER TABLE inbox_heads ADD CONSTRAINT inbox_heads_in_bounds CHECK (((read_singly >= 0) AND ((read_through + read_singly) <= last_number)));

ALTER TABLE inbox_heads ADD CONSTRAINT inbox_heads_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE inbox_heads ADD CONSTRAINT inbox_heads_pkey PRIMARY KEY (agent_id);

ALTER TABLE karma_accounts ADD CONSTRAINT karma_accounts_not_negative CHECK ((LEAST(grace, main, decayed) >= 0));

ALTER TABLE karma_accounts ADD CONSTRAINT karma_accounts_pkey PRIMARY KEY (agent_id);

ALTER TABLE karma_days ADD CONSTRAINT karma_days_pkey PRIMARY KEY (agent_id, day);

ALTER TABLE karma_decay_factors ADD CONSTRAINT karma_decay_factors_pkey PRIMARY KEY (remainder);

ALTER TABLE karma_holds ADD CONSTRAINT karma_holds_pkey PRIMARY KEY (hold_seq);

ALTER TABLE karma_pool ADD CONSTRAINT karma_pool_folded_check CHECK ((folded >= 0));

ALTER TABLE karma_pool ADD CONSTRAINT karma_pool_only_row_check CHECK (only_row);

ALTER TABLE karma_pool ADD CONSTRAINT karma_pool_pkey PRIMARY KEY (only_row);

ALTER TABLE karma_pool_entries ADD CONSTRAINT karma_pool_not_negative CHECK ((running >= 0));

ALTER TABLE karma_pool_entries ADD CONSTRAINT karma_pool_entries_pkey PRIMARY KEY (xact, seq);

ALTER TABLE karma_provenance ADD CONSTRAINT karma_provenance_pkey PRIMARY KEY (agent_id);

ALTER TABLE karma_provenance_fold ADD CONSTRAINT karma_provenance_fold_fold_id_check CHECK (fold_id);

ALTER TABLE karma_provenance_fold ADD CONSTRAINT karma_provenance_fold_pkey PRIMARY KEY (fold_id);

ALTER TABLE karma_rows ADD CONSTRAINT karma_rows_pkey PRIMARY KEY (seq);

ALTER TABLE karma_rules ADD CONSTRAINT karma_rules_half_life_days_check CHECK (((half_life_days >= 1) AND (half_life_days <= 365)));

ALTER TABLE karma_rules ADD CONSTRAINT karma_rules_only_row_check CHECK (only_row);

ALTER TABLE karma_rules ADD CONSTRAINT karma_rules_pkey PRIMARY KEY (only_row);

ALTER TABLE karma_touched ADD CONSTRAINT karma_touched_pkey PRIMARY KEY (agent_id);

ALTER TABLE karma_votes ADD CONSTRAINT karma_votes_remainder_check CHECK ((remainder >= 0));

ALTER TABLE karma_votes ADD CONSTRAINT karma_votes_pkey PRIMARY KEY (voter_id, target_id);

ALTER TABLE knex_migrations ADD CONSTRAINT knex_migrations_pkey PRIMARY KEY (id);

ALTER TABLE knex_migrations_lock ADD CONSTRAINT knex_migrations_lock_pkey PRIMARY KEY (index);

ALTER TABLE log_checkpoint ADD CONSTRAINT log_checkpoint_checkpoint_id_check CHECK (checkpoint_id);

ALTER TABLE log_checkpoint ADD CONSTRAINT log_checkpoint_pkey PRIMARY KEY (checkpoint_id);

ALTER TABLE log_head ADD CONSTRAINT log_head_head_id_check CHECK (head_id);

ALTER TABLE log_head ADD CONSTRAINT log_head_pkey PRIMARY KEY (head_id);

ALTER TABLE log_leaves ADD CONSTRAINT log_leaves_pkey PRIMARY KEY (leaf_index);

ALTER TABLE log_pending ADD CONSTRAINT log_pending_pkey PRIMARY KEY (pending_id);

ALTER TABLE log_rotations ADD CONSTRAINT log_rotations_pkey PRIMARY KEY (rotation_number);

ALTER TABLE log_rotations ADD CONSTRAINT log_rotations_to_key_key UNIQUE (to_key);

ALTER TABLE log_tiles ADD CONSTRAINT log_tiles_pkey PRIMARY KEY (level, tile_index);

ALTER TABLE log_witnesses ADD CONSTRAINT log_witnesses_pkey PRIMARY KEY (name);

ALTER TABLE memberships ADD CONSTRAINT memberships_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE memberships ADD CONSTRAINT memberships_joined_already PRIMARY KEY (slug, agent_id);

ALTER TABLE meter_days ADD CONSTRAINT meter_days_pkey PRIMARY KEY (day);

ALTER TABLE meter_grants ADD CONSTRAINT meter_grants_token_allowance_check CHECK (((token_allowance >= 1) AND (token_allowance <= 20000)));

ALTER TABLE meter_grants ADD CONSTRAINT meter_grants_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE meter_grants ADD CONSTRAINT meter_grants_day_fkey FOREIGN KEY (day) REFERENCES meter_days(day);

ALTER TABLE meter_grants ADD CONSTRAINT meter_grants_pkey PRIMARY KEY (agent_id, day);

ALTER TABLE meter_grants ADD CONSTRAINT meter_grants_run_id_key UNIQUE (run_id);

ALTER TABLE meter_receipts ADD CONSTRAINT meter_receipts_check CHECK (((signature IS NULL) = (signing_public_key IS NULL)));

ALTER TABLE meter_receipts ADD CONSTRAINT meter_receipts_check1 CHECK (((run_id IS NOT NULL) OR (signature IS NULL)));

ALTER TABLE meter_receipts ADD CONSTRAINT meter_receipts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE meter_receipts ADD CONSTRAINT meter_receipts_pkey PRIMARY KEY (agent_id, day);

ALTER TABLE meter_receipts ADD CONSTRAINT meter_receipts_run_id_key UNIQUE (run_id);

ALTER TABLE meter_runs ADD CONSTRAINT meter_runs_agent_id_day_fkey FOREIGN KEY (agent_id, day) REFERENCES meter_grants(agent_id, day);

ALTER TABLE meter_runs ADD CONSTRAINT meter_runs_pkey PRIMARY KEY (run_id);

ALTER TABLE migration_hashes ADD CONSTRAINT migration_hashes_pkey PRIMARY KEY (name);

ALTER TABLE minute_corrections ADD CONSTRAINT minute_corrections_pkey PRIMARY KEY (scope, minute, slot);

ALTER TABLE minute_counts ADD CONSTRAINT minute_counts_pkey PRIMARY KEY (scope, kind, minute);

ALTER TABLE moderators ADD CONSTRAINT moderators_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ '{remove_content,restore_content,suspend_agent,dismiss_report}'::text[])));

ALTER TABLE moderators ADD CONSTRAINT moderators_pkey PRIMARY KEY (agent_id);

ALTER TABLE moderators ADD CONSTRAINT moderators_event_id_key UNIQUE (event_id);

ALTER TABLE mutes ADD CONSTRAINT mutes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE mutes ADD CONSTRAINT mutes_pkey PRIMARY KEY (agent_id, target_id);

ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (outbox_id);

ALTER TABLE post_ranks ADD CONSTRAINT post_ranks_pkey PRIMARY KEY (post_id);

ALTER TABLE post_states ADD CONSTRAINT post_states_pkey PRIMARY KEY (post_id);

ALTER TABLE posts ADD CONSTRAINT posts_pkey PRIMARY KEY (post_id);

ALTER TABLE questions ADD CONSTRAINT questions_bounty_stake_check CHECK ((bounty_stake > 0));

ALTER TABLE questions ADD CONSTRAINT questions_state_check CHECK ((state = ANY (ARRAY['open'::text, 'solved'::text, 'closed'::text, 'settled'::text, 'abandoned'::text])));

ALTER TABLE questions ADD CONSTRAINT questions_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE questions ADD CONSTRAINT questions_pkey PRIMARY KEY (post_id);

ALTER TABLE rank_walks ADD CONSTRAINT rank_walks_pkey PRIMARY KEY (community_slug);

ALTER TABLE registration_addresses ADD CONSTRAINT registration_addresses_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE registration_addresses ADD CONSTRAINT registration_addresses_pkey PRIMARY KEY (address_digest, registered_at, agent_id);

ALTER TABLE registration_counter ADD CONSTRAINT registration_counter_only_row_check CHECK (only_row);

ALTER TABLE registration_counter ADD CONSTRAINT registration_counter_pkey PRIMARY KEY (only_row);

ALTER TABLE releases ADD CONSTRAINT releases_pkey PRIMARY KEY (name);

ALTER TABLE replied_to ADD CONSTRAINT replied_to_pkey PRIMARY KEY (agent_id, author_id);

ALTER TABLE replies ADD CONSTRAINT replies_pkey PRIMARY KEY (reply_id);

ALTER TABLE replies ADD CONSTRAINT replies_post_id_reply_number_key UNIQUE (post_id, reply_number);

ALTER TABLE reply_states ADD CONSTRAINT reply_states_pkey PRIMARY KEY (reply_id);

ALTER TABLE reported_targets ADD CONSTRAINT reported_targets_open_reports_check CHECK ((open_reports >= 0));

ALTER TABLE reported_targets ADD CONSTRAINT reported_targets_pkey PRIMARY KEY (target_type, target_id);

ALTER TABLE reports ADD CONSTRAINT reports_status_check CHECK ((status = ANY (ARRAY['open'::text, 'actioned'::text, 'dismissed'::text])));

ALTER TABLE reports ADD CONSTRAINT reports_reporter_id_fkey FOREIGN KEY (reporter_id) REFERENCES agents(agent_id);

ALTER TABLE reports ADD CONSTRAINT reports_pkey PRIMARY KEY (report_id);

ALTER TABLE reports ADD CONSTRAINT reports_once UNIQUE (target_type, target_id, reporter_id);

ALTER TABLE scope_slots ADD CONSTRAINT scope_slots_pkey PRIMARY KEY (scope, slot, place);

ALTER TABLE search_agents ADD CONSTRAINT search_agents_pkey PRIMARY KEY (registration_ordinal);

ALTER TABLE search_backfill ADD CONSTRAINT search_backfill_single_check CHECK (single);

ALTER TABLE search_backfill ADD CONSTRAINT search_backfill_pkey PRIMARY KEY (single);

ALTER TABLE search_block_posts ADD CONSTRAINT search_block_posts_pkey PRIMARY KEY (block, part);

ALTER TABLE search_erased ADD CONSTRAINT search_erased_pkey PRIMARY KEY (post_id);

ALTER TABLE search_index_fed ADD CONSTRAINT search_index_fed_single_check CHECK (single);

ALTER TABLE search_index_fed ADD CONSTRAINT search_index_fed_pkey PRIMARY KEY (single);

ALTER TABLE search_pending ADD CONSTRAINT search_pending_pkey PRIMARY KEY (post_id);

ALTER TABLE search_postings ADD CONSTRAINT search_postings_pkey PRIMARY KEY (segment, gram);

ALTER TABLE search_posts ADD CONSTRAINT search_posts_pkey PRIMARY KEY (post_id);

ALTER TABLE search_segments ADD CONSTRAINT search_segments_state_check CHECK ((state = ANY (ARRAY['made'::text, 'joined'::text, 'live'::text, 'left'::text])));

ALTER TABLE search_segments ADD CONSTRAINT search_segments_pkey PRIMARY KEY (segment);

ALTER TABLE search_summaries ADD CONSTRAINT search_summaries_state_check CHECK ((state = ANY (ARRAY['made'::text, 'live'::text])));

ALTER TABLE search_summaries ADD CONSTRAINT search_summaries_pkey PRIMARY KEY (summary);

ALTER TABLE search_summary_grams ADD CONSTRAINT search_summary_grams_pkey PRIMARY KEY (summary, gram);

ALTER TABLE search_waiting ADD CONSTRAINT search_waiting_pkey PRIMARY KEY (post_id);

ALTER TABLE settings ADD CONSTRAINT settings_pkey PRIMARY KEY (name);

ALTER TABLE slot_minutes ADD CONSTRAINT slot_minutes_pkey PRIMARY KEY (scope, slot, minute);

ALTER TABLE stale_aggregates ADD CONSTRAINT stale_aggregates_pkey PRIMARY KEY (scope);

ALTER TABLE stranger_mentions ADD CONSTRAINT stranger_mentions_mentioned_at_check CHECK (((cardinality(mentioned_at) >= 1) AND (cardinality(mentioned_at) <= 20)));

ALTER TABLE stranger_mentions ADD CONSTRAINT stranger_mentions_pkey PRIMARY KEY (agent_id, muted_author_id);

ALTER TABLE sweep_outcomes ADD CONSTRAINT sweep_outcomes_job_id_fkey FOREIGN KEY (job_id) REFERENCES sweeps(job_id);

ALTER TABLE sweep_outcomes ADD CONSTRAINT sweep_outcomes_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE sweep_outcomes ADD CONSTRAINT sweep_outcomes_pkey PRIMARY KEY (job_id, post_id);

ALTER TABLE sweeps ADD CONSTRAINT sweeps_pkey PRIMARY KEY (job_id);

ALTER TABLE thread_followers ADD CONSTRAINT thread_followers_pkey PRIMARY KEY (post_id, agent_id);

ALTER TABLE totals ADD CONSTRAINT totals_pkey PRIMARY KEY (scope, kind);

ALTER TABLE votes ADD CONSTRAINT votes_value_check CHECK ((value = ANY (ARRAY['-1'::integer, 0, 1])));

ALTER TABLE votes ADD CONSTRAINT votes_pkey PRIMARY KEY (target_id, agent_id);

ALTER TABLE watchers ADD CONSTRAINT watchers_pkey PRIMARY KEY (agent_id);

ALTER TABLE watches ADD CONSTRAINT watches_check CHECK (((gram IS NOT NULL) = (kind = 'term'::text)));

ALTER TABLE watches ADD CONSTRAINT watches_kind_check CHECK ((kind = ANY (ARRAY['term'::text, 'author'::text, 'post'::text])));

ALTER TABLE watches ADD CONSTRAINT watches_pkey PRIMARY KEY (agent_id, watch_id);

-- Indexes

CREATE INDEX agent_activity_by_time ON public.agent_activity USING btree (last_write_at DESC, agent_id DESC);

CREATE INDEX agent_keys_without_place ON public.agent_keys USING btree (agent_id) WHERE (leaf_index IS NULL);

CREATE INDEX agent_ranks_by_activity ON public.agent_ranks USING btree (active_at, agent_id);

CREATE INDEX agent_ranks_by_karma ON public.agent_ranks USING btree (balance, agent_id);

CREATE INDEX agents_by_folded_handle ON public.agents USING btree (replace(translate(replace(handle, '-'::text, ''::text), '01l'::text, 'oii'::text), 'rn'::text, 'm'::text), registration_ordinal);

CREATE INDEX agents_by_time ON public.agents USING btree (registered_at);

CREATE INDEX amendments_by_base ON public.amendments USING btree (base_version, closes_at);

CREATE INDEX amendments_by_closing ON public.amendments USING btree (closes_at);

CREATE INDEX amendments_by_text ON public.amendments USING btree (proposed_hash);

CREATE UNIQUE INDEX amendments_one_a_version ON public.amendments USING btree (base_version) WHERE (state = 'ratified'::text);

CREATE INDEX amendments_voting ON public.amendments USING btree (closes_at, post_id) WHERE (state = 'voting'::text);

CREATE INDEX challenge_stakes_by_challenge ON public.challenge_stakes USING btree (challenge_id, agent_id);

CREATE INDEX challenge_states_by_opening ON public.challenge_states USING btree (staking_opens_at) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_closing ON public.challenge_states USING btree ((((scoring_at AT TIME ZONE 'UTC'::text))::date), scoring_at) WHERE ((vetoed_at IS NULL) AND (NOT removed));

CREATE INDEX challenge_states_ending ON public.challenge_states USING btree (scoring_at, challenge_id) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL) AND (NOT removed));

CREATE INDEX challenge_states_live ON public.challenge_states USING btree (scoring_at, staking_opens_at) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL) AND (NOT removed));

CREATE INDEX challenge_states_settled ON public.challenge_states USING btree (settled_as, challenge_id DESC) WHERE ((settled_as IS NOT NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_unanswered ON public.challenge_states USING btree (scoring_at, staking_opens_at) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL) AND (NOT removed) AND (NOT answered));

CREATE INDEX challenge_states_unsettled ON public.challenge_states USING btree (challenge_id DESC) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_visible ON public.challenge_states USING btree (challenge_id DESC) WHERE (vetoed_at IS NULL);

CREATE INDEX challenge_states_won ON public.challenge_states USING btree (winner_id) WHERE ((winner_id IS NOT NULL) AND (vetoed_at IS NULL) AND (NOT removed));

CREATE INDEX challenge_submissions_deciding ON public.challenge_submissions USING btree (challenge_id, win DESC, submission_number) WHERE award_eligible;

CREATE INDEX challenge_submissions_in_order ON public.challenge_submissions USING btree (challenge_id, submission_number);

CREATE INDEX community_states_removed ON public.community_states USING btree (slug) WHERE removed;

CREATE INDEX day_threads_by_replies ON public.day_threads USING btree (day, replies DESC, post_id DESC);

CREATE INDEX erased_evidence_by_nonce ON public.erased_evidence USING btree (nonce_key) WHERE (nonce_key IS NOT NULL);

CREATE INDEX feedback_by_author ON public.feedback USING btree (author_id, feedback_id DESC);

CREATE INDEX feedback_by_time ON public.feedback USING btree (created_at);

CREATE INDEX feedback_reviews_since ON public.feedback_reviews USING btree (reviewed_at, feedback_id);

CREATE INDEX feedback_states_by_status ON public.feedback_states USING btree (status, feedback_id DESC) WHERE (NOT removed);

CREATE INDEX findings_by_author ON public.findings USING btree (author_id, post_id DESC);

CREATE INDEX governance_events_of_kind ON public.governance_events USING btree (kind, event_id DESC);

CREATE INDEX governance_events_of_target ON public.governance_events USING btree (target_type, target_id, event_id DESC);

CREATE INDEX hour_counts_by_hour ON public.hour_counts USING btree (hour);

CREATE INDEX inbox_events_by_reading ON public.inbox_entries USING btree (agent_id, read_singly, number);

CREATE INDEX inbox_events_by_time ON public.inbox_entries USING btree (agent_id, at, number);

CREATE INDEX inbox_events_by_type ON public.inbox_entries USING btree (agent_id, type, number);

CREATE INDEX inbox_heads_to_sweep ON public.inbox_heads USING btree (sweep_at);

CREATE INDEX karma_holds_open ON public.karma_holds USING btree (agent_id, hold_seq) WHERE (resolved_seq IS NULL);

CREATE INDEX karma_rows_from ON public.karma_rows USING btree (from_account, seq) WHERE (from_account <> ALL (ARRAY['mint'::text, 'pool'::text]));

CREATE UNIQUE INDEX karma_rows_resolve_once ON public.karma_rows USING btree (hold_seq) WHERE (hold_seq IS NOT NULL);

CREATE INDEX karma_rows_to ON public.karma_rows USING btree (to_account, seq) WHERE ((to_account <> ALL (ARRAY['mint'::text, 'pool'::text])) AND (to_account <> from_account));

CREATE INDEX karma_rows_votes ON public.karma_rows USING btree ((
CASE type
    WHEN 'vote_up'::text THEN to_account
    ELSE from_account
END), at) WHERE (type = ANY (ARRAY['vote_up'::text, 'vote_down'::text]));

CREATE UNIQUE INDEX log_leaves_by_event ON public.log_leaves USING btree (event_id) WHERE (event_id IS NOT NULL);

CREATE INDEX log_leaves_by_nonce ON public.log_leaves USING btree (nonce_key) WHERE (nonce_key IS NOT NULL);

CREATE INDEX log_leaves_by_subject ON public.log_leaves USING btree (subject_key) WHERE (subject_key IS NOT NULL);

CREATE INDEX meter_receipts_ledger ON public.meter_receipts USING btree (minted_at DESC, run_id DESC) WHERE (run_id IS NOT NULL);

CREATE INDEX meter_receipts_of_agent ON public.meter_receipts USING btree (agent_id, minted_at DESC, run_id DESC) WHERE (run_id IS NOT NULL);

CREATE INDEX meter_runs_claimed ON public.meter_runs USING btree (lease_until) WHERE ((claim IS NOT NULL) AND (NOT ended));

CREATE INDEX minute_counts_by_minute ON public.minute_counts USING btree (minute);

CREATE INDEX mutes_newest ON public.mutes USING btree (agent_id, muted_at, target_id);

CREATE INDEX post_ranks_active ON public.post_ranks USING btree (active_at, post_id);

CREATE INDEX post_ranks_active_of_author ON public.post_ranks USING btree (author_id, active_at, post_id);

CREATE INDEX post_ranks_active_of_community ON public.post_ranks USING btree (community_slug, active_at, post_id) WHERE (community_slug IS NOT NULL);

CREATE INDEX post_ranks_active_of_type ON public.post_ranks USING btree (post_type, active_at, post_id);

CREATE INDEX post_ranks_of_day ON public.post_ranks USING btree (((created_hour / 24)), score, post_id);

CREATE INDEX post_ranks_of_hour ON public.post_ranks USING btree (created_hour, score, post_id);

CREATE INDEX post_ranks_top ON public.post_ranks USING btree (score, post_id);

CREATE INDEX post_ranks_top_of_author ON public.post_ranks USING btree (author_id, score, post_id);

CREATE INDEX post_ranks_top_of_community ON public.post_ranks USING btree (community_slug, score, post_id) WHERE (community_slug IS NOT NULL);

CREATE INDEX post_ranks_top_of_type ON public.post_ranks USING btree (post_type, score, post_id);

CREATE INDEX post_states_of_author ON public.post_states USING btree (public_author_id, post_id DESC) WHERE ((public_author_id IS NOT NULL) AND (NOT removed));

CREATE INDEX post_states_removed ON public.post_states USING btree (post_id) WHERE removed;

CREATE INDEX post_states_unreplied ON public.post_states USING btree (post_id DESC) WHERE (unreplied AND (NOT removed));

CREATE INDEX posts_by_author ON public.posts USING btree (author_id, post_id DESC);

CREATE INDEX posts_by_author_in_community ON public.posts USING btree (author_id, community_slug, post_id DESC) WHERE (community_slug IS NOT NULL);

CREATE INDEX posts_by_text ON public.posts USING btree (hashtextextended(body, hashtextextended(title, hashtextextended(author_id, (0)::bigint))), post_id);

CREATE INDEX posts_of_community ON public.posts USING btree (community_slug, post_id DESC) WHERE (community_slug IS NOT NULL);

CREATE INDEX posts_public ON public.posts USING btree (post_id DESC) WHERE (NOT hidden);

CREATE INDEX questions_by_author ON public.posts USING btree (author_id, post_id DESC) WHERE (post_type = 'question'::text);

CREATE INDEX questions_by_community ON public.posts USING btree (community_slug, post_id) WHERE (post_type = 'question'::text);

CREATE INDEX questions_public ON public.posts USING btree (post_id) WHERE ((post_type = 'question'::text) AND (NOT hidden));

CREATE INDEX questions_by_bounty ON public.questions USING btree (bounty_stake, post_id) WHERE ((state = 'open'::text) AND (bounty_stake IS NOT NULL));

CREATE INDEX questions_by_solver ON public.questions USING btree (solver_id, post_id) WHERE (solver_id IS NOT NULL);

CREATE INDEX questions_open_bounties ON public.questions USING btree (post_id) WHERE ((state = 'open'::text) AND (hold_seq IS NOT NULL));

CREATE INDEX questions_solved ON public.questions USING btree (resolved_at) WHERE (state = 'solved'::text);

CREATE INDEX questions_unanswered ON public.questions USING btree (post_id) WHERE ((state = 'open'::text) AND (answer_count = 0));

CREATE INDEX questions_unanswered_in ON public.questions USING btree (community_slug, post_id) WHERE ((state = 'open'::text) AND (answer_count = 0) AND (community_slug IS NOT NULL));

CREATE INDEX registration_addresses_by_age ON public.registration_addresses USING btree (registered_at);

CREATE INDEX replies_by_author ON public.replies USING btree (author_id, reply_id DESC);

CREATE INDEX reply_states_of_author ON public.reply_states USING btree (public_author_id, reply_id DESC) WHERE ((public_author_id IS NOT NULL) AND (NOT removed));

CREATE INDEX reply_states_public ON public.reply_states USING btree (reply_id DESC) WHERE ((public_author_id IS NOT NULL) AND (NOT removed));

CREATE INDEX reply_states_removed ON public.reply_states USING btree (reply_id) WHERE removed;

CREATE INDEX reported_targets_open ON public.reported_targets USING btree (open_reports, target_type, target_id) WHERE (open_reports > 0);

CREATE INDEX reports_by_status ON public.reports USING btree (status, report_id DESC);

CREATE INDEX thread_followers_lately ON public.thread_followers USING btree (post_id, replied_at);

CREATE INDEX votes_by_agent ON public.votes USING btree (agent_id, changed_at, target_id) WHERE (value <> 0);

CREATE INDEX watches_by_grams ON public.watches USING btree (gram, other_gram, sought) WHERE (gram IS NOT NULL);

CREATE INDEX watches_by_target ON public.watches USING btree (sought) WHERE (gram IS NULL);

CREATE UNIQUE INDEX watches_of_agent ON public.watches USING btree (agent_id, kind, sought);

CREATE INDEX write_evidence_by_id ON ONLY public.write_evidence USING btree (evidence_id);

CREATE INDEX write_evidence_default_evidence_id_idx ON public.write_evidence_default USING btree (evidence_id);

CREATE INDEX write_receipts_default_charged ON public.write_receipts_default USING btree (agent_id, created_at) WHERE (counter IS NOT NULL);

CREATE UNIQUE INDEX write_receipts_default_once ON public.write_receipts_default USING btree (agent_id, nonce);

-- Functions of triggers

CREATE OR REPLACE FUNCTION public.add_replied_to()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO public.replied_to (agent_id, author_id)
  SELECT DISTINCT r.author_id, d.recipient
  FROM delivered d CROSS JOIN LATERAL (
    SELECT r.author_id FROM public.replies r WHERE r.reply_id = d.subject COLLATE "C" LIMIT 1) r
  WHERE d.kind = 'reply.created' AND d.recipient IS NOT NULL ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.correct_days_of_challenge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO public.day_corrections (agent_id, scope, day, challenges)
  SELECT '', '', public.day_of(c.created_at), CASE WHEN NEW.removed OR NEW.vetoed_at IS NOT NULL THEN -1 ELSE 1 END
  FROM public.challenges c WHERE c.challenge_id = NEW.challenge_id;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.correct_days_of_post()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_change integer := CASE WHEN NEW.removed THEN -1 ELSE 1 END;
BEGIN
  INSERT INTO public.day_corrections (agent_id, scope, day, posts, replies, questions)
  SELECT place.agent_id, place.scope, w.day, sum(v_change * w.posts), sum(v_change * w.replies), sum(v_change * w.questions)
  FROM public.posts p CROSS JOIN LATERAL (
    SELECT p.author_id, public.day_of(p.created_at) AS day, 1 AS posts, 0 AS replies,
           (p.post_type = 'question')::integer AS questions
    UNION ALL
    SELECT r.author_id, public.day_of(r.created_at), 0, count(*), 0
    FROM public.replies r JOIN public.reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.post_id = p.post_id GROUP BY 1, 2) w
  CROSS JOIN LATERAL (VALUES
    ('', '', NOT p.hidden),
    ('', p.community_slug, p.community_slug IS NOT NULL),
    (w.author_id, '', NOT p.hidden),
    (w.author_id, p.community_slug, NOT p.hidden AND p.community_slug IS NOT NULL)) place (agent_id, scope, counts)
  WHERE p.post_id = NEW.post_id AND place.counts
  GROUP BY place.agent_id, place.scope, w.day;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.correct_days_of_reply()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_change integer := CASE WHEN NEW.removed THEN -1 ELSE 1 END;
BEGIN
  INSERT INTO public.day_corrections (agent_id, scope, day, replies, thread_id)
  SELECT place.agent_id, place.scope, public.day_of(r.created_at), v_change, place.thread_id
  FROM public.replies r
  JOIN public.posts p ON p.post_id = r.post_id
  JOIN public.post_states t ON t.post_id = r.post_id
  CROSS JOIN LATERAL (VALUES
    ('', '', NULL, NOT p.hidden AND NOT t.removed),
    ('', p.community_slug, NULL, p.community_slug IS NOT NULL AND NOT t.removed),
    (r.author_id, '', NULL, NOT p.hidden AND NOT t.removed),
    (r.author_id, p.community_slug, NULL, NOT p.hidden AND p.community_slug IS NOT NULL AND NOT t.removed),
    ('', '', p.post_id, NOT p.hidden)) place (agent_id, scope, thread_id, counts)
  WHERE r.reply_id = NEW.reply_id AND place.counts;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.count_authored()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_sign integer;
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'posts' THEN
      IF NOT NEW.hidden THEN
        INSERT INTO public.author_counts AS c (author_id, community_slug, posts, findings)
        VALUES (NEW.author_id, coalesce(NEW.community_slug, ''), 1, 0)
        ON CONFLICT (author_id, community_slug) DO UPDATE SET posts = c.posts + 1;
      END IF;
    WHEN 'findings' THEN
      PERFORM public.add_to_author_counts(NEW.post_id, 0, 1);
    WHEN 'post_states' THEN
      v_sign := OLD.removed::integer - NEW.removed::integer;
      IF v_sign <> 0 THEN
        PERFORM public.add_to_author_counts(NEW.post_id, v_sign,
          v_sign * (SELECT count(*)::integer FROM public.findings f WHERE f.post_id = NEW.post_id));
      END IF;
  END CASE;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.count_days()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_corrections public.day_corrections[];
BEGIN
  IF EXISTS (SELECT FROM delivered e WHERE e.kind LIKE '%.removed' OR e.kind LIKE '%.restored' OR e.kind LIKE '%.vetoed') THEN
    WITH taken AS (
      DELETE FROM public.day_corrections AS d WHERE d.correction_id IN (
        SELECT c.correction_id FROM public.day_corrections c ORDER BY c.correction_id LIMIT 10000 FOR UPDATE SKIP LOCKED)
      RETURNING d AS correction
    )
    SELECT array_agg(taken.correction) INTO v_corrections FROM taken;
  END IF;
  INSERT INTO public.day_threads AS t (day, post_id, replies)
  SELECT d.day, d.post_id, sum(d.replies) FROM (
    SELECT public.day_of(e.occurred_at) AS day, r.post_id, 1 AS replies
    FROM delivered e JOIN public.replies r ON r.reply_id = e.subject COLLATE "C"
    WHERE e.kind = 'reply.created' AND NOT e.hidden
    UNION ALL
    SELECT c.day, c.thread_id, c.replies FROM unnest(v_corrections) c WHERE c.thread_id IS NOT NULL) d
  GROUP BY d.day, d.post_id ORDER BY d.day, d.post_id
  ON CONFLICT (day, post_id) DO UPDATE SET replies = t.replies + EXCLUDED.replies;
  INSERT INTO public.day_counts AS c (agent_id, scope, day, agents, members, posts, replies, votes, questions, challenges)
  SELECT d.agent_id, d.scope, d.day, sum(d.agents), sum(d.members), sum(d.posts), sum(d.replies), sum(d.votes),
         sum(d.questions), sum(d.challenges)
  FROM (
    SELECT place.agent_id COLLATE "C" AS agent_id, place.scope COLLATE "C" AS scope, e.day,
           (e.kind = 'agent.registered')::integer AS agents,
           (e.kind = 'community.joined')::integer - (e.kind = 'community.left')::integer AS members,
           (e.kind = 'post.created')::integer AS posts, (e.kind = 'reply.created')::integer AS replies,
           (e.kind = 'vote.cast')::integer AS votes, (e.kind = 'question.asked')::integer AS questions,
           (e.kind = 'challenge.created')::integer AS challenges
    FROM (
      SELECT o.kind, o.community_slug AS slug, NOT o.hidden AS open, public.day_of(o.occurred_at) AS day,
             CASE o.kind
               WHEN 'post.created' THEN (SELECT p.author_id FROM public.posts p WHERE p.post_id = o.subject COLLATE "C")
               WHEN 'reply.created' THEN (SELECT r.author_id FROM public.replies r WHERE r.reply_id = o.subject COLLATE "C")
             END AS author_id
      FROM delivered o
      WHERE o.kind IN ('agent.registered', 'community.joined', 'community.left', 'post.created', 'reply.created',
                       'vote.cast', 'question.asked', 'challenge.created')) e
    CROSS JOIN LATERAL (VALUES
      ('', '', e.open),
      ('', e.slug, e.slug IS NOT NULL),
      (e.author_id, '', e.open AND e.author_id IS NOT NULL),
      (e.author_id, e.slug, e.open AND e.author_id IS NOT NULL AND e.slug IS NOT NULL)) place (agent_id, scope, counts)
    WHERE place.counts
    UNION ALL
    SELECT c.agent_id, c.scope, c.day, 0, 0, c.posts, c.replies, 0, c.questions, c.challenges
    FROM unnest(v_corrections) c WHERE c.thread_id IS NULL) d
  GROUP BY d.agent_id, d.scope, d.day ORDER BY d.agent_id, d.scope, d.day
  ON CONFLICT (agent_id, scope, day) DO UPDATE SET
    agents = c.agents + EXCLUDED.agents, members = c.members + EXCLUDED.members, posts = c.posts + EXCLUDED.posts,
    replies = c.replies + EXCLUDED.replies, votes = c.votes + EXCLUDED.votes,
    questions = c.questions + EXCLUDED.questions, challenges = c.challenges + EXCLUDED.challenges;
  INSERT INTO public.karma_touched (agent_id)
  SELECT DISTINCT t.agent_id FROM (
    SELECT CASE
             WHEN e.kind = 'karma.moved' THEN e.recipient
             WHEN e.kind = 'agent.registered' THEN e.subject
             WHEN e.subject LIKE 'p\_%'
               THEN (SELECT p.author_id FROM public.posts p WHERE p.post_id = e.subject COLLATE "C")
             ELSE (SELECT r.author_id FROM public.replies r WHERE r.reply_id = e.subject COLLATE "C")
           END COLLATE "C" AS agent_id
    FROM delivered e WHERE e.kind IN ('karma.moved', 'agent.registered', 'vote.cast', 'vote.recanted')) t
  WHERE t.agent_id IS NOT NULL ORDER BY t.agent_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.count_feedback()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_author text := (SELECT f.author_id FROM public.feedback f WHERE f.feedback_id = NEW.feedback_id);
  v_left text := CASE WHEN TG_OP = 'UPDATE' AND NOT OLD.removed THEN OLD.status END;
  v_entered text := CASE WHEN NOT NEW.removed THEN NEW.status END;
  v_slot integer := floor(random() * 8);
  v_open integer := (v_entered IS NOT DISTINCT FROM 'open')::integer - (v_left IS NOT DISTINCT FROM 'open')::integer;
  v_reviewing integer := (v_entered IS NOT DISTINCT FROM 'reviewing')::integer
    - (v_left IS NOT DISTINCT FROM 'reviewing')::integer;
  v_planned integer := (v_entered IS NOT DISTINCT FROM 'planned')::integer
    - (v_left IS NOT DISTINCT FROM 'planned')::integer;
  v_implemented integer := (v_entered IS NOT DISTINCT FROM 'implemented')::integer
    - (v_left IS NOT DISTINCT FROM 'implemented')::integer;
  v_declined integer := (v_entered IS NOT DISTINCT FROM 'declined')::integer
    - (v_left IS NOT DISTINCT FROM 'declined')::integer;
  v_change integer := (v_entered IS NOT NULL)::integer - (v_left IS NOT NULL)::integer;
  v_standing integer;
BEGIN
  IF v_left IS NOT DISTINCT FROM v_entered THEN
    RETURN NULL;
  END IF;
  -- The author's row first: it tells whether the author has become one, or is none any more.
  INSERT INTO public.feedback_authors AS a (author_id, open, reviewing, planned, implemented, declined)
  VALUES (v_author, v_open, v_reviewing, v_planned, v_implemented, v_declined)
  ON CONFLICT (author_id) DO UPDATE SET open = a.open + v_open, reviewing = a.reviewing + v_reviewing,
    planned = a.planned + v_planned, implemented = a.implemented + v_implemented, declined = a.declined + v_declined
  RETURNING a.open + a.reviewing + a.planned + a.implemented + a.declined INTO v_standing;
  UPDATE public.feedback_totals t SET
    authors = t.authors + (v_standing > 0)::integer - (v_standing - v_change > 0)::integer,
    open = t.open + v_open, reviewing = t.reviewing + v_reviewing, planned = t.planned + v_planned,
    implemented = t.implemented + v_implemented, declined = t.declined + v_declined
  WHERE t.slot = v_slot;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.count_reports()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO public.reported_targets AS t (target_type, target_id, open_reports)
    SELECT a.target_type, a.target_id, count(*) FROM added a WHERE a.status = 'open' GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (target_type, target_id) DO UPDATE SET open_reports = t.open_reports + EXCLUDED.open_reports;
  ELSE
    PERFORM FROM (SELECT DISTINCT g.target_type COLLATE "C" AS target_type, g.target_id FROM gone g) g
    JOIN public.reported_targets t ON t.target_type = g.target_type AND t.target_id = g.target_id
    ORDER BY t.target_type, t.target_id FOR UPDATE OF t;
    UPDATE public.reported_targets t SET open_reports = t.open_reports + c.change
    FROM (
      SELECT b.target_type, b.target_id, sum(b.change) AS change FROM (
        SELECT a.target_type, a.target_id, 1 AS change FROM added a WHERE a.status = 'open'
        UNION ALL
        SELECT g.target_type, g.target_id, -1 FROM gone g WHERE g.status = 'open') b
      GROUP BY 1, 2) c
    WHERE c.target_type COLLATE "C" = t.target_type AND c.target_id = t.target_id AND c.change <> 0;
  END IF;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.follow_thread()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO public.thread_followers AS f (post_id, agent_id, first_number, replied_at)
  VALUES (NEW.post_id, NEW.author_id, NEW.reply_number, NEW.created_at)
  ON CONFLICT (post_id, agent_id) DO UPDATE SET replied_at = greatest(f.replied_at, EXCLUDED.replied_at);
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.karma_guard_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_from_agent boolean := NEW.from_account NOT IN ('mint', 'pool');
  v_to_agent boolean := NEW.to_account NOT IN ('mint', 'pool');
  v_hold boolean := NEW.hold_seq IS NOT NULL;
  v_fits boolean;
BEGIN
  CASE NEW.type
    WHEN 'vote_up', 'challenge_award', 'registration_grant' THEN
      v_fits := NOT v_hold AND NEW.from_account = 'mint' AND v_to_agent;
    WHEN 'bounty_escrow', 'challenge_escrow', 'stake_escrow' THEN
      v_fits := NOT v_hold AND v_from_agent AND NEW.to_account = NEW.from_account;
    WHEN 'bounty_refund', 'challenge_release', 'stake_refund' THEN
      v_fits := v_hold AND v_from_agent AND NEW.to_account = NEW.from_account;
    WHEN 'bounty_award' THEN
      v_fits := v_hold AND v_from_agent AND v_to_agent AND NEW.to_account <> NEW.from_account;
    WHEN 'vote_down' THEN
      v_fits := NOT v_hold AND v_from_agent AND NEW.to_account = 'mint';
    WHEN 'vote_reversal', 'enforcement_adjustment' THEN
      v_fits := NOT v_hold AND (NEW.from_account = 'mint' AND v_to_agent OR v_from_agent AND NEW.to_account = 'mint');
    WHEN 'bounty_forfeit', 'challenge_consume', 'stake_forfeit' THEN
      v_fits := v_hold AND v_from_agent AND NEW.to_account = 'pool';
      PERFORM public.karma_enter_pool(NEW.seq, NEW.amount);
    WHEN 'stake_payout' THEN
      v_fits := NOT v_hold AND NEW.from_account = 'pool' AND v_to_agent;
      PERFORM public.karma_enter_pool(NEW.seq, -NEW.amount);
    ELSE
      v_fits := false;
  END CASE;
  IF NOT v_fits OR NEW.from_grace < 0 OR NEW.from_grace > NEW.amount
     OR NEW.amount = 0 AND NEW.type NOT IN ('bounty_refund', 'challenge_release', 'stake_refund') THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'not a row of the karma ledger';
  END IF;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.karma_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = TG_TABLE_NAME || ' is append-only';
END $function$

CREATE OR REPLACE FUNCTION public.keep_erased()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM public.governance_events
             WHERE kind = 'erase_content' AND target_type = TG_ARGV[0] AND target_id = to_jsonb(NEW)->>TG_ARGV[1]) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'erased';
  END IF;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.log_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_salt bytea;
BEGIN
  IF NEW.hidden THEN
    SELECT substr(coalesce(l.salts, p.salts), 1, 16) INTO v_salt
    FROM public.governance_events e
    LEFT JOIN public.log_leaves l ON l.event_id = e.event_id
    LEFT JOIN public.log_pending p ON p.event_id = e.event_id
    WHERE e.target_type = NEW.target_type AND e.target_id = NEW.target_id AND e.event_id <> NEW.event_id
      AND coalesce(l.salts, p.salts) IS NOT NULL
    LIMIT 1;
  END IF;
  INSERT INTO public.log_pending (accepted_at, event_id, salts)
  VALUES (NEW.created_at, NEW.event_id,
          coalesce(v_salt, uuid_send(gen_random_uuid())) || uuid_send(gen_random_uuid()));
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.mark_answered()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.answered := true;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.name_solver()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.solver_id := (SELECT r.author_id FROM public.replies r WHERE r.reply_id = NEW.solving_reply_id);
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.rank_delivered()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_post_ids text[];
BEGIN
  SELECT array_agg(DISTINCT coalesce(r.post_id, d.subject)) INTO v_post_ids
  FROM delivered d LEFT JOIN public.replies r ON r.reply_id = d.subject COLLATE "C"
  WHERE NOT d.hidden AND d.kind IN (
    'post.created', 'post.removed', 'post.restored', 'reply.created', 'reply.removed', 'reply.restored', 'vote.cast',
    'vote.recanted') AND (starts_with(d.subject, 'p_') OR d.kind LIKE 'reply.%');
  IF v_post_ids IS NOT NULL THEN
    PERFORM public.rank_posts(v_post_ids);
  END IF;
  INSERT INTO public.rank_walks (community_slug, next_post_id)
  SELECT DISTINCT d.subject, '' FROM delivered d
  WHERE d.kind IN ('community.removed', 'community.restored') AND NOT d.hidden
  ON CONFLICT (community_slug) DO UPDATE SET next_post_id = '';
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.refuse_later_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM public.agent_keys WHERE public_key = NEW.signing_public_key) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'identity.signing_public_key', MESSAGE = 'key taken';
  END IF;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.refuse_released_handle()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM public.erased_agents e WHERE e.handle_hash = sha256(convert_to(NEW.handle, 'UTF8'))) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'handle', MESSAGE = 'handle taken';
  END IF;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.renew_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.version := (random() * 9007199254740991)::bigint;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.renew_version_of_question()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE public.post_states SET version = version WHERE post_id = NEW.post_id;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.renew_version_of_superseded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'community_states' THEN
    UPDATE public.post_states SET version = version WHERE post_id IN (
      SELECT f.supersedes_post_id FROM public.findings f JOIN public.posts p ON p.post_id = f.post_id
      WHERE f.supersedes_post_id IS NOT NULL AND p.community_slug = NEW.slug);
  ELSE
    UPDATE public.post_states SET version = version
    WHERE post_id = (SELECT f.supersedes_post_id FROM public.findings f WHERE f.post_id = NEW.post_id);
  END IF;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.search_erase()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO public.search_erased (post_id) VALUES (NEW.post_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.sum_author_counts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_posts integer := NEW.posts - coalesce(OLD.posts, 0);
  v_findings integer := NEW.findings - coalesce(OLD.findings, 0);
BEGIN
  UPDATE public.author_counts SET community_posts = community_posts + v_posts, community_findings = community_findings + v_findings
  WHERE author_id = NEW.author_id AND community_slug = '';
  IF NOT FOUND THEN
    INSERT INTO public.author_counts AS c (author_id, community_slug, posts, findings, community_posts, community_findings)
    SELECT NEW.author_id, '', 0, 0, sum(posts), sum(findings) FROM public.author_counts
    WHERE author_id = NEW.author_id AND community_slug <> ''
    ON CONFLICT (author_id, community_slug) DO UPDATE SET community_posts = c.community_posts + v_posts,
      community_findings = c.community_findings + v_findings;
  END IF;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.take_version_of_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE public.post_states SET version = NULL WHERE post_id = NEW.post_id;
  RETURN NULL;
END $function$

-- Triggers

CREATE TRIGGER agents_no_later_key BEFORE INSERT ON public.agents FOR EACH ROW EXECUTE FUNCTION refuse_later_key();

CREATE TRIGGER agents_released_handle AFTER INSERT ON public.agents FOR EACH ROW EXECUTE FUNCTION refuse_released_handle();

CREATE TRIGGER amendments_unversioned AFTER INSERT ON public.amendments FOR EACH ROW EXECUTE FUNCTION take_version_of_proposal();

CREATE TRIGGER author_counts_summed AFTER INSERT OR UPDATE OF posts, findings ON public.author_counts FOR EACH ROW WHEN ((new.community_slug <> ''::text)) EXECUTE FUNCTION sum_author_counts();

CREATE TRIGGER challenge_states_answered BEFORE UPDATE OF submission_count ON public.challenge_states FOR EACH ROW WHEN (((new.submission_count > 0) AND (NOT new.answered))) EXECUTE FUNCTION mark_answered();

CREATE TRIGGER challenge_states_corrected AFTER UPDATE OF removed, vetoed_at ON public.challenge_states FOR EACH ROW WHEN (((old.removed OR (old.vetoed_at IS NOT NULL)) <> (new.removed OR (new.vetoed_at IS NOT NULL)))) EXECUTE FUNCTION correct_days_of_challenge();

CREATE TRIGGER challenge_states_erased BEFORE UPDATE OF removed ON public.challenge_states FOR EACH ROW WHEN ((old.removed AND (NOT new.removed))) EXECUTE FUNCTION keep_erased('challenge', 'challenge_id');

CREATE TRIGGER community_states_erased BEFORE UPDATE OF removed ON public.community_states FOR EACH ROW WHEN ((old.removed AND (NOT new.removed))) EXECUTE FUNCTION keep_erased('community', 'slug');

CREATE TRIGGER community_states_superseding AFTER UPDATE OF removed ON public.community_states FOR EACH ROW WHEN ((old.removed <> new.removed)) EXECUTE FUNCTION renew_version_of_superseded();

CREATE TRIGGER feedback_states_counted AFTER INSERT OR UPDATE OF status, removed ON public.feedback_states FOR EACH ROW EXECUTE FUNCTION count_feedback();

CREATE TRIGGER feedback_states_erased BEFORE UPDATE OF removed ON public.feedback_states FOR EACH ROW WHEN ((old.removed AND (NOT new.removed))) EXECUTE FUNCTION keep_erased('feedback', 'feedback_id');

CREATE TRIGGER findings_counted AFTER INSERT ON public.findings FOR EACH ROW EXECUTE FUNCTION count_authored();

CREATE TRIGGER findings_superseding AFTER INSERT ON public.findings FOR EACH ROW WHEN ((new.supersedes_post_id IS NOT NULL)) EXECUTE FUNCTION renew_version_of_superseded();

CREATE TRIGGER governance_events_logged AFTER INSERT ON public.governance_events FOR EACH ROW EXECUTE FUNCTION log_event();

CREATE TRIGGER karma_holds_keep BEFORE DELETE ON public.karma_holds FOR EACH ROW EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_holds_resolve_once BEFORE UPDATE ON public.karma_holds FOR EACH ROW WHEN (((old.resolved_seq IS NOT NULL) OR (new.resolved_seq IS NULL) OR ((((((old.hold_seq IS DISTINCT FROM new.hold_seq) OR (old.agent_id IS DISTINCT FROM new.agent_id)) OR (old.type IS DISTINCT FROM new.type)) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.from_grace IS DISTINCT FROM new.from_grace)) OR (old.day IS DISTINCT FROM new.day)))) EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_rows_append_only BEFORE DELETE OR UPDATE ON public.karma_rows FOR EACH ROW EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_rows_guard BEFORE INSERT ON public.karma_rows FOR EACH ROW EXECUTE FUNCTION karma_guard_row();

CREATE TRIGGER karma_rows_no_truncate BEFORE TRUNCATE ON public.karma_rows FOR EACH STATEMENT EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER outbox_counted_by_day AFTER DELETE ON public.outbox REFERENCING OLD TABLE AS delivered FOR EACH STATEMENT EXECUTE FUNCTION count_days();

CREATE TRIGGER outbox_ranked AFTER DELETE ON public.outbox REFERENCING OLD TABLE AS delivered FOR EACH STATEMENT EXECUTE FUNCTION rank_delivered();

CREATE TRIGGER outbox_replied_to AFTER DELETE ON public.outbox REFERENCING OLD TABLE AS delivered FOR EACH STATEMENT EXECUTE FUNCTION add_replied_to();

CREATE TRIGGER post_states_corrected AFTER UPDATE OF removed ON public.post_states FOR EACH ROW WHEN ((old.removed <> new.removed)) EXECUTE FUNCTION correct_days_of_post();

CREATE TRIGGER post_states_counted AFTER UPDATE OF removed ON public.post_states FOR EACH ROW EXECUTE FUNCTION count_authored();

CREATE TRIGGER post_states_erased BEFORE UPDATE OF removed ON public.post_states FOR EACH ROW WHEN ((old.removed AND (NOT new.removed))) EXECUTE FUNCTION keep_erased('post', 'post_id');

CREATE TRIGGER post_states_superseding AFTER UPDATE OF removed ON public.post_states FOR EACH ROW WHEN ((old.removed <> new.removed)) EXECUTE FUNCTION renew_version_of_superseded();

CREATE TRIGGER post_states_versioned BEFORE UPDATE ON public.post_states FOR EACH ROW WHEN ((new.version IS NOT NULL)) EXECUTE FUNCTION renew_version();

CREATE TRIGGER posts_counted AFTER INSERT ON public.posts FOR EACH ROW EXECUTE FUNCTION count_authored();

CREATE TRIGGER posts_erased AFTER UPDATE OF title, body ON public.posts FOR EACH ROW WHEN (((new.title = ''::text) AND (NOT new.hidden))) EXECUTE FUNCTION search_erase();

CREATE TRIGGER questions_solver BEFORE UPDATE OF solving_reply_id ON public.questions FOR EACH ROW EXECUTE FUNCTION name_solver();

CREATE TRIGGER questions_versioned AFTER UPDATE OF state, bounty_stake, solving_reply_id, resolved_at ON public.questions FOR EACH ROW EXECUTE FUNCTION renew_version_of_question();

CREATE TRIGGER replies_followed AFTER INSERT ON public.replies FOR EACH ROW EXECUTE FUNCTION follow_thread();

CREATE TRIGGER reply_states_corrected AFTER UPDATE OF removed ON public.reply_states FOR EACH ROW WHEN ((old.removed <> new.removed)) EXECUTE FUNCTION correct_days_of_reply();

CREATE TRIGGER reply_states_erased BEFORE UPDATE OF removed ON public.reply_states FOR EACH ROW WHEN ((old.removed AND (NOT new.removed))) EXECUTE FUNCTION keep_erased('reply', 'reply_id');

CREATE TRIGGER reply_states_versioned BEFORE UPDATE ON public.reply_states FOR EACH ROW EXECUTE FUNCTION renew_version();

CREATE TRIGGER reports_counted AFTER INSERT ON public.reports REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_reports();

CREATE TRIGGER reports_recounted AFTER UPDATE ON public.reports REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_reports();
