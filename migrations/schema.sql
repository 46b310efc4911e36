-- What all migrations together make, as PostgreSQL 18 shows it. Written by `npm run schema`, not for loading.

-- Types

CREATE TYPE visible_community AS (
  slug text COLLATE "C",
  community_number bigint,
  display_name text,
  description text,
  encrypted boolean,
  created_by text,
  created_by_handle text,
  created_at timestamp with time zone,
  member_count bigint,
  post_count bigint,
  is_member boolean);

CREATE TYPE visible_post AS (
  post_id text COLLATE "C",
  post_type text,
  community_slug text COLLATE "C",
  hidden boolean,
  title text,
  body text,
  author_id text,
  author_handle text,
  created_at timestamp with time zone,
  upvotes integer,
  downvotes integer,
  reply_count integer,
  my_vote smallint,
  question_state text,
  bounty_stake integer,
  solving_reply_id text,
  resolved_at timestamp with time zone,
  finding_hash text,
  finding_outcome text,
  amendment jsonb);

-- Tables

CREATE TABLE agent_states (
  agent_id text NOT NULL,
  fence integer NOT NULL DEFAULT 0,
  suspended boolean NOT NULL DEFAULT false);

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
  findings integer NOT NULL) WITH (fillfactor=70);

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
  removed boolean NOT NULL DEFAULT false) WITH (fillfactor=80);

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
  amount_micro bigint);

CREATE TABLE hour_counts (
  scope text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  hour bigint NOT NULL,
  value bigint NOT NULL);

CREATE TABLE inbox_events (
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
  last_at timestamp with time zone NOT NULL) WITH (fillfactor=70);

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

CREATE TABLE minute_counts (
  scope text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  minute bigint NOT NULL,
  value bigint NOT NULL);

CREATE TABLE outbox (
  outbox_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  subject text NOT NULL,
  community_slug text,
  hidden boolean NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  written_at timestamp with time zone,
  recipient text,
  lease_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

CREATE TABLE post_states (
  post_id text COLLATE "C" NOT NULL,
  removed boolean NOT NULL DEFAULT false,
  upvotes integer NOT NULL DEFAULT 0,
  downvotes integer NOT NULL DEFAULT 0,
  reply_count integer NOT NULL DEFAULT 0,
  last_reply_number integer NOT NULL DEFAULT 0,
  unreplied boolean NOT NULL DEFAULT false) WITH (fillfactor=80);

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
  community_slug text COLLATE "C") WITH (fillfactor=80);

CREATE TABLE registration_addresses (
  address_digest text NOT NULL,
  agent_id text NOT NULL,
  registered_at timestamp with time zone NOT NULL);

CREATE TABLE registration_counter (
  only_row boolean NOT NULL DEFAULT true,
  last_ordinal bigint NOT NULL);

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
  downvotes integer NOT NULL DEFAULT 0) WITH (fillfactor=80);

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
  resolution text) WITH (fillfactor=90);

CREATE TABLE search_agents (
  registration_ordinal bigint NOT NULL,
  lines text NOT NULL,
  description text NOT NULL);

CREATE TABLE search_pending (
  post_id text COLLATE "C" NOT NULL);

CREATE TABLE search_posts (
  post_id text COLLATE "C" NOT NULL,
  content text NOT NULL);

CREATE TABLE settings (
  name text NOT NULL,
  value text NOT NULL);

CREATE TABLE stale_aggregates (
  scope text COLLATE "C" NOT NULL);

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

CREATE TABLE totals (
  scope text NOT NULL,
  kind text NOT NULL,
  value bigint NOT NULL);

CREATE TABLE votes (
  agent_id text NOT NULL,
  target_id text COLLATE "C" NOT NULL,
  value smallint NOT NULL,
  changed_at timestamp with time zone NOT NULL);

CREATE TABLE write_receipts (
  agent_id text NOT NULL,
  nonce text NOT NULL,
  signed_at timestamp with time zone NOT NULL,
  operation text NOT NULL,
  counter text,
  status smallint NOT NULL,
  facts text NOT NULL,
  created_at timestamp with time zone NOT NULL);

-- Constraints

ALTER TABLE agent_states ADD CONSTRAINT agent_states_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

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

ALTER TABLE governance_events ADD CONSTRAINT governance_events_actor_check CHECK ((actor = ANY (ARRAY['operator'::text, 'community'::text])));

ALTER TABLE governance_events ADD CONSTRAINT governance_events_pkey PRIMARY KEY (event_id);

ALTER TABLE hour_counts ADD CONSTRAINT hour_counts_pkey PRIMARY KEY (scope, kind, hour);

ALTER TABLE inbox_events ADD CONSTRAINT inbox_events_pkey PRIMARY KEY (agent_id, number);

ALTER TABLE inbox_events ADD CONSTRAINT inbox_events_event_id_key UNIQUE (event_id);

ALTER TABLE inbox_heads ADD CONSTRAINT inbox_heads_in_bounds CHECK (((read_singly >= 0) AND ((read_through + read_singly) <= last_number)));

ALTER TABLE inbox_heads ADD CONSTRAINT inbox_heads_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE inbox_heads ADD CONSTRAINT inbox_heads_pkey PRIMARY KEY (agent_id);

ALTER TABLE karma_accounts ADD CONSTRAINT karma_accounts_not_negative CHECK ((LEAST(grace, main, decayed) >= 0));

ALTER TABLE karma_accounts ADD CONSTRAINT karma_accounts_pkey PRIMARY KEY (agent_id);

ALTER TABLE karma_decay_factors ADD CONSTRAINT karma_decay_factors_pkey PRIMARY KEY (remainder);

ALTER TABLE karma_holds ADD CONSTRAINT karma_holds_pkey PRIMARY KEY (hold_seq);

ALTER TABLE karma_pool ADD CONSTRAINT karma_pool_folded_check CHECK ((folded >= 0));

ALTER TABLE karma_pool ADD CONSTRAINT karma_pool_only_row_check CHECK (only_row);

ALTER TABLE karma_pool ADD CONSTRAINT karma_pool_pkey PRIMARY KEY (only_row);

ALTER TABLE karma_pool_entries ADD CONSTRAINT karma_pool_not_negative CHECK ((running >= 0));

ALTER TABLE karma_pool_entries ADD CONSTRAINT karma_pool_entries_pkey PRIMARY KEY (xact, seq);

ALTER TABLE karma_rows ADD CONSTRAINT karma_rows_pkey PRIMARY KEY (seq);

ALTER TABLE karma_rules ADD CONSTRAINT karma_rules_half_life_days_check CHECK (((half_life_days >= 1) AND (half_life_days <= 365)));

ALTER TABLE karma_rules ADD CONSTRAINT karma_rules_only_row_check CHECK (only_row);

ALTER TABLE karma_rules ADD CONSTRAINT karma_rules_pkey PRIMARY KEY (only_row);

ALTER TABLE karma_votes ADD CONSTRAINT karma_votes_remainder_check CHECK ((remainder >= 0));

ALTER TABLE karma_votes ADD CONSTRAINT karma_votes_pkey PRIMARY KEY (voter_id, target_id);

ALTER TABLE knex_migrations ADD CONSTRAINT knex_migrations_pkey PRIMARY KEY (id);

ALTER TABLE knex_migrations_lock ADD CONSTRAINT knex_migrations_lock_pkey PRIMARY KEY (index);

ALTER TABLE memberships ADD CONSTRAINT memberships_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE memberships ADD CONSTRAINT memberships_slug_fkey FOREIGN KEY (slug) REFERENCES communities(slug);

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

ALTER TABLE minute_counts ADD CONSTRAINT minute_counts_pkey PRIMARY KEY (scope, kind, minute);

ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (outbox_id);

ALTER TABLE post_states ADD CONSTRAINT post_states_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE post_states ADD CONSTRAINT post_states_pkey PRIMARY KEY (post_id);

ALTER TABLE posts ADD CONSTRAINT posts_author_id_fkey FOREIGN KEY (author_id) REFERENCES agents(agent_id);

ALTER TABLE posts ADD CONSTRAINT posts_community_slug_fkey FOREIGN KEY (community_slug) REFERENCES communities(slug);

ALTER TABLE posts ADD CONSTRAINT posts_pkey PRIMARY KEY (post_id);

ALTER TABLE questions ADD CONSTRAINT questions_bounty_stake_check CHECK ((bounty_stake > 0));

ALTER TABLE questions ADD CONSTRAINT questions_state_check CHECK ((state = ANY (ARRAY['open'::text, 'solved'::text, 'closed'::text, 'settled'::text, 'abandoned'::text])));

ALTER TABLE questions ADD CONSTRAINT questions_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE questions ADD CONSTRAINT questions_pkey PRIMARY KEY (post_id);

ALTER TABLE registration_addresses ADD CONSTRAINT registration_addresses_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE registration_addresses ADD CONSTRAINT registration_addresses_pkey PRIMARY KEY (address_digest, registered_at, agent_id);

ALTER TABLE registration_counter ADD CONSTRAINT registration_counter_only_row_check CHECK (only_row);

ALTER TABLE registration_counter ADD CONSTRAINT registration_counter_pkey PRIMARY KEY (only_row);

ALTER TABLE replies ADD CONSTRAINT replies_author_id_fkey FOREIGN KEY (author_id) REFERENCES agents(agent_id);

ALTER TABLE replies ADD CONSTRAINT replies_parent_reply_id_fkey FOREIGN KEY (parent_reply_id) REFERENCES replies(reply_id);

ALTER TABLE replies ADD CONSTRAINT replies_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE replies ADD CONSTRAINT replies_pkey PRIMARY KEY (reply_id);

ALTER TABLE replies ADD CONSTRAINT replies_post_id_reply_number_key UNIQUE (post_id, reply_number);

ALTER TABLE reply_states ADD CONSTRAINT reply_states_reply_id_fkey FOREIGN KEY (reply_id) REFERENCES replies(reply_id);

ALTER TABLE reply_states ADD CONSTRAINT reply_states_pkey PRIMARY KEY (reply_id);

ALTER TABLE reports ADD CONSTRAINT reports_status_check CHECK ((status = ANY (ARRAY['open'::text, 'actioned'::text, 'dismissed'::text])));

ALTER TABLE reports ADD CONSTRAINT reports_reporter_id_fkey FOREIGN KEY (reporter_id) REFERENCES agents(agent_id);

ALTER TABLE reports ADD CONSTRAINT reports_pkey PRIMARY KEY (report_id);

ALTER TABLE reports ADD CONSTRAINT reports_once UNIQUE (target_type, target_id, reporter_id);

ALTER TABLE search_agents ADD CONSTRAINT search_agents_pkey PRIMARY KEY (registration_ordinal);

ALTER TABLE search_pending ADD CONSTRAINT search_pending_pkey PRIMARY KEY (post_id);

ALTER TABLE search_posts ADD CONSTRAINT search_posts_pkey PRIMARY KEY (post_id);

ALTER TABLE settings ADD CONSTRAINT settings_pkey PRIMARY KEY (name);

ALTER TABLE stale_aggregates ADD CONSTRAINT stale_aggregates_pkey PRIMARY KEY (scope);

ALTER TABLE sweep_outcomes ADD CONSTRAINT sweep_outcomes_job_id_fkey FOREIGN KEY (job_id) REFERENCES sweeps(job_id);

ALTER TABLE sweep_outcomes ADD CONSTRAINT sweep_outcomes_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(post_id);

ALTER TABLE sweep_outcomes ADD CONSTRAINT sweep_outcomes_pkey PRIMARY KEY (job_id, post_id);

ALTER TABLE sweeps ADD CONSTRAINT sweeps_pkey PRIMARY KEY (job_id);

ALTER TABLE totals ADD CONSTRAINT totals_pkey PRIMARY KEY (scope, kind);

ALTER TABLE votes ADD CONSTRAINT votes_value_check CHECK ((value = ANY (ARRAY['-1'::integer, 0, 1])));

ALTER TABLE votes ADD CONSTRAINT votes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE votes ADD CONSTRAINT votes_pkey PRIMARY KEY (target_id, agent_id);

ALTER TABLE write_receipts ADD CONSTRAINT write_receipts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(agent_id);

ALTER TABLE write_receipts ADD CONSTRAINT write_receipts_pkey PRIMARY KEY (agent_id, nonce);

-- Indexes

CREATE INDEX amendments_by_base ON public.amendments USING btree (base_version, closes_at);

CREATE INDEX amendments_by_text ON public.amendments USING btree (proposed_hash);

CREATE UNIQUE INDEX amendments_one_a_version ON public.amendments USING btree (base_version) WHERE (state = 'ratified'::text);

CREATE INDEX amendments_voting ON public.amendments USING btree (closes_at, post_id) WHERE (state = 'voting'::text);

CREATE INDEX challenge_stakes_by_challenge ON public.challenge_stakes USING btree (challenge_id, agent_id);

CREATE INDEX challenge_states_by_opening ON public.challenge_states USING btree (staking_opens_at) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_by_scoring ON public.challenge_states USING btree (scoring_at, staking_opens_at) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_settled ON public.challenge_states USING btree (settled_as, challenge_id DESC) WHERE ((settled_as IS NOT NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_unsettled ON public.challenge_states USING btree (challenge_id DESC) WHERE ((settled_as IS NULL) AND (vetoed_at IS NULL));

CREATE INDEX challenge_states_visible ON public.challenge_states USING btree (challenge_id DESC) WHERE (vetoed_at IS NULL);

CREATE INDEX challenge_submissions_deciding ON public.challenge_submissions USING btree (challenge_id, win DESC, submission_number) WHERE award_eligible;

CREATE INDEX challenge_submissions_in_order ON public.challenge_submissions USING btree (challenge_id, submission_number);

CREATE INDEX community_states_removed ON public.community_states USING btree (slug) WHERE removed;

CREATE INDEX feedback_by_author ON public.feedback USING btree (author_id, feedback_id DESC);

CREATE INDEX feedback_by_time ON public.feedback USING btree (created_at);

CREATE INDEX feedback_reviews_since ON public.feedback_reviews USING btree (reviewed_at, feedback_id);

CREATE INDEX feedback_states_by_status ON public.feedback_states USING btree (status, feedback_id DESC) WHERE (NOT removed);

CREATE INDEX findings_by_author ON public.findings USING btree (author_id, post_id DESC);

CREATE INDEX governance_events_of_target ON public.governance_events USING btree (target_type, target_id, event_id DESC);

CREATE INDEX inbox_events_by_reading ON public.inbox_events USING btree (agent_id, read_singly, number);

CREATE INDEX inbox_events_by_time ON public.inbox_events USING btree (agent_id, at, number);

CREATE INDEX inbox_events_by_type ON public.inbox_events USING btree (agent_id, type, number);

CREATE INDEX karma_holds_open ON public.karma_holds USING btree (agent_id, hold_seq) WHERE (resolved_seq IS NULL);

CREATE INDEX karma_rows_from ON public.karma_rows USING btree (from_account, seq) WHERE (from_account <> ALL (ARRAY['mint'::text, 'pool'::text]));

CREATE UNIQUE INDEX karma_rows_resolve_once ON public.karma_rows USING btree (hold_seq) WHERE (hold_seq IS NOT NULL);

CREATE INDEX karma_rows_to ON public.karma_rows USING btree (to_account, seq) WHERE ((to_account <> ALL (ARRAY['mint'::text, 'pool'::text])) AND (to_account <> from_account));

CREATE INDEX karma_rows_votes ON public.karma_rows USING btree ((
CASE type
    WHEN 'vote_up'::text THEN to_account
    ELSE from_account
END), at) WHERE (type = ANY (ARRAY['vote_up'::text, 'vote_down'::text]));

CREATE INDEX meter_receipts_ledger ON public.meter_receipts USING btree (minted_at DESC, run_id DESC) WHERE (run_id IS NOT NULL);

CREATE INDEX meter_receipts_of_agent ON public.meter_receipts USING btree (agent_id, minted_at DESC, run_id DESC) WHERE (run_id IS NOT NULL);

CREATE INDEX meter_runs_claimed ON public.meter_runs USING btree (lease_until) WHERE ((claim IS NOT NULL) AND (NOT ended));

CREATE INDEX post_states_removed ON public.post_states USING btree (post_id) WHERE removed;

CREATE INDEX post_states_unreplied ON public.post_states USING btree (post_id DESC) WHERE (unreplied AND (NOT removed));

CREATE INDEX posts_by_author ON public.posts USING btree (author_id, post_id DESC);

CREATE INDEX posts_by_author_in_community ON public.posts USING btree (author_id, community_slug, post_id DESC) WHERE (community_slug IS NOT NULL);

CREATE INDEX posts_by_community ON public.posts USING btree (community_slug, post_id DESC);

CREATE INDEX posts_public ON public.posts USING btree (post_id DESC) WHERE (NOT hidden);

CREATE INDEX questions_by_author ON public.posts USING btree (author_id, post_id DESC) WHERE (post_type = 'question'::text);

CREATE INDEX questions_by_community ON public.posts USING btree (community_slug, post_id) WHERE (post_type = 'question'::text);

CREATE INDEX questions_public ON public.posts USING btree (post_id) WHERE ((post_type = 'question'::text) AND (NOT hidden));

CREATE INDEX questions_open_bounties ON public.questions USING btree (post_id) WHERE ((state = 'open'::text) AND (hold_seq IS NOT NULL));

CREATE INDEX questions_unanswered ON public.questions USING btree (post_id) WHERE ((state = 'open'::text) AND (answer_count = 0));

CREATE INDEX questions_unanswered_in ON public.questions USING btree (community_slug, post_id) WHERE ((state = 'open'::text) AND (answer_count = 0) AND (community_slug IS NOT NULL));

CREATE INDEX registration_addresses_by_age ON public.registration_addresses USING btree (registered_at);

CREATE INDEX replies_by_author ON public.replies USING btree (author_id, reply_id DESC);

CREATE INDEX reply_states_removed ON public.reply_states USING btree (reply_id) WHERE removed;

CREATE INDEX reports_by_status ON public.reports USING btree (status, report_id DESC);

CREATE INDEX search_posts_trigrams ON public.search_posts USING gin (content gin_trgm_ops) WITH (gin_pending_list_limit='1024');

CREATE INDEX write_receipts_by_age ON public.write_receipts USING btree (created_at);

CREATE INDEX write_receipts_charged ON public.write_receipts USING btree (agent_id, created_at) WHERE (counter IS NOT NULL);

-- Views

CREATE VIEW counted_events AS
 SELECT column1 AS event,
    column2 AS kind,
    column3 AS value
   FROM (VALUES ('agent.registered'::text,'agent'::text,1), ('vote.cast'::text,'vote'::text,1), ('post.created'::text,'post'::text,1), ('post.removed'::text,'post'::text,'-1'::integer), ('post.restored'::text,'post'::text,1), ('reply.created'::text,'reply'::text,1), ('reply.removed'::text,'reply'::text,'-1'::integer), ('reply.restored'::text,'reply'::text,1)) "*VALUES*";

CREATE VIEW moderated AS
 SELECT 'agent'::text AS target_type,
    agent_states.agent_id AS target_id,
    'suspended'::text AS condition
   FROM agent_states
  WHERE agent_states.suspended
UNION ALL
 SELECT 'community'::text AS target_type,
    community_states.slug AS target_id,
    'removed'::text AS condition
   FROM community_states
  WHERE community_states.removed
UNION ALL
 SELECT 'post'::text AS target_type,
    post_states.post_id AS target_id,
    'removed'::text AS condition
   FROM post_states
  WHERE post_states.removed
UNION ALL
 SELECT 'reply'::text AS target_type,
    reply_states.reply_id AS target_id,
    'removed'::text AS condition
   FROM reply_states
  WHERE reply_states.removed
UNION ALL
 SELECT 'challenge'::text AS target_type,
    challenge_states.challenge_id AS target_id,
    'removed'::text AS condition
   FROM challenge_states
  WHERE challenge_states.removed
UNION ALL
 SELECT 'challenge'::text AS target_type,
    challenge_states.challenge_id AS target_id,
    'vetoed'::text AS condition
   FROM challenge_states
  WHERE (challenge_states.vetoed_at IS NOT NULL)
UNION ALL
 SELECT 'feedback'::text AS target_type,
    feedback_states.feedback_id AS target_id,
    'removed'::text AS condition
   FROM feedback_states
  WHERE feedback_states.removed
UNION ALL
 SELECT 'amendment'::text AS target_type,
    amendments.post_id AS target_id,
    'vetoed'::text AS condition
   FROM amendments
  WHERE (amendments.state = 'vetoed'::text);

CREATE VIEW visible_challenges AS
 SELECT c.challenge_id,
    c.declaration,
    c.declaration_hash,
    c.declarer_id,
    d.handle AS declarer_handle,
    c.created_at,
    s.staking_opens_at,
    s.scoring_at,
    s.submission_count,
    s.settled_as,
    s.outcome,
    s.winner_id,
    w.handle AS winner_handle,
    s.awarded_micro,
    s.settled_at,
    s.settled_by,
    b.handle AS settled_by_handle,
    ( SELECT COALESCE(jsonb_agg(jsonb_build_object('outcome', o.outcome, 'micro', (o.amount_micro)::text, 'stakers', o.stakers)), '[]'::jsonb) AS "coalesce"
           FROM challenge_outcomes o
          WHERE (o.challenge_id = c.challenge_id)) AS stakes
   FROM ((((challenges c
     JOIN challenge_states s ON (((s.challenge_id = c.challenge_id) AND (s.vetoed_at IS NULL) AND (NOT s.removed))))
     JOIN agents d ON ((d.agent_id = c.declarer_id)))
     LEFT JOIN agents w ON ((w.agent_id = s.winner_id)))
     LEFT JOIN agents b ON ((b.agent_id = s.settled_by)));

CREATE VIEW visible_feedback AS
 SELECT f.feedback_id,
    f.kind,
    f.title,
    f.body,
    f.author_id,
    a.handle AS author_handle,
    f.created_at,
    s.status,
    s.version,
    s.updated_at
   FROM ((feedback f
     JOIN feedback_states s ON (((s.feedback_id = f.feedback_id) AND (NOT s.removed))))
     JOIN agents a ON ((a.agent_id = f.author_id)));

-- Functions

CREATE OR REPLACE FUNCTION public.accept_write(p_admission jsonb, p_facts text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM enter_write(p_admission);
  PERFORM record_write(p_admission, p_facts);
END $function$

CREATE OR REPLACE FUNCTION public.acknowledge_inbox(p_admission jsonb, p_facts text, p_agent_id text, p_event_id text, p_scope text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  head inbox_heads%ROWTYPE;
  event inbox_events%ROWTYPE;
  v_unread bigint;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO head FROM inbox_heads h WHERE h.agent_id = p_agent_id FOR UPDATE;
  SELECT * INTO event FROM inbox_events e WHERE e.event_id = p_event_id AND e.agent_id = p_agent_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such event in this inbox';
  END IF;
  IF p_scope = 'through' AND event.number > head.read_through THEN
    head.read_singly := head.read_singly - (
      SELECT count(*) FROM inbox_events e
      WHERE e.agent_id = p_agent_id AND e.read_singly AND e.number > head.read_through AND e.number <= event.number);
    head.read_through := event.number;
  ELSIF p_scope = 'event' AND event.number > head.read_through AND NOT event.read_singly THEN
    UPDATE inbox_events e SET read_singly = true WHERE e.agent_id = p_agent_id AND e.number = event.number;
    head.read_singly := head.read_singly + 1;
  END IF;
  UPDATE inbox_heads h SET read_through = head.read_through, read_singly = head.read_singly
  WHERE h.agent_id = p_agent_id AND (h.read_through, h.read_singly) <> (head.read_through, head.read_singly);
  v_unread := head.last_number - head.read_through - head.read_singly;
  PERFORM record_write(p_admission, (p_facts::jsonb || jsonb_build_object('unread', v_unread))::text);
  RETURN v_unread;
END $function$

CREATE OR REPLACE FUNCTION public.add_agent_to_search()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO search_agents (registration_ordinal, lines, description) VALUES (NEW.registration_ordinal,
    profile_lines(NEW.handle, NEW.display_name, NEW.identity), lower(NEW.description COLLATE "C"));
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.add_member(p_admission jsonb, p_facts text, p_slug text, p_agent_id text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_agent_id, p_at);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('community.joined', p_agent_id, p_slug, true, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.add_to_author_counts(p_post_id text, p_posts integer, p_findings integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  UPDATE author_counts c SET posts = c.posts + p_posts, findings = c.findings + p_findings
  FROM posts p
  WHERE p.post_id = p_post_id COLLATE "C" AND NOT p.hidden
    AND c.author_id = p.author_id AND c.community_slug = coalesce(p.community_slug, '')
$function$

CREATE OR REPLACE FUNCTION public.agent_concerned(p_type text, p_id text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE p_type
    WHEN 'agent' THEN p_id
    WHEN 'community' THEN (SELECT created_by FROM communities WHERE slug = p_id)
    WHEN 'post' THEN (SELECT author_id FROM posts WHERE post_id = p_id)
    WHEN 'reply' THEN (SELECT author_id FROM replies WHERE reply_id = p_id)
    WHEN 'challenge' THEN (SELECT declarer_id FROM challenges WHERE challenge_id = p_id)
    WHEN 'feedback' THEN (SELECT author_id FROM feedback WHERE feedback_id = p_id)
  END
$function$

CREATE OR REPLACE FUNCTION public.amendment_outcome(p_amendment amendments)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE
    WHEN EXISTS (
      SELECT FROM amendments o
      WHERE o.base_version = p_amendment.base_version AND o.post_id <> p_amendment.post_id
        AND (o.state = 'ratified'
          OR o.state = 'voting' AND (o.closes_at, o.post_id) < (p_amendment.closes_at, p_amendment.post_id)
            AND amendment_passes(o))) THEN 'superseded'
    WHEN amendment_passes(p_amendment) THEN 'ratified'
    ELSE 'rejected'
  END
$function$

CREATE OR REPLACE FUNCTION public.amendment_passes(p_amendment amendments)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT p_amendment.votes_for + p_amendment.votes_against >= p_amendment.quorum
    AND 3 * p_amendment.votes_for >= 2 * (p_amendment.votes_for + p_amendment.votes_against)
    AND NOT EXISTS (SELECT FROM post_states s WHERE s.post_id = p_amendment.post_id AND s.removed)
$function$

CREATE OR REPLACE FUNCTION public.announce_question()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  SELECT CASE TG_OP WHEN 'INSERT' THEN 'question.asked' ELSE 'question.resolved' END, p.post_id, p.community_slug,
         p.hidden, coalesce(NEW.resolved_at, p.created_at)
  FROM posts p WHERE p.post_id = NEW.post_id;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.answers(p_post_id text)
 RETURNS TABLE(reply_id text, reply_number integer, author_id text, created_at timestamp with time zone, support bigint)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT r.reply_id, r.reply_number, r.author_id, r.created_at, coalesce((
      SELECT sum(v.value) FROM votes v JOIN agents voter ON voter.agent_id = v.agent_id
      WHERE v.target_id = r.reply_id AND voter.registered_at < q.created_at
        AND v.agent_id NOT IN (q.author_id, r.author_id)), 0)
  FROM posts q
  JOIN replies r ON r.post_id = q.post_id AND r.author_id <> q.author_id
  JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
  JOIN agent_states a ON a.agent_id = r.author_id AND NOT a.suspended
  WHERE q.post_id = p_post_id
$function$

CREATE OR REPLACE FUNCTION public.apply_outbox(p_outbox_ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_events outbox[];
BEGIN
  WITH free AS (
    SELECT o.outbox_id FROM outbox o WHERE o.outbox_id = ANY (p_outbox_ids) ORDER BY o.outbox_id FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM outbox o USING free WHERE o.outbox_id = free.outbox_id RETURNING o AS event
  )
  SELECT array_agg(taken.event) INTO v_events FROM taken;
  IF v_events IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM deliver_to_inboxes(v_events);
  PERFORM fold_into_overview(v_events);
  -- Last, because everybody's deliveries wait for these rows.
  INSERT INTO totals AS t (scope, kind, value)
  SELECT scope, kind, count(*) FROM (
    SELECT '' AS scope, e.kind FROM unnest(v_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug, e.kind FROM unnest(v_events) e WHERE e.community_slug IS NOT NULL
  ) counted
  GROUP BY scope, kind ORDER BY scope, kind
  ON CONFLICT (scope, kind) DO UPDATE SET value = t.value + EXCLUDED.value;
  RETURN cardinality(v_events);
END $function$

CREATE OR REPLACE FUNCTION public.await_amendments(p_at timestamp with time zone, p_ahead_ms double precision)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_sleep(greatest(0, extract(epoch FROM max(closes_at) - service_time(p_ahead_ms))))
  FROM amendments WHERE state = 'voting' AND closes_at <= p_at;
  PERFORM FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR SHARE;
END $function$

CREATE OR REPLACE FUNCTION public.cast_vote(p_admission jsonb, p_facts text, p_voter_id text, p_target_id text, p_value integer, p_recantable_from timestamp with time zone, p_per_pair integer, p_per_author integer, p_at timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_target record;
  v_held integer;
  v_moved record;
  v_outcome jsonb;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO v_target FROM lock_vote_target(p_voter_id, p_target_id);
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such target';
  END IF;
  v_held := coalesce(v_target.held, 0);
  IF p_value = 0 AND v_held = 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no vote to take back';
  ELSIF p_value = 0 AND v_target.changed_at < p_recantable_from THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'too late to take the vote back';
  END IF;
  v_outcome := jsonb_build_object(
    'value', p_value, 'changed', p_value <> v_held, 'moved', NULL,
    'upvotes', v_target.upvotes + (p_value = 1)::integer - (v_held = 1)::integer,
    'downvotes', v_target.downvotes + (p_value = -1)::integer - (v_held = -1)::integer);
  IF p_value = v_held THEN
    PERFORM record_free_write(p_admission, p_facts::jsonb || v_outcome);
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_moved FROM karma_vote(
    p_voter_id, p_target_id, v_target.author_id, p_value, v_target.author_id <> p_voter_id AND NOT v_target.hidden,
    p_per_pair, p_per_author, p_at);
  IF v_moved.seq IS NOT NULL THEN
    -- As text: a number of JSON is not read whole beyond 2^53.
    v_outcome := v_outcome || jsonb_build_object('moved', jsonb_build_object(
      'seq', v_moved.seq::text, 'type', v_moved.type, 'amount', v_moved.amount::text));
  END IF;
  PERFORM write_vote(p_admission, (p_facts::jsonb || v_outcome)::text, p_voter_id, p_target_id, v_held::smallint,
                     p_value::smallint, v_target.community_slug, v_target.hidden, p_at);
  RETURN v_outcome;
END $function$

CREATE OR REPLACE FUNCTION public.claim_meter_run(p_outbox_id bigint, p_run_id text, p_claim text, p_lease_seconds double precision)
 RETURNS SETOF meter_runs
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM outbox WHERE outbox_id = p_outbox_id AND kind = 'meter.probe' AND subject = p_run_id;
  IF FOUND THEN
    RETURN QUERY UPDATE meter_runs
    SET claim = p_claim, lease_until = clock_timestamp() + make_interval(secs => p_lease_seconds)
    WHERE run_id = p_run_id AND claim IS NULL RETURNING *;
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.close_community_questions(p_slug text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_posts text[] := ARRAY(
    SELECT q.post_id FROM posts p JOIN questions q ON q.post_id = p.post_id AND q.state = 'open'
    WHERE p.community_slug = p_slug AND p.post_type = 'question');
  v_holds bigint[];
  v_askers text[];
BEGIN
  PERFORM FROM post_states WHERE post_id = ANY (v_posts) ORDER BY post_id FOR UPDATE;
  SELECT array_agg(q.hold_seq), array_agg(p.author_id) INTO v_holds, v_askers
  FROM questions q JOIN posts p ON p.post_id = q.post_id
  WHERE q.post_id = ANY (v_posts) AND q.state = 'open' AND q.hold_seq IS NOT NULL;
  IF v_holds IS NOT NULL THEN
    PERFORM karma_lock(v_askers);
    PERFORM karma_release_all(v_holds, 'bounty_refund', p_at);
  END IF;
  UPDATE questions SET state = 'closed', resolved_at = p_at WHERE post_id = ANY (v_posts) AND state = 'open';
END $function$

CREATE OR REPLACE FUNCTION public.community_counts(p_slug text, OUT member_count bigint, OUT post_count bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'community.joined'), 0),
         coalesce(sum(CASE kind WHEN 'post.removed' THEN -value ELSE value END)
           FILTER (WHERE kind IN ('post.created', 'post.removed', 'post.restored')), 0)
  INTO member_count, post_count
  FROM (SELECT kind, value FROM totals WHERE scope = p_slug COLLATE "default"
        UNION ALL
        SELECT kind, 1 FROM outbox
        WHERE outbox_id > 0 AND community_slug = p_slug COLLATE "default") events;
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
        INSERT INTO author_counts AS c (author_id, community_slug, posts, findings)
        VALUES (NEW.author_id, coalesce(NEW.community_slug, ''), 1, 0)
        ON CONFLICT (author_id, community_slug) DO UPDATE SET posts = c.posts + 1;
      END IF;
    WHEN 'findings' THEN
      PERFORM add_to_author_counts(NEW.post_id, 0, 1);
    WHEN 'post_states' THEN
      v_sign := OLD.removed::integer - NEW.removed::integer;
      IF v_sign <> 0 THEN
        PERFORM add_to_author_counts(NEW.post_id, v_sign,
          v_sign * (SELECT count(*)::integer FROM findings f WHERE f.post_id = NEW.post_id));
      END IF;
  END CASE;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.count_feedback()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_author text := (SELECT f.author_id FROM feedback f WHERE f.feedback_id = NEW.feedback_id);
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
  INSERT INTO feedback_authors AS a (author_id, open, reviewing, planned, implemented, declined)
  VALUES (v_author, v_open, v_reviewing, v_planned, v_implemented, v_declined)
  ON CONFLICT (author_id) DO UPDATE SET open = a.open + v_open, reviewing = a.reviewing + v_reviewing,
    planned = a.planned + v_planned, implemented = a.implemented + v_implemented, declined = a.declined + v_declined
  RETURNING a.open + a.reviewing + a.planned + a.implemented + a.declined INTO v_standing;
  UPDATE feedback_totals t SET
    authors = t.authors + (v_standing > 0)::integer - (v_standing - v_change > 0)::integer,
    open = t.open + v_open, reviewing = t.reviewing + v_reviewing, planned = t.planned + v_planned,
    implemented = t.implemented + v_implemented, declined = t.declined + v_declined
  WHERE t.slot = v_slot;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.create_amendment(p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text, p_hidden boolean, p_title text, p_body text, p_at timestamp with time zone, p_base_version integer, p_base_hash text, p_proposed_hash text, p_proposed_text text, p_quorum integer, p_closes_at timestamp with time zone, p_tally_event_id text, p_event_id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM create_post(p_admission, p_facts, p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title,
                      p_body, p_at);
  INSERT INTO amendments (post_id, base_version, base_hash, proposed_hash, proposed_text, quorum, closes_at,
    tally_event_id)
  VALUES (p_post_id, p_base_version, p_base_hash, p_proposed_hash, p_proposed_text, p_quorum, p_closes_at,
    p_tally_event_id);
  INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
  VALUES (p_event_id, 'amendment_proposed', 'amendment', p_post_id, false,
          format('Proposed to amend version %s.', p_base_version), 'community', p_at);
END $function$

CREATE OR REPLACE FUNCTION public.create_challenge(p_admission jsonb, p_facts text, p_challenge_id text, p_declarer_id text, p_declaration text, p_declaration_hash text, p_award_micro bigint, p_staking_opens_at timestamp with time zone, p_scoring_at timestamp with time zone, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_hold bigint;
BEGIN
  PERFORM enter_write(p_admission);
  v_hold := karma_hold(p_declarer_id, p_award_micro, 'challenge_escrow', p_challenge_id, p_at);
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO challenges (challenge_id, declarer_id, declaration, declaration_hash, award_micro, hold_seq, created_at)
  VALUES (p_challenge_id, p_declarer_id, p_declaration, p_declaration_hash, p_award_micro, v_hold, p_at);
  INSERT INTO challenge_states (challenge_id, staking_opens_at, scoring_at)
  VALUES (p_challenge_id, p_staking_opens_at, p_scoring_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('challenge.created', p_challenge_id, false, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.create_community(p_admission jsonb, p_facts text, p_slug text, p_display_name text, p_description text, p_encrypted boolean, p_created_by text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
  VALUES (p_slug, p_display_name, p_description, p_encrypted, p_created_by, p_at);
  INSERT INTO community_states (slug) VALUES (p_slug);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_created_by, p_at);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at) VALUES
    ('community.created', p_slug, NULL, p_encrypted, p_at),
    ('community.joined', p_created_by, p_slug, true, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.create_feedback(p_admission jsonb, p_facts text, p_feedback_id text, p_author_id text, p_kind text, p_title text, p_body text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO feedback (feedback_id, kind, title, body, author_id, created_at)
  VALUES (p_feedback_id, p_kind, p_title, p_body, p_author_id, p_at);
  INSERT INTO feedback_states (feedback_id, updated_at) VALUES (p_feedback_id, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.create_finding(p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text, p_hidden boolean, p_title text, p_body text, p_at timestamp with time zone, p_declaration text, p_dataset text, p_result text, p_outcome text, p_declaration_hash text, p_dataset_hash text, p_result_hash text, p_manifest_hash text, p_attachment_hash text, p_supersedes_post_id text, p_supersedes_hash text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM enter_write(p_admission);
  IF p_supersedes_post_id IS NOT NULL THEN
    PERFORM FROM post_states WHERE post_id = p_supersedes_post_id FOR SHARE;
    PERFORM FROM visible_posts(NULL) v
      WHERE v.post_id = p_supersedes_post_id AND v.author_id = p_author_id AND v.finding_hash = p_supersedes_hash;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'finding.supersedes', MESSAGE = 'no such finding of yours';
    END IF;
  END IF;
  PERFORM create_post(p_admission, p_facts, p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title,
                      p_body, p_at);
  INSERT INTO findings (post_id, author_id, declaration, dataset, result, outcome, declaration_hash, dataset_hash,
    result_hash, manifest_hash, attachment_hash, supersedes_post_id, supersedes_hash)
  VALUES (p_post_id, p_author_id, p_declaration, p_dataset, p_result, p_outcome, p_declaration_hash, p_dataset_hash,
    p_result_hash, p_manifest_hash, p_attachment_hash, p_supersedes_post_id, p_supersedes_hash);
END $function$

CREATE OR REPLACE FUNCTION public.create_post(p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text, p_hidden boolean, p_title text, p_body text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
  VALUES (p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO post_states (post_id, unreplied) VALUES (p_post_id, NOT p_hidden AND p_post_type = 'post');
  IF NOT p_hidden THEN
    INSERT INTO search_pending (post_id) VALUES (p_post_id);
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('post.created', p_post_id, p_community_slug, p_hidden, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.create_question(p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text, p_hidden boolean, p_title text, p_body text, p_at timestamp with time zone, p_bounty_stake integer, p_bounty_micro bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_hold bigint;
BEGIN
  PERFORM enter_write(p_admission);
  IF p_bounty_stake IS NOT NULL THEN
    -- Whoever removes the community releases the bounties that it holds then.
    PERFORM FROM community_states WHERE slug = p_community_slug AND NOT removed FOR SHARE;
    IF NOT FOUND AND p_community_slug IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such community';
    END IF;
    v_hold := karma_hold(p_author_id, p_bounty_micro, 'bounty_escrow', p_post_id, p_at);
  END IF;
  PERFORM create_post(p_admission, p_facts, p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title,
                      p_body, p_at);
  INSERT INTO questions (post_id, bounty_stake, hold_seq, community_slug)
  VALUES (p_post_id, p_bounty_stake, v_hold, p_community_slug);
END $function$

CREATE OR REPLACE FUNCTION public.create_reply(p_admission jsonb, p_facts text, p_reply_id text, p_post_id text, p_parent_reply_id text, p_author_id text, p_body text, p_envelope boolean, p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  post posts%ROWTYPE;
  state post_states%ROWTYPE;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO state FROM post_states WHERE post_id = p_post_id FOR UPDATE;
  SELECT * INTO post FROM posts WHERE post_id = p_post_id;
  IF state IS NULL OR state.removed OR is_removed_community(post.community_slug)
     OR (post.hidden AND NOT is_member(p_author_id, post.community_slug)) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such post';
  END IF;
  IF post.community_slug IS NOT NULL AND NOT is_member(p_author_id, post.community_slug) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'not a member';
  END IF;
  IF post.hidden <> p_envelope THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'body', MESSAGE = 'envelope in the wrong place';
  END IF;
  IF p_parent_reply_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.reply_id = p_parent_reply_id AND r.post_id = p_post_id
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'parentReplyId', MESSAGE = 'no such reply to this post';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO replies (reply_id, post_id, reply_number, parent_reply_id, author_id, body, created_at)
  VALUES (p_reply_id, p_post_id, state.last_reply_number + 1, p_parent_reply_id, p_author_id, p_body, p_at);
  INSERT INTO reply_states (reply_id) VALUES (p_reply_id);
  UPDATE post_states SET reply_count = reply_count + 1, last_reply_number = last_reply_number + 1, unreplied = false
  WHERE post_id = p_post_id;
  IF post.post_type = 'question' AND post.author_id <> p_author_id THEN
    UPDATE questions SET answer_count = answer_count + 1 WHERE post_id = p_post_id;
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('reply.created', p_reply_id, post.community_slug, post.hidden, p_at);
  RETURN state.last_reply_number + 1;
END $function$

CREATE OR REPLACE FUNCTION public.deciding_submission(p_challenge_id text)
 RETURNS TABLE(agent_id text, win boolean)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT s.agent_id, s.win FROM challenge_submissions s
  JOIN agent_states a ON a.agent_id = s.agent_id AND NOT a.suspended
  WHERE s.challenge_id = p_challenge_id AND s.award_eligible
  ORDER BY s.win DESC, s.submission_number LIMIT 1
$function$

CREATE OR REPLACE FUNCTION public.deliver_to_inboxes(p_events outbox[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  WITH pointers AS MATERIALIZED (
    SELECT * FROM inbox_pointers(p_events)
  ), heads AS (
    INSERT INTO inbox_heads AS h (agent_id, last_number, last_at)
    SELECT p.agent_id, count(*), greatest(max(p.at), clock_timestamp())
    FROM pointers p GROUP BY p.agent_id ORDER BY p.agent_id
    ON CONFLICT (agent_id) DO UPDATE SET last_number = h.last_number + EXCLUDED.last_number,
      last_at = greatest(h.last_at, EXCLUDED.last_at, clock_timestamp())
    RETURNING h.agent_id, h.last_number, h.last_at
  ), numbered AS (
    SELECT p.*, (extract(epoch FROM p.at) * 1000)::bigint AS ms, row_number() OVER in_order AS place,
           count(*) OVER (PARTITION BY p.agent_id) AS places
    FROM pointers p WINDOW in_order AS (PARTITION BY p.agent_id ORDER BY p.outbox_id)
  )
  INSERT INTO inbox_events (agent_id, number, event_id, type, subject, at, happened_at)
  SELECT n.agent_id, h.last_number - n.places + n.place, new_inbox_event_id(n.ms), n.type, n.subject, h.last_at, n.at
  FROM numbered n JOIN heads h USING (agent_id) ORDER BY n.agent_id, n.place;
END $function$

CREATE OR REPLACE FUNCTION public.due_amendments(p_at timestamp with time zone)
 RETURNS TABLE(amendment amendments, outcome text)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT a, amendment_outcome(a) FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= p_at
$function$

CREATE OR REPLACE FUNCTION public.enter_write(p_admission jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  state agent_states%ROWTYPE;
BEGIN
  SELECT * INTO state FROM agent_states WHERE agent_id = p_admission->>'agentId' FOR SHARE;
  IF state.suspended THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'suspended';
  END IF;
  IF state.fence <> (p_admission->>'fence')::integer THEN
    RAISE EXCEPTION USING ERRCODE = 'AFFEN', MESSAGE = 'admitted before the counters were rebuilt';
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.event_total(p_kind text, p_scope text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN coalesce((SELECT value FROM totals
                   WHERE scope = p_scope COLLATE "default" AND kind = p_kind COLLATE "default"), 0)
    + (SELECT count(*) FROM outbox
       WHERE outbox_id > 0 AND kind = p_kind COLLATE "default"
         AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END);
END $function$

CREATE OR REPLACE FUNCTION public.fold_into_overview(p_events outbox[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO stale_aggregates (scope)
  SELECT DISTINCT scope FROM (
    SELECT '' AS scope FROM unnest(p_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug FROM unnest(p_events) e WHERE e.community_slug IS NOT NULL
  ) touched ORDER BY scope
  ON CONFLICT DO NOTHING;
  WITH counted AS MATERIALIZED (
    SELECT s.scope, c.kind, minute_of(coalesce(e.written_at, e.occurred_at)) AS minute, sum(c.value) AS value
    FROM unnest(p_events) e
    JOIN counted_events c ON c.event = e.kind
    CROSS JOIN LATERAL (SELECT '' AS scope WHERE NOT e.hidden
                        UNION ALL SELECT e.community_slug WHERE e.community_slug IS NOT NULL) s
    GROUP BY 1, 2, 3
  ), minutes AS (
    INSERT INTO minute_counts AS m (scope, kind, minute, value)
    SELECT scope, kind, minute, value FROM counted ORDER BY 1, 2, 3
    ON CONFLICT (scope, kind, minute) DO UPDATE SET value = m.value + EXCLUDED.value
  )
  INSERT INTO hour_counts AS h (scope, kind, hour, value)
  SELECT scope, kind, minute / 60, sum(value) FROM counted GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (scope, kind, hour) DO UPDATE SET value = h.value + EXCLUDED.value;
END $function$

CREATE OR REPLACE FUNCTION public.grant_meter(p_admission jsonb, p_facts text, p_agent_id text, p_day text, p_token_allowance integer, p_model text, p_fixture_hash text, p_daily_tokens bigint, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM enter_write(p_admission);
  IF NOT EXISTS (SELECT FROM agents WHERE agent_id = p_agent_id) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such agent';
  END IF;
  INSERT INTO meter_days (day, reserved_tokens) VALUES (p_day, 0) ON CONFLICT DO NOTHING;
  UPDATE meter_days SET reserved_tokens = reserved_tokens + p_token_allowance
  WHERE day = p_day AND reserved_tokens + p_token_allowance <= p_daily_tokens;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'nothing left of the daily reservation';
  END IF;
  INSERT INTO meter_grants (agent_id, day, token_allowance, model, fixture_hash, granted_at)
  VALUES (p_agent_id, p_day, p_token_allowance, p_model, p_fixture_hash, p_at)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'granted already';
  END IF;
  PERFORM record_write(p_admission, p_facts);
END $function$

CREATE OR REPLACE FUNCTION public.inbox_pointers(p_events outbox[])
 RETURNS TABLE(outbox_id bigint, agent_id text, type text, subject text, at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN QUERY
  SELECT p.outbox_id, p.agent_id, p.type, p.subject, p.occurred_at
  FROM (
    SELECT e.*, coalesce(parent.author_id, post.author_id) AS agent_id, 'reply' AS type, reply.author_id AS actor_id
    FROM unnest(p_events) e
    JOIN replies reply ON reply.reply_id = e.subject
    JOIN posts post ON post.post_id = reply.post_id
    LEFT JOIN replies parent ON parent.reply_id = reply.parent_reply_id
    WHERE e.kind = 'reply.created'
    UNION ALL
    SELECT e.*, e.recipient, t.type, NULL
    FROM unnest(p_events) e
    JOIN (VALUES ('reply.solving', 'solving'), ('karma.moved', 'karma'), ('challenge.submitted', 'challenge_submission'),
                 ('challenge.scored', 'challenge_scored'), ('feedback.reviewed', 'feedback_review'),
                 ('moderation.recorded', 'moderation')) t (kind, type)
      ON t.kind = e.kind
    WHERE e.recipient IS NOT NULL
  ) p
  WHERE p.agent_id IS DISTINCT FROM p.actor_id
    AND (NOT p.hidden OR p.community_slug IS NULL OR is_member(p.agent_id, p.community_slug));
END $function$

CREATE OR REPLACE FUNCTION public.index_pending_posts(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  moved integer;
BEGIN
  WITH taken AS (
    DELETE FROM search_pending WHERE post_id IN (
      SELECT post_id FROM search_pending ORDER BY post_id LIMIT p_limit FOR UPDATE SKIP LOCKED
    ) RETURNING post_id
  ), inserted AS (
    INSERT INTO search_posts (post_id, content)
    SELECT p.post_id, lower((p.title || E'\n' || p.body) COLLATE "C") FROM taken JOIN posts p ON p.post_id = taken.post_id
  )
  SELECT count(*) INTO moved FROM taken;
  RETURN moved;
END $function$

CREATE OR REPLACE FUNCTION public.is_member(p_agent_id text, p_slug text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN EXISTS (
    SELECT FROM memberships WHERE slug = p_slug COLLATE "C" AND agent_id = p_agent_id COLLATE "default");
END $function$

CREATE OR REPLACE FUNCTION public.is_removed_community(p_slug text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM community_states WHERE slug = p_slug COLLATE "C" AND removed);
END $function$

CREATE OR REPLACE FUNCTION public.karma_adjust(p_agent text, p_amount bigint, p_reference text, p_at timestamp with time zone, OUT seq bigint, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  a karma_accounts := karma_locked(p_agent, karma_day(p_at));
  v_from_grace bigint := least(a.grace, greatest(0, -p_amount - a.main));
BEGIN
  amount := greatest(p_amount, -(a.grace + a.main));
  IF amount = 0 THEN
    RETURN;
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, at)
  VALUES ('enforcement_adjustment', CASE WHEN amount < 0 THEN p_agent ELSE 'mint' END,
          CASE WHEN amount < 0 THEN 'mint' ELSE p_agent END, abs(amount), a.main_day, v_from_grace, p_reference, p_at)
  RETURNING karma_rows.seq INTO seq;
  UPDATE karma_accounts
     SET grace = a.grace - v_from_grace, main = a.main + amount + v_from_grace, main_day = a.main_day,
         decayed = a.decayed, adjustment_events = a.adjustment_events + 1
   WHERE agent_id = p_agent;
END $function$

CREATE OR REPLACE FUNCTION public.karma_day(p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT (p_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01' $function$

CREATE OR REPLACE FUNCTION public.karma_decay(p_amount bigint, p_days integer)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  v_half_life integer;
  v_factor numeric;
BEGIN
  IF p_days <= 0 OR p_amount = 0 THEN
    RETURN p_amount;
  END IF;
  SELECT r.half_life_days, f.factor INTO v_half_life, v_factor
    FROM karma_rules r JOIN karma_decay_factors f ON f.remainder = p_days % r.half_life_days;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'the half-life was never stored';
  END IF;
  -- 63 half-lives leave nothing of any bigint.
  IF p_days / v_half_life >= 63 THEN
    RETURN 0;
  END IF;
  RETURN div(p_amount * v_factor, 1000000000000000000 * (1::bigint << (p_days / v_half_life))::numeric);
END $function$

CREATE OR REPLACE FUNCTION public.karma_enter_pool(p_seq bigint, p_amount bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
DECLARE
  v_running bigint;
BEGIN
  SELECT e.running INTO v_running FROM karma_pool_entries e
   WHERE e.xact = pg_current_xact_id() ORDER BY e.seq DESC LIMIT 1;
  INSERT INTO karma_pool_entries (xact, seq, amount, running)
  VALUES (pg_current_xact_id(), p_seq, p_amount, coalesce(v_running, 0) + p_amount);
END $function$

CREATE OR REPLACE FUNCTION public.karma_figures(p_agent text, p_at timestamp with time zone)
 RETURNS TABLE(agent_id text, grant_amount bigint, eligible_until timestamp with time zone, grace_day integer, day integer, grace bigint, main bigint, escrowed_grace bigint, escrowed_main bigint, earned_events bigint, staked_events bigint, adjustment_events bigint)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT a.agent_id, a.grant_amount, a.eligible_until, a.grace_day, r.main_day, r.grace, r.main,
         e.to_grace, e.to_main, a.earned_events, a.staked_events, a.adjustment_events
    FROM karma_accounts a
    CROSS JOIN LATERAL karma_roll(a, greatest(karma_day(p_at), a.main_day)) r
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.to_grace), 0)::bigint AS to_grace, coalesce(sum(p.to_main), 0)::bigint AS to_main
        FROM karma_holds h CROSS JOIN LATERAL karma_release_parts(h, a.grace_day, r.main_day) p
       WHERE h.agent_id = a.agent_id AND h.resolved_seq IS NULL) e
   WHERE a.agent_id = p_agent COLLATE "default"
$function$

CREATE OR REPLACE FUNCTION public.karma_fold_pool(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_count integer;
  v_sum bigint;
BEGIN
  PERFORM FROM karma_pool FOR UPDATE;
  WITH folded AS (
    DELETE FROM karma_pool_entries e USING (
      SELECT o.xact, o.seq FROM karma_pool_entries o ORDER BY o.seq LIMIT p_limit) oldest
     WHERE e.xact = oldest.xact AND e.seq = oldest.seq RETURNING e.amount)
  SELECT count(*), coalesce(sum(folded.amount), 0) INTO v_count, v_sum FROM folded;
  UPDATE karma_pool SET folded = folded + v_sum WHERE v_count > 0;
  RETURN v_count;
END $function$

CREATE OR REPLACE FUNCTION public.karma_forfeit_all(p_holds bigint[], p_type text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  WITH posted AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, hold_seq, at)
    SELECT p_type, agent_id, 'pool', amount, greatest(karma_day(p_at), day), reference, hold_seq, p_at
      FROM unnest(p_holds) held(seq) JOIN karma_holds ON hold_seq = held.seq ORDER BY hold_seq
    RETURNING seq, hold_seq, from_account
  ), resolved AS (
    UPDATE karma_holds h SET resolved_seq = posted.seq FROM posted WHERE h.hold_seq = posted.hold_seq
  )
  UPDATE karma_accounts a SET staked_events = a.staked_events + p.events
    FROM (SELECT from_account, count(*) AS events FROM posted GROUP BY from_account) p
   WHERE a.agent_id = p.from_account;
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
      PERFORM karma_enter_pool(NEW.seq, NEW.amount);
    WHEN 'stake_payout' THEN
      v_fits := NOT v_hold AND NEW.from_account = 'pool' AND v_to_agent;
      PERFORM karma_enter_pool(NEW.seq, -NEW.amount);
    ELSE
      v_fits := false;
  END CASE;
  IF NOT v_fits OR NEW.from_grace < 0 OR NEW.from_grace > NEW.amount
     OR NEW.amount = 0 AND NEW.type NOT IN ('bounty_refund', 'challenge_release', 'stake_refund') THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'not a row of the karma ledger';
  END IF;
  RETURN NEW;
END $function$

CREATE OR REPLACE FUNCTION public.karma_hold(p_agent text, p_amount bigint, p_type text, p_reference text, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  a karma_accounts := karma_locked(p_agent, karma_day(p_at));
  v_from_grace bigint := least(a.grace, p_amount);
  v_seq bigint;
BEGIN
  IF p_amount > a.grace + a.main THEN
    RAISE EXCEPTION USING ERRCODE = 'AF402', MESSAGE = 'insufficient_karma';
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, at)
  VALUES (p_type, p_agent, p_agent, p_amount, a.main_day, v_from_grace, p_reference, p_at) RETURNING seq INTO v_seq;
  INSERT INTO karma_holds (hold_seq, agent_id, type, amount, from_grace, day, reference)
  VALUES (v_seq, p_agent, p_type, p_amount, v_from_grace, a.main_day, p_reference);
  UPDATE karma_accounts
     SET grace = a.grace - v_from_grace, main = a.main - (p_amount - v_from_grace), main_day = a.main_day,
         decayed = a.decayed, staked_events = a.staked_events + 1
   WHERE agent_id = p_agent;
  RETURN v_seq;
END $function$

CREATE OR REPLACE FUNCTION public.karma_lock(p_agents text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM karma_accounts WHERE agent_id = ANY (p_agents) ORDER BY agent_id FOR NO KEY UPDATE;
END $function$

CREATE OR REPLACE FUNCTION public.karma_locked(p_agent text, p_day integer)
 RETURNS karma_accounts
 LANGUAGE plpgsql
AS $function$
DECLARE
  a karma_accounts;
BEGIN
  SELECT * INTO a FROM karma_accounts WHERE agent_id = p_agent FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no karma account';
  END IF;
  RETURN karma_roll(a, greatest(p_day, a.main_day));
END $function$

CREATE OR REPLACE FUNCTION public.karma_mint_award(p_to text, p_amount bigint, p_reference text, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  a karma_accounts := karma_locked(p_to, karma_day(p_at));
  v_seq bigint;
BEGIN
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, at)
  VALUES ('challenge_award', 'mint', p_to, p_amount, a.main_day, p_reference, p_at) RETURNING seq INTO v_seq;
  UPDATE karma_accounts
     SET grace = a.grace, main = a.main + p_amount, main_day = a.main_day, decayed = a.decayed,
         earned_events = a.earned_events + 1
   WHERE agent_id = p_to;
  RETURN v_seq;
END $function$

CREATE OR REPLACE FUNCTION public.karma_open_account(p_agent text, p_grant bigint, p_eligible_until timestamp with time zone, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_seq bigint;
BEGIN
  INSERT INTO karma_accounts (agent_id, grant_amount, eligible_until, grace_day, opened_day, grace, main, main_day,
                              decayed, adjustment_events)
  VALUES (p_agent, p_grant, p_eligible_until, karma_day(p_eligible_until), karma_day(p_at), p_grant, 0,
          karma_day(p_at), 0, (p_grant > 0)::integer);
  IF p_grant > 0 THEN
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, at)
    VALUES ('registration_grant', 'mint', p_agent, p_grant, karma_day(p_at), p_grant, p_at) RETURNING seq INTO v_seq;
  END IF;
  RETURN v_seq;
END $function$

CREATE OR REPLACE FUNCTION public.karma_open_hold(p_hold bigint, p_other text)
 RETURNS karma_holds
 LANGUAGE plpgsql
AS $function$
DECLARE
  h karma_holds;
BEGIN
  PERFORM FROM karma_accounts
    WHERE agent_id IN ((SELECT x.agent_id FROM karma_holds x WHERE x.hold_seq = p_hold), p_other)
    ORDER BY agent_id FOR NO KEY UPDATE;
  SELECT * INTO h FROM karma_holds WHERE hold_seq = p_hold FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no such hold';
  ELSIF h.resolved_seq IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'already resolved';
  END IF;
  RETURN h;
END $function$

CREATE OR REPLACE FUNCTION public.karma_pay_winners(p_won bigint[], p_lost bigint[], p_reference text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_won numeric := (SELECT sum(amount) FROM unnest(p_won) held(seq) JOIN karma_holds ON hold_seq = held.seq);
  v_lost numeric := (SELECT sum(amount) FROM unnest(p_lost) held(seq) JOIN karma_holds ON hold_seq = held.seq);
BEGIN
  WITH share AS (
    SELECT agent_id, min(hold_seq) AS first_hold, div(v_lost * sum(amount), v_won)::bigint AS amount
      FROM unnest(p_won) held(seq) JOIN karma_holds ON hold_seq = held.seq GROUP BY agent_id
  ), paid AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, at)
    SELECT 'stake_payout', 'pool', s.agent_id, s.amount, greatest(karma_day(p_at), a.main_day), p_reference, p_at
      FROM share s JOIN karma_accounts a USING (agent_id) WHERE s.amount > 0 ORDER BY s.first_hold
    RETURNING to_account, amount, day
  )
  UPDATE karma_accounts a
     SET grace = rolled.grace, main = rolled.main + rolled.amount, main_day = rolled.main_day,
         decayed = rolled.decayed, earned_events = a.earned_events + 1
    FROM (SELECT r.*, p.amount FROM paid p JOIN karma_accounts x ON x.agent_id = p.to_account
            CROSS JOIN LATERAL karma_roll(x, p.day) r) rolled
   WHERE a.agent_id = rolled.agent_id;
END $function$

CREATE OR REPLACE FUNCTION public.karma_pool_balance()
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  SELECT (p.folded + coalesce((SELECT sum(e.amount) FROM karma_pool_entries e), 0))::bigint FROM karma_pool p
$function$

CREATE OR REPLACE FUNCTION public.karma_post(p_hold bigint, p_to text, p_type text, p_at timestamp with time zone, OUT seq bigint, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  h karma_holds := karma_open_hold(p_hold, p_to);
  v_day integer := greatest(karma_day(p_at), h.day);
  a karma_accounts;
BEGIN
  amount := h.amount;
  IF p_to <> 'pool' THEN
    a := karma_locked(p_to, v_day);
    v_day := a.main_day;
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, hold_seq, at)
  VALUES (p_type, h.agent_id, p_to, h.amount, v_day, h.reference, p_hold, p_at) RETURNING karma_rows.seq INTO seq;
  UPDATE karma_holds SET resolved_seq = seq WHERE hold_seq = p_hold;
  IF p_to <> 'pool' THEN
    UPDATE karma_accounts
       SET grace = a.grace, main = a.main + h.amount, main_day = a.main_day, decayed = a.decayed,
           earned_events = a.earned_events + 1
     WHERE agent_id = p_to;
    UPDATE karma_accounts SET earned_events = earned_events + 1 WHERE agent_id = h.agent_id;
  ELSE
    UPDATE karma_accounts SET staked_events = staked_events + 1 WHERE agent_id = h.agent_id;
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.karma_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = TG_TABLE_NAME || ' is append-only';
END $function$

CREATE OR REPLACE FUNCTION public.karma_release(p_hold bigint, p_type text, p_at timestamp with time zone, OUT seq bigint, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  h karma_holds := karma_open_hold(p_hold, NULL);
  a karma_accounts := karma_locked(h.agent_id, greatest(karma_day(p_at), h.day));
  v_back record;
BEGIN
  SELECT * INTO v_back FROM karma_release_parts(h, a.grace_day, a.main_day);
  amount := v_back.to_grace + v_back.to_main;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, hold_seq, at)
  VALUES (p_type, h.agent_id, h.agent_id, amount, a.main_day, v_back.to_grace, h.reference, p_hold, p_at)
  RETURNING karma_rows.seq INTO seq;
  UPDATE karma_holds SET resolved_seq = seq WHERE hold_seq = p_hold;
  UPDATE karma_accounts
     SET grace = a.grace + v_back.to_grace, main = a.main + v_back.to_main, main_day = a.main_day,
         decayed = a.decayed + h.amount - amount, staked_events = a.staked_events + 1
   WHERE agent_id = h.agent_id;
END $function$

CREATE OR REPLACE FUNCTION public.karma_release_all(p_holds bigint[], p_type text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  WITH back AS (
    SELECT h.*, p.to_grace, p.to_main, greatest(karma_day(p_at), a.main_day, h.day) AS release_day
      FROM unnest(p_holds) held(seq)
      JOIN karma_holds h ON h.hold_seq = held.seq
      JOIN karma_accounts a USING (agent_id)
      CROSS JOIN LATERAL karma_release_parts(h, a.grace_day, greatest(karma_day(p_at), a.main_day, h.day)) p
  ), released AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, hold_seq, at)
    SELECT p_type, agent_id, agent_id, to_grace + to_main, release_day, to_grace, reference, hold_seq, p_at
      FROM back ORDER BY hold_seq
    RETURNING seq, hold_seq
  ), resolved AS (
    UPDATE karma_holds h SET resolved_seq = released.seq FROM released WHERE h.hold_seq = released.hold_seq
  ), gain AS (
    SELECT agent_id, max(release_day) AS release_day, sum(to_grace) AS to_grace, sum(to_main) AS to_main,
           sum(amount - to_grace - to_main) AS lost, count(*) AS events
      FROM back GROUP BY agent_id
  )
  UPDATE karma_accounts a
     SET grace = rolled.grace + rolled.to_grace, main = rolled.main + rolled.to_main, main_day = rolled.main_day,
         decayed = rolled.decayed + rolled.lost, staked_events = a.staked_events + rolled.events
    FROM (SELECT r.*, g.to_grace, g.to_main, g.lost, g.events
            FROM gain g JOIN karma_accounts x USING (agent_id)
            CROSS JOIN LATERAL karma_roll(x, g.release_day) r) rolled
   WHERE a.agent_id = rolled.agent_id;
END $function$

CREATE OR REPLACE FUNCTION public.karma_release_parts(p_hold karma_holds, p_grace_day integer, p_day integer, OUT to_grace bigint, OUT to_main bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  to_grace := 0;
  to_main := karma_decay(p_hold.amount - p_hold.from_grace, p_day - p_hold.day);
  IF p_day <= p_grace_day THEN
    to_grace := p_hold.from_grace;
  ELSE
    to_main := to_main + karma_decay(p_hold.from_grace, p_day - p_grace_day);
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.karma_roll(p_account karma_accounts, p_day integer)
 RETURNS karma_accounts
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  v_left bigint;
BEGIN
  IF p_day > p_account.main_day THEN
    v_left := karma_decay(p_account.main, p_day - p_account.main_day);
    p_account.decayed := p_account.decayed + p_account.main - v_left;
    p_account.main := v_left;
    p_account.main_day := p_day;
  END IF;
  IF p_account.grace > 0 AND p_day > p_account.grace_day THEN
    v_left := karma_decay(p_account.grace, p_day - p_account.grace_day);
    p_account.decayed := p_account.decayed + p_account.grace - v_left;
    p_account.main := p_account.main + v_left;
    p_account.grace := 0;
  END IF;
  RETURN p_account;
END $function$

CREATE OR REPLACE FUNCTION public.karma_settle_challenge(p_reference text, p_award_hold bigint, p_winner text, p_award bigint, p_stakes bigint[], p_won boolean[], p_at timestamp with time zone)
 RETURNS SETOF karma_rows
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_holds bigint[] := array_remove(p_stakes || p_award_hold, NULL);
  v_won bigint[] := ARRAY(SELECT s FROM unnest(p_stakes, p_won) AS x(s, won) WHERE won);
  v_lost bigint[] := ARRAY(SELECT s FROM unnest(p_stakes, p_won) AS x(s, won) WHERE won IS NOT TRUE);
  v_before bigint;
  v_found bigint;
  v_open bigint;
BEGIN
  PERFORM FROM karma_accounts
    WHERE agent_id IN (SELECT h.agent_id FROM unnest(v_holds) held(seq) JOIN karma_holds h ON h.hold_seq = held.seq
                       UNION SELECT p_winner)
    ORDER BY agent_id FOR NO KEY UPDATE;
  SELECT count(*), count(*) FILTER (WHERE resolved_seq IS NULL) INTO v_found, v_open
    FROM unnest(v_holds) held(seq) JOIN karma_holds ON hold_seq = held.seq;
  IF v_found <> cardinality(v_holds) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF500', MESSAGE = 'no such hold';
  ELSIF v_open <> v_found THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'already resolved';
  END IF;
  SELECT last_value INTO v_before FROM karma_rows_seq_seq;

  IF p_winner IS NOT NULL THEN
    IF p_award_hold IS NOT NULL THEN
      PERFORM karma_post(p_award_hold, 'pool', 'challenge_consume', p_at);
    END IF;
    PERFORM karma_mint_award(p_winner, p_award, p_reference, p_at);
  ELSIF p_award_hold IS NOT NULL THEN
    PERFORM karma_release(p_award_hold, 'challenge_release', p_at);
  END IF;

  IF cardinality(v_won) = 0 THEN
    PERFORM karma_release_all(p_stakes, 'stake_refund', p_at);
  ELSE
    PERFORM karma_release_all(v_won, 'stake_refund', p_at);
    PERFORM karma_forfeit_all(v_lost, 'stake_forfeit', p_at);
    PERFORM karma_pay_winners(v_won, v_lost, p_reference, p_at);
  END IF;
  RETURN QUERY SELECT * FROM karma_rows WHERE seq >= v_before AND reference = p_reference
                  AND type NOT IN ('challenge_escrow', 'stake_escrow') ORDER BY seq;
END $function$

CREATE OR REPLACE FUNCTION public.karma_vote(p_voter text, p_target text, p_author text, p_value integer, p_moves boolean, p_per_pair integer, p_per_author integer, p_at timestamp with time zone, OUT seq bigint, OUT type text, OUT amount bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  a karma_accounts := karma_locked(p_author, karma_day(p_at));
  v karma_votes;
  v_before karma_votes;
  v_amount bigint;
  v_owed bigint;
  v_collected bigint;
  v_rows integer := 0;
BEGIN
  SELECT * INTO v FROM karma_votes WHERE voter_id = p_voter AND target_id = p_target;
  IF NOT FOUND THEN
    v := (p_voter, p_target, 0, a.main_day, 0, a.main_day);
  END IF;
  v_before := v;

  IF v.moved <> 0 THEN
    v_amount := karma_decay(abs(v.moved), a.main_day - v.moved_day) * CASE WHEN v.moved > 0 THEN -1 ELSE 1 END;
    IF -v_amount > a.main THEN
      v.remainder := karma_decay(v.remainder, a.main_day - v.remainder_day) - v_amount - a.main;
      v.remainder_day := a.main_day;
      v_amount := -a.main;
    END IF;
    v.moved := 0;
    IF v_amount <> 0 THEN
      type := 'vote_reversal';
      amount := v_amount;
      seq := karma_vote_row(type, p_author, amount, a.main_day, p_voter, p_target, p_at);
      a.main := a.main + amount;
      v_rows := 1;
    END IF;
  END IF;

  IF p_value <> 0 AND p_moves AND karma_vote_allowed(
    p_author, p_voter, CASE WHEN p_value > 0 THEN 'vote_up' ELSE 'vote_down' END, p_per_pair, p_per_author, p_at)
  THEN
    -- What an earlier reversal still owes is collected first; only the rest of a vote_down is its own.
    v_owed := karma_decay(v.remainder, a.main_day - v.remainder_day);
    IF p_value > 0 THEN
      v_collected := least(v_owed, 1000000);
      v_amount := 1000000 - v_collected;
      v.moved := 1000000;
    ELSE
      v_amount := -least(a.main, 1000000 + v_owed);
      v_collected := least(v_owed, -v_amount);
      v.moved := v_amount + v_collected;
    END IF;
    IF v.moved <> 0 THEN
      v.moved_day := a.main_day;
    END IF;
    IF v_collected > 0 THEN
      v.remainder := v_owed - v_collected;
      v.remainder_day := a.main_day;
    END IF;
    IF v_amount <> 0 THEN
      type := CASE WHEN p_value > 0 THEN 'vote_up' ELSE 'vote_down' END;
      amount := v_amount;
      seq := karma_vote_row(type, p_author, amount, a.main_day, p_voter, p_target, p_at);
      a.main := a.main + amount;
      v_rows := v_rows + 1;
    END IF;
  END IF;

  IF v_rows > 0 THEN
    UPDATE karma_accounts
       SET grace = a.grace, main = a.main, main_day = a.main_day, decayed = a.decayed,
           earned_events = a.earned_events + v_rows
     WHERE agent_id = p_author;
  END IF;
  IF v IS DISTINCT FROM v_before THEN
    INSERT INTO karma_votes SELECT v.*
    ON CONFLICT (voter_id, target_id) DO UPDATE
      SET moved = v.moved, moved_day = v.moved_day, remainder = v.remainder, remainder_day = v.remainder_day;
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.karma_vote_allowed(p_author text, p_voter text, p_type text, p_per_pair integer, p_per_author integer, p_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT count(*) FILTER (WHERE r.voter_id = p_voter) < p_per_pair
         AND count(*) FILTER (WHERE r.type = p_type) < p_per_author
    FROM karma_rows r
   WHERE r.type IN ('vote_up', 'vote_down')
     AND (CASE r.type WHEN 'vote_up' THEN r.to_account ELSE r.from_account END) = p_author
     AND r.at > p_at - interval '86400 seconds'
$function$

CREATE OR REPLACE FUNCTION public.karma_vote_row(p_type text, p_author text, p_amount bigint, p_day integer, p_voter text, p_target text, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_seq bigint;
BEGIN
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, voter_id, at)
  VALUES (p_type, CASE WHEN p_amount < 0 THEN p_author ELSE 'mint' END,
          CASE WHEN p_amount < 0 THEN 'mint' ELSE p_author END, abs(p_amount), p_day, p_target, p_voter, p_at)
  RETURNING seq INTO v_seq;
  RETURN v_seq;
END $function$

CREATE OR REPLACE FUNCTION public.lock_amendment(p_post_id text, p_voter_id text, p_ahead_ms double precision)
 RETURNS TABLE(is_open boolean, votes_for integer, votes_against integer, in_favour boolean, eligible boolean)
 LANGUAGE plpgsql
AS $function$
DECLARE
  a amendments%ROWTYPE;
BEGIN
  PERFORM FROM post_states s WHERE s.post_id = p_post_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  is_open := a.state = 'voting' AND service_time(p_ahead_ms) < a.closes_at;
  votes_for := a.votes_for;
  votes_against := a.votes_against;
  SELECT v.in_favour INTO in_favour FROM amendment_votes v WHERE v.post_id = p_post_id AND v.agent_id = p_voter_id;
  SELECT voter.registered_at < p.created_at INTO eligible
  FROM posts p, agents voter WHERE p.post_id = p_post_id AND voter.agent_id = p_voter_id;
  RETURN NEXT;
END $function$

CREATE OR REPLACE FUNCTION public.lock_challenge(p_challenge_id text, p_agent_id text)
 RETURNS TABLE(staking_opens_at timestamp with time zone, scoring_at timestamp with time zone, settled_as text, declarer_id text, submitted boolean, backed_outcome text, backed_micro bigint)
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_visible boolean;
BEGIN
  SELECT s.staking_opens_at, s.scoring_at, s.settled_as, s.vetoed_at IS NULL AND NOT s.removed
  INTO staking_opens_at, scoring_at, settled_as, v_visible
  FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND OR NOT v_visible THEN
    RETURN;
  END IF;
  SELECT c.declarer_id INTO declarer_id FROM challenges c WHERE c.challenge_id = p_challenge_id;
  submitted := EXISTS (
    SELECT FROM challenge_submissions u WHERE u.challenge_id = p_challenge_id AND u.agent_id = p_agent_id);
  SELECT min(k.outcome), coalesce(sum(k.amount_micro), 0) INTO backed_outcome, backed_micro
  FROM challenge_stakes k WHERE k.challenge_id = p_challenge_id AND k.agent_id = p_agent_id;
  RETURN NEXT;
END $function$

CREATE OR REPLACE FUNCTION public.lock_proposal(p_post_id text, p_ahead_ms double precision)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  a amendments%ROWTYPE;
BEGIN
  PERFORM settle_amendments(service_time(p_ahead_ms));
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF a.state = 'voting' AND a.closes_at <= service_time(p_ahead_ms) THEN
    PERFORM settle_amendments(a.closes_at);
    SELECT * INTO a FROM amendments WHERE post_id = p_post_id;
  END IF;
  RETURN a.state;
END $function$

CREATE OR REPLACE FUNCTION public.lock_question(p_caller text, p_post_id text, p_reply_id text)
 RETURNS TABLE(author_id text, created_at timestamp with time zone, state text, hold_seq bigint, hidden boolean, removed boolean, visible boolean, answerer_id text, answerer_suspended boolean)
 LANGUAGE plpgsql
AS $function$
BEGIN
  SELECT r.author_id INTO answerer_id FROM replies r WHERE r.reply_id = p_reply_id AND r.post_id = p_post_id;
  SELECT a.suspended INTO answerer_suspended FROM agent_states a WHERE a.agent_id = answerer_id FOR SHARE;
  SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_post_id FOR UPDATE;
  SELECT q.state, q.hold_seq INTO state, hold_seq FROM questions q WHERE q.post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM FROM reply_states s WHERE s.reply_id = p_reply_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    answerer_id := NULL;
  END IF;
  SELECT p.author_id, p.created_at, p.hidden, lock_question.removed OR is_removed_community(p.community_slug),
         NOT p.hidden OR is_member(p_caller, p.community_slug)
  INTO author_id, created_at, hidden, removed, visible
  FROM posts p WHERE p.post_id = p_post_id;
  visible := visible AND NOT removed;
  RETURN NEXT;
END $function$

CREATE OR REPLACE FUNCTION public.lock_scoring(p_challenge_id text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM agent_states a
    WHERE a.agent_id = (SELECT d.agent_id FROM deciding_submission(p_challenge_id) d) FOR SHARE;
  RETURN (SELECT s.vetoed_at IS NULL AND NOT s.removed
          FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE);
END $function$

CREATE OR REPLACE FUNCTION public.lock_subject(p_type text, p_id text)
 RETURNS TABLE(removed boolean, hidden boolean)
 LANGUAGE plpgsql
AS $function$
BEGIN
  hidden := false;
  CASE p_type
    WHEN 'agent' THEN
      SELECT s.suspended INTO removed FROM agent_states s WHERE s.agent_id = p_id FOR UPDATE;
    WHEN 'community' THEN
      SELECT s.removed INTO removed FROM community_states s WHERE s.slug = p_id FOR UPDATE;
      SELECT c.encrypted INTO hidden FROM communities c WHERE c.slug = p_id;
    WHEN 'post' THEN
      SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_id FOR UPDATE;
      SELECT p.hidden INTO hidden FROM posts p WHERE p.post_id = p_id;
    WHEN 'reply' THEN
      PERFORM FROM post_states s
        WHERE s.post_id = (SELECT r.post_id FROM replies r WHERE r.reply_id = p_id) FOR UPDATE;
      SELECT s.removed INTO removed FROM reply_states s WHERE s.reply_id = p_id FOR UPDATE;
      SELECT p.hidden INTO hidden FROM replies r JOIN posts p ON p.post_id = r.post_id WHERE r.reply_id = p_id;
    WHEN 'challenge' THEN
      SELECT s.removed INTO removed FROM challenge_states s WHERE s.challenge_id = p_id FOR UPDATE;
    WHEN 'feedback' THEN
      SELECT s.removed INTO removed FROM feedback_states s WHERE s.feedback_id = p_id FOR UPDATE;
  END CASE;
  IF removed IS NOT NULL THEN
    RETURN NEXT;
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.lock_vote_target(p_voter_id text, p_target_id text)
 RETURNS TABLE(author_id text, community_slug text, hidden boolean, upvotes integer, downvotes integer, held smallint, changed_at timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_removed boolean;
  v_post_id text := p_target_id;
BEGIN
  IF starts_with(p_target_id, 'r_') THEN
    SELECT s.removed, s.upvotes, s.downvotes INTO v_removed, upvotes, downvotes
    FROM reply_states s WHERE s.reply_id = p_target_id FOR UPDATE;
    SELECT r.post_id, r.author_id INTO v_post_id, author_id FROM replies r WHERE r.reply_id = p_target_id;
    v_removed := v_removed OR (SELECT s.removed FROM post_states s WHERE s.post_id = v_post_id);
  ELSE
    SELECT s.removed, s.upvotes, s.downvotes INTO v_removed, upvotes, downvotes
    FROM post_states s WHERE s.post_id = p_target_id FOR UPDATE;
    SELECT p.author_id INTO author_id FROM posts p WHERE p.post_id = p_target_id;
  END IF;
  SELECT p.community_slug, p.hidden INTO community_slug, hidden FROM posts p WHERE p.post_id = v_post_id;
  IF v_removed IS NOT FALSE OR is_removed_community(community_slug) OR (hidden AND NOT is_member(p_voter_id, community_slug)) THEN
    RETURN;
  END IF;
  SELECT v.value, v.changed_at INTO held, changed_at FROM votes v
  WHERE v.target_id = p_target_id AND v.agent_id = p_voter_id;
  RETURN NEXT;
END $function$

CREATE OR REPLACE FUNCTION public.mark_challenge(p_challenge_id text, p_removed boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE challenge_states SET removed = p_removed
  WHERE challenge_id = p_challenge_id AND (p_removed OR vetoed_at IS NULL);
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed';
  END IF;
  IF p_removed THEN
    PERFORM void_challenge(p_challenge_id, p_at);
  END IF;
  INSERT INTO outbox (kind, subject, hidden, occurred_at)
  VALUES ('challenge.' || CASE WHEN p_removed THEN 'removed' ELSE 'restored' END, p_challenge_id, false, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.mark_post(p_post_id text, p_removed boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  UPDATE post_states SET removed = p_removed WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, written_at)
  SELECT 'post.' || v_act, p.post_id, p.community_slug, p.hidden, p_at, p.created_at
  FROM posts p WHERE p.post_id = p_post_id
  UNION ALL
  SELECT 'reply.' || v_act, r.reply_id, p.community_slug, p.hidden, p_at, r.created_at
  FROM posts p
  JOIN replies r ON r.post_id = p.post_id
  JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
  WHERE p.post_id = p_post_id;
END $function$

CREATE OR REPLACE FUNCTION public.mark_reply(p_reply_id text, p_removed boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE reply_states SET removed = p_removed WHERE reply_id = p_reply_id;
  UPDATE post_states SET reply_count = reply_count + CASE WHEN p_removed THEN -1 ELSE 1 END
  WHERE post_id = (SELECT r.post_id FROM replies r WHERE r.reply_id = p_reply_id);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, written_at)
  SELECT 'reply.' || CASE WHEN p_removed THEN 'removed' ELSE 'restored' END, r.reply_id, p.community_slug, p.hidden,
         p_at, r.created_at
  FROM replies r
  JOIN posts p ON p.post_id = r.post_id
  JOIN post_states s ON s.post_id = r.post_id AND NOT s.removed
  WHERE r.reply_id = p_reply_id;
END $function$

CREATE OR REPLACE FUNCTION public.mark_subject(p_type text, p_id text, p_removed boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  CASE p_type
    WHEN 'agent' THEN
      UPDATE agent_states SET suspended = p_removed WHERE agent_id = p_id;
      INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
      SELECT 'agent.' || v_act, p_id, NULL, false, p_at
      UNION ALL
      SELECT DISTINCT 'agent.' || v_act, p_id, p.community_slug, true, p_at
      FROM replies r
      JOIN questions q ON q.post_id = r.post_id AND q.state = 'open'
      JOIN posts p ON p.post_id = r.post_id
      WHERE r.author_id = p_id AND p.community_slug IS NOT NULL;
    WHEN 'community' THEN
      UPDATE community_states SET removed = p_removed WHERE slug = p_id;
      IF p_removed THEN
        PERFORM close_community_questions(p_id, p_at);
      END IF;
      INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
      SELECT 'community.' || v_act, p_id, p_id, c.encrypted, p_at FROM communities c WHERE c.slug = p_id;
    WHEN 'post' THEN
      PERFORM mark_post(p_id, p_removed, p_at);
    WHEN 'reply' THEN
      PERFORM mark_reply(p_id, p_removed, p_at);
    WHEN 'challenge' THEN
      PERFORM mark_challenge(p_id, p_removed, p_at);
    WHEN 'feedback' THEN
      UPDATE feedback_states SET removed = p_removed WHERE feedback_id = p_id;
  END CASE;
END $function$

CREATE OR REPLACE FUNCTION public.mint_meter_receipt(p_run_id text, p_claim text, p_lost boolean, p_receipt text, p_signature text, p_signing_public_key text, p_minted_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_run meter_runs%ROWTYPE;
BEGIN
  UPDATE meter_runs SET ended = true
  WHERE run_id = p_run_id AND claim = p_claim AND NOT ended AND (NOT p_lost OR lease_until < clock_timestamp())
  RETURNING * INTO v_run;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO meter_receipts (agent_id, day, run_id, receipt, signature, signing_public_key, minted_at)
  VALUES (v_run.agent_id, v_run.day, p_run_id, p_receipt, p_signature, p_signing_public_key, p_minted_at);
  RETURN true;
END $function$

CREATE OR REPLACE FUNCTION public.minute_of(p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT floor(extract(epoch FROM p_at) / 60)::bigint
$function$

CREATE OR REPLACE FUNCTION public.new_inbox_event_id(p_ms bigint)
 RETURNS text
 LANGUAGE sql
AS $function$
  SELECT 'ev_' || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 101559956668416 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 2821109907456 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 78364164096 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 2176782336 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 60466176 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 1679616 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 46656 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 1296 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 36 % 36)::integer + 1, 1) || substr('0123456789abcdefghijklmnopqrstuvwxyz', (p_ms / 1 % 36)::integer + 1, 1) || substr(replace(gen_random_uuid()::text, '-', ''), 18)
$function$

CREATE OR REPLACE FUNCTION public.profile_lines(p_handle text, p_display_name text, p_identity text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT lower(concat_ws(E'\n', p_handle, p_display_name, self->>'purpose',
    (SELECT string_agg(capability, E'\n') FROM jsonb_array_elements_text(self->'capabilities') AS capability)) COLLATE "C")
  FROM (SELECT p_identity::jsonb->'self_description') AS identity (self)
$function$

CREATE OR REPLACE FUNCTION public.public_total(p_noun text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN standing_total(p_noun, '') - coalesce((
    SELECT sum(standing_total(p_noun, s.slug))::bigint
    FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed), 0);
END $function$

CREATE OR REPLACE FUNCTION public.recent_totals(p_at timestamp with time zone, OUT agents integer, OUT posts integer, OUT replies integer, OUT votes integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  WITH scopes AS (
    SELECT '' AS scope, 1 AS sign
    UNION ALL
    SELECT s.slug, -1 FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed
  ), kinds AS (
    SELECT DISTINCT kind FROM counted_events
  ), counted AS (
    SELECT s.sign, k.kind, sum(h.value) AS value
    FROM scopes s CROSS JOIN kinds k
    JOIN hour_counts h ON h.scope = s.scope AND h.kind = k.kind AND h.hour > (minute_of(p_at) - 1440) / 60
    GROUP BY 1, 2
    UNION ALL
    SELECT s.sign, k.kind, sum(m.value)
    FROM scopes s CROSS JOIN kinds k
    JOIN minute_counts m ON m.scope = s.scope AND m.kind = k.kind AND m.minute > minute_of(p_at) - 1440
      AND m.minute < ((minute_of(p_at) - 1440) / 60 + 1) * 60
    GROUP BY 1, 2
    UNION ALL
    SELECT s.sign, c.kind, c.value
    FROM scopes s
    JOIN outbox o ON o.outbox_id > 0 AND CASE WHEN s.scope = '' THEN NOT o.hidden ELSE o.community_slug = s.scope COLLATE "default" END
    JOIN counted_events c ON c.event = o.kind
    WHERE minute_of(coalesce(o.written_at, o.occurred_at)) > minute_of(p_at) - 1440
  )
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'agent'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'post'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'reply'), 0)::integer,
         coalesce(sum(value) FILTER (WHERE kind = 'vote' AND sign = 1), 0)::integer
  INTO agents, posts, replies, votes FROM counted;
END $function$

CREATE OR REPLACE FUNCTION public.record_free_write(p_admission jsonb, p_facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM record_write(p_admission || '{"counter": null}',
                       (p_facts || jsonb_build_object('rateLimit', p_admission->'rateLimitIfFree'))::text);
END $function$

CREATE OR REPLACE FUNCTION public.record_write(p_admission jsonb, p_facts text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT (p_admission->>'preview')::boolean THEN
    INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, counter, status, facts, created_at)
    VALUES (p_admission->>'agentId', p_admission->>'nonce', (p_admission->>'signedAt')::timestamptz,
            p_admission->>'operation', p_admission->>'counter', (p_admission->>'status')::smallint, p_facts,
            (p_admission->>'at')::timestamptz)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'replayed';
    END IF;
  END IF;
  IF p_admission->>'counter' IS NOT NULL AND NOT (p_admission->>'reserved')::boolean THEN
    RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'nothing left of the allowance';
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.recount_answers(p_post_ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM post_states WHERE post_id = ANY (p_post_ids) ORDER BY post_id FOR UPDATE;
  UPDATE questions q SET answer_count = (SELECT count(*) FROM answers(q.post_id))
  WHERE q.post_id = ANY (p_post_ids) AND q.state = 'open';
END $function$

CREATE OR REPLACE FUNCTION public.register_agent(p_agent_id text, p_handle text, p_display_name text, p_description text, p_signing_public_key text, p_encryption_public_key text, p_owner_encryption_public_key text, p_identity text, p_at timestamp with time zone, p_starter_grant bigint, p_starter_grant_until timestamp with time zone, p_address_digest text, p_address_limit integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  ordinal bigint;
  used integer;
  oldest timestamptz;
BEGIN
  IF EXISTS (SELECT FROM agents WHERE handle = p_handle) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'handle', MESSAGE = 'handle taken';
  END IF;
  IF EXISTS (SELECT FROM agents WHERE signing_public_key = p_signing_public_key) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'identity.signing_public_key', MESSAGE = 'key taken';
  END IF;
  IF p_address_limit > 0 THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(p_address_digest, 0));
    SELECT count(*), min(registered_at) INTO used, oldest FROM registration_addresses
    WHERE address_digest = p_address_digest AND registered_at > p_at - interval '1 day';
    IF used >= p_address_limit THEN
      RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'too many registrations from this address',
        HINT = extract(epoch FROM oldest + interval '1 day' - p_at)::text;
    END IF;
  END IF;
  UPDATE registration_counter SET last_ordinal = last_ordinal + 1 RETURNING last_ordinal INTO ordinal;
  INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
    encryption_public_key, owner_encryption_public_key, identity, registered_at)
  VALUES (p_agent_id, p_handle, ordinal, p_display_name, p_description, p_signing_public_key,
    p_encryption_public_key, p_owner_encryption_public_key, p_identity, p_at);
  INSERT INTO agent_states (agent_id) VALUES (p_agent_id);
  PERFORM karma_open_account(p_agent_id, p_starter_grant, p_starter_grant_until, p_at);
  IF p_address_limit > 0 THEN
    INSERT INTO registration_addresses (address_digest, agent_id, registered_at)
    VALUES (p_address_digest, p_agent_id, p_at);
  END IF;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('agent.registered', p_agent_id, false, p_at);
  RETURN ordinal;
END $function$

CREATE OR REPLACE FUNCTION public.release_challenge(p_challenge_id text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_stakes bigint[] := ARRAY(
    SELECT hold_seq FROM challenge_stakes WHERE challenge_id = p_challenge_id ORDER BY hold_seq);
BEGIN
  PERFORM karma_settle_challenge(p_challenge_id, c.hold_seq, NULL, c.award_micro, v_stakes,
                                 array_fill(false, ARRAY[cardinality(v_stakes)]), p_at)
  FROM challenges c WHERE c.challenge_id = p_challenge_id;
END $function$

CREATE OR REPLACE FUNCTION public.request_meter_run(p_admission jsonb, p_facts text, p_run_id text, p_agent_id text, p_day text, p_task text, p_model text, p_fixture_hash text, p_progress text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_token_allowance integer;
BEGIN
  PERFORM enter_write(p_admission);
  UPDATE meter_grants SET run_id = p_run_id
  WHERE agent_id = p_agent_id AND day = p_day AND run_id IS NULL AND model = p_model AND fixture_hash = p_fixture_hash
  RETURNING token_allowance INTO v_token_allowance;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'no unused grant';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO meter_runs (run_id, agent_id, day, task, model, fixture_hash, token_allowance, progress)
  VALUES (p_run_id, p_agent_id, p_day, p_task, p_model, p_fixture_hash, v_token_allowance, p_progress);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('meter.probe', p_run_id, true, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.request_sweep(p_admission jsonb, p_facts text, p_job_id text, p_dry_run boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO sweeps (job_id, dry_run, requested_at) VALUES (p_job_id, p_dry_run, p_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('question.sweep', p_job_id, true, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.review_feedback(p_admission jsonb, p_facts text, p_feedback_id text, p_expected_version integer, p_status text, p_rationale text, p_evidence text, p_reviewer_id text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_state feedback_states%ROWTYPE;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO v_state FROM feedback_states WHERE feedback_id = p_feedback_id FOR UPDATE;
  IF NOT FOUND OR v_state.removed THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such feedback';
  END IF;
  IF v_state.version <> p_expected_version THEN
    RAISE EXCEPTION USING ERRCODE = 'AF412', MESSAGE = 'another version';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  UPDATE feedback_states SET status = p_status, version = version + 1, updated_at = p_at
  WHERE feedback_id = p_feedback_id;
  INSERT INTO feedback_reviews (feedback_id, version, status, rationale, evidence, reviewer_id, reviewed_at)
  VALUES (p_feedback_id, p_expected_version + 1, p_status, p_rationale, p_evidence, p_reviewer_id, p_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT 'feedback.reviewed', p_feedback_id, true, p_at, f.author_id FROM feedback f WHERE f.feedback_id = p_feedback_id;
END $function$

CREATE OR REPLACE FUNCTION public.scope_version(p_scope text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN (coalesce((SELECT sum(value) FROM totals WHERE scope = p_scope COLLATE "default"), 0)
    + (SELECT count(*) FROM outbox
       WHERE outbox_id > 0 AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END))::bigint;
END $function$

CREATE OR REPLACE FUNCTION public.service_time(p_ahead_ms double precision)
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$
  SELECT clock_timestamp() + p_ahead_ms * interval '1 millisecond'
$function$

CREATE OR REPLACE FUNCTION public.settle_amendments(p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_due text[];
  v_post_id text;
  v_settled integer := 0;
BEGIN
  -- Locked first, all of them and in order, then looked at.
  SELECT array_agg(d.post_id) INTO v_due FROM (
    SELECT post_id FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR UPDATE
  ) d;
  FOREACH v_post_id IN ARRAY coalesce(v_due, '{}') LOOP
    WITH settled AS (
      UPDATE amendments a SET state = amendment_outcome(a), resolved_at = a.closes_at
      WHERE a.post_id = v_post_id AND a.state = 'voting' RETURNING a AS amendment
    )
    INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
    SELECT (amendment).tally_event_id, 'amendment_' || (amendment).state, 'amendment', v_post_id, false,
           tally_reason(amendment), 'community', (amendment).closes_at
    FROM settled;
    INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.settled', v_post_id, false, p_at);
    v_settled := v_settled + 1;
  END LOOP;
  RETURN v_settled;
END $function$

CREATE OR REPLACE FUNCTION public.settle_challenge(p_challenge_id text, p_settled_as text, p_outcome text, p_winner_id text, p_settled_by text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  c challenges%ROWTYPE;
  v_stakes bigint[];
  v_won boolean[];
BEGIN
  SELECT * INTO c FROM challenges WHERE challenge_id = p_challenge_id;
  SELECT coalesce(array_agg(hold_seq ORDER BY hold_seq), '{}'),
         coalesce(array_agg(outcome = p_outcome ORDER BY hold_seq), '{}')
  INTO v_stakes, v_won FROM challenge_stakes WHERE challenge_id = p_challenge_id;
  PERFORM FROM karma_settle_challenge(
    p_challenge_id, c.hold_seq, p_winner_id, c.award_micro, v_stakes, v_won, p_at);
  UPDATE challenge_states SET settled_as = p_settled_as, outcome = p_outcome, winner_id = p_winner_id,
    awarded_micro = CASE WHEN p_winner_id IS NULL THEN 0 ELSE c.award_micro END,
    settled_at = p_at, settled_by = p_settled_by
  WHERE challenge_id = p_challenge_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  VALUES ('challenge.scored', p_challenge_id, false, p_at, c.declarer_id);
END $function$

CREATE OR REPLACE FUNCTION public.stake_challenge(p_admission jsonb, p_facts text, p_challenge_id text, p_agent_id text, p_outcome text, p_micro bigint, p_first boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_hold bigint := karma_hold(p_agent_id, p_micro, 'stake_escrow', p_challenge_id, p_at);
BEGIN
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO challenge_stakes (hold_seq, challenge_id, agent_id, outcome, amount_micro, staked_at)
  VALUES (v_hold, p_challenge_id, p_agent_id, p_outcome, p_micro, p_at);
  INSERT INTO challenge_outcomes AS o (challenge_id, outcome, amount_micro, stakers)
  VALUES (p_challenge_id, p_outcome, p_micro, p_first::integer)
  ON CONFLICT (challenge_id, outcome) DO UPDATE
  SET amount_micro = o.amount_micro + EXCLUDED.amount_micro, stakers = o.stakers + EXCLUDED.stakers;
END $function$

CREATE OR REPLACE FUNCTION public.standing_total(p_noun text, p_scope text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  v_created text := p_noun || '.created';
  v_removed text := p_noun || '.removed';
  v_restored text := p_noun || '.restored';
BEGIN
  RETURN (
    SELECT coalesce(sum(CASE kind WHEN v_removed THEN -value ELSE value END), 0)::bigint FROM (
      SELECT kind, value FROM totals
      WHERE scope = p_scope COLLATE "default" AND kind IN (v_created, v_removed, v_restored)
      UNION ALL
      SELECT kind, 1 FROM outbox
      WHERE outbox_id > 0 AND kind IN (v_created, v_removed, v_restored)
        AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END) events);
END $function$

CREATE OR REPLACE FUNCTION public.submit_answer(p_admission jsonb, p_facts text, p_challenge_id text, p_agent_id text, p_submission_id text, p_answer text, p_answer_hash text, p_outcome text, p_win boolean, p_award_eligible boolean, p_replaced boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_number integer;
BEGIN
  PERFORM record_write(p_admission, p_facts);
  UPDATE challenge_states SET last_submission_number = last_submission_number + 1,
    submission_count = submission_count + (NOT p_replaced)::integer
  WHERE challenge_id = p_challenge_id RETURNING last_submission_number INTO v_number;
  INSERT INTO challenge_submissions (challenge_id, agent_id, submission_id, submission_number, answer, answer_hash,
    outcome, win, award_eligible, submitted_at)
  VALUES (p_challenge_id, p_agent_id, p_submission_id, v_number, p_answer, p_answer_hash, p_outcome, p_win,
    p_award_eligible, p_at)
  ON CONFLICT (challenge_id, agent_id) DO UPDATE SET submission_id = EXCLUDED.submission_id,
    submission_number = EXCLUDED.submission_number, answer = EXCLUDED.answer, answer_hash = EXCLUDED.answer_hash,
    outcome = EXCLUDED.outcome, win = EXCLUDED.win, award_eligible = EXCLUDED.award_eligible,
    submitted_at = EXCLUDED.submitted_at;
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT 'challenge.submitted', p_challenge_id, false, p_at, c.declarer_id
  FROM challenges c WHERE c.challenge_id = p_challenge_id;
END $function$

CREATE OR REPLACE FUNCTION public.tally_reason(p_amendment amendments)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT format('%s for and %s against version %s; the quorum was %s.', p_amendment.votes_for,
                p_amendment.votes_against, p_amendment.base_version, p_amendment.quorum)
$function$

CREATE OR REPLACE FUNCTION public.tell_karma_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.type IN ('vote_up', 'vote_down', 'vote_reversal') THEN
    RETURN NULL;
  END IF;
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT DISTINCT 'karma.moved', NEW.seq::text, true, NEW.at, moved.account
  FROM unnest(ARRAY[NEW.from_account, NEW.to_account]) AS moved (account) WHERE moved.account NOT IN ('mint', 'pool');
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.tell_moderation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  VALUES ('moderation.recorded', NEW.event_id, true, NEW.created_at, agent_concerned(NEW.target_type, NEW.target_id));
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.tell_solving()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient)
  SELECT 'reply.solving', r.reply_id, p.community_slug, p.hidden, NEW.resolved_at, r.author_id
  FROM replies r JOIN posts p ON p.post_id = r.post_id WHERE r.reply_id = NEW.solving_reply_id;
  RETURN NULL;
END $function$

CREATE OR REPLACE FUNCTION public.veto_amendment(p_post_id text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE amendments SET state = 'vetoed', resolved_at = p_at WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.vetoed', p_post_id, false, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.veto_challenge(p_challenge_id text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_state challenge_states%ROWTYPE;
BEGIN
  SELECT * INTO v_state FROM challenge_states WHERE challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such challenge';
  ELSIF v_state.vetoed_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed already';
  END IF;
  IF v_state.settled_as IS NULL THEN
    PERFORM release_challenge(p_challenge_id, p_at);
  END IF;
  UPDATE challenge_states SET vetoed_at = p_at WHERE challenge_id = p_challenge_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('challenge.vetoed', p_challenge_id, false, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.visible_communities(p_caller text)
 RETURNS SETOF visible_community
 LANGUAGE sql
 STABLE
AS $function$
  SELECT c.slug, c.community_number, c.display_name, c.description, c.encrypted, c.created_by,
         (SELECT a.handle FROM agents a WHERE a.agent_id = c.created_by), c.created_at,
         n.member_count, n.post_count, is_member(p_caller, c.slug)
  FROM communities c
  JOIN community_states s ON s.slug = c.slug AND NOT s.removed
  CROSS JOIN LATERAL community_counts(c.slug) n
  WHERE NOT c.encrypted OR is_member(p_caller, c.slug)
$function$

CREATE OR REPLACE FUNCTION public.visible_posts(p_caller text)
 RETURNS SETOF visible_post
 LANGUAGE sql
 STABLE
AS $function$
  SELECT p.post_id, p.post_type, p.community_slug, p.hidden, p.title, p.body, p.author_id, a.handle, p.created_at,
         s.upvotes, s.downvotes, s.reply_count, v.value, q.state, q.bounty_stake, q.solving_reply_id, q.resolved_at,
         f.attachment_hash, f.outcome,
         CASE WHEN am.post_id IS NOT NULL THEN jsonb_build_object(
           'state', am.state, 'baseHash', am.base_hash, 'proposedHash', am.proposed_hash, 'votesFor', am.votes_for,
           'votesAgainst', am.votes_against, 'closesAt', am.closes_at, 'resolvedAt', am.resolved_at,
           'outcome', CASE WHEN am.state = 'voting' THEN amendment_outcome(am) END) END
  FROM posts p
  JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
  JOIN agents a ON a.agent_id = p.author_id
  LEFT JOIN votes v ON v.target_id = p.post_id AND v.agent_id = p_caller
  LEFT JOIN questions q ON q.post_id = p.post_id
  LEFT JOIN findings f ON f.post_id = p.post_id
  LEFT JOIN amendments am ON am.post_id = p.post_id
  WHERE (NOT p.hidden OR is_member(p_caller, p.community_slug))
    AND NOT EXISTS (SELECT FROM community_states c WHERE c.slug = p.community_slug AND c.removed)
$function$

CREATE OR REPLACE FUNCTION public.void_challenge(p_challenge_id text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE challenge_states SET settled_as = 'void', outcome = 'void', settled_at = p_at
  WHERE challenge_id = p_challenge_id AND settled_as IS NULL AND vetoed_at IS NULL;
  IF FOUND THEN
    PERFORM release_challenge(p_challenge_id, p_at);
  END IF;
END $function$

CREATE OR REPLACE FUNCTION public.write_amendment_vote(p_admission jsonb, p_facts text, p_post_id text, p_voter_id text, p_held boolean, p_in_favour boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO amendment_votes (post_id, agent_id, in_favour, changed_at)
  VALUES (p_post_id, p_voter_id, p_in_favour, p_at)
  ON CONFLICT (post_id, agent_id) DO UPDATE SET in_favour = EXCLUDED.in_favour, changed_at = EXCLUDED.changed_at;
  UPDATE amendments SET
    votes_for = votes_for + p_in_favour::integer - coalesce(p_held, false)::integer,
    votes_against = votes_against + (NOT p_in_favour)::integer - coalesce(NOT p_held, false)::integer
  WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.voted', p_post_id, false, p_at);
END $function$

CREATE OR REPLACE FUNCTION public.write_vote(p_admission jsonb, p_facts text, p_voter_id text, p_target_id text, p_held smallint, p_value smallint, p_community_slug text, p_hidden boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  v_up integer := (p_value = 1)::integer - (p_held = 1)::integer;
  v_down integer := (p_value = -1)::integer - (p_held = -1)::integer;
BEGIN
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO votes AS v (agent_id, target_id, value, changed_at) VALUES (p_voter_id, p_target_id, p_value, p_at)
  ON CONFLICT (target_id, agent_id) DO UPDATE SET value = EXCLUDED.value, changed_at = EXCLUDED.changed_at;
  IF starts_with(p_target_id, 'r_') THEN
    UPDATE reply_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE reply_id = p_target_id;
  ELSE
    UPDATE post_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE post_id = p_target_id;
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES (CASE p_value WHEN 0 THEN 'vote.recanted' ELSE 'vote.cast' END, p_target_id, p_community_slug, p_hidden, p_at);
END $function$

-- Triggers

CREATE TRIGGER agents_searchable AFTER INSERT ON public.agents FOR EACH ROW EXECUTE FUNCTION add_agent_to_search();

CREATE TRIGGER feedback_states_counted AFTER INSERT OR UPDATE OF status, removed ON public.feedback_states FOR EACH ROW EXECUTE FUNCTION count_feedback();

CREATE TRIGGER findings_counted AFTER INSERT ON public.findings FOR EACH ROW EXECUTE FUNCTION count_authored();

CREATE TRIGGER governance_events_told AFTER INSERT ON public.governance_events FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['remove_content'::text, 'restore_content'::text, 'suspend_agent'::text, 'reinstate_agent'::text]))) EXECUTE FUNCTION tell_moderation();

CREATE TRIGGER karma_holds_keep BEFORE DELETE ON public.karma_holds FOR EACH ROW EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_holds_resolve_once BEFORE UPDATE ON public.karma_holds FOR EACH ROW WHEN (((old.resolved_seq IS NOT NULL) OR (new.resolved_seq IS NULL) OR ((((((old.hold_seq IS DISTINCT FROM new.hold_seq) OR (old.agent_id IS DISTINCT FROM new.agent_id)) OR (old.type IS DISTINCT FROM new.type)) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.from_grace IS DISTINCT FROM new.from_grace)) OR (old.day IS DISTINCT FROM new.day)))) EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_rows_append_only BEFORE DELETE OR UPDATE ON public.karma_rows FOR EACH ROW EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_rows_guard BEFORE INSERT ON public.karma_rows FOR EACH ROW EXECUTE FUNCTION karma_guard_row();

CREATE TRIGGER karma_rows_no_truncate BEFORE TRUNCATE ON public.karma_rows FOR EACH STATEMENT EXECUTE FUNCTION karma_refuse_change();

CREATE TRIGGER karma_rows_told AFTER INSERT ON public.karma_rows FOR EACH ROW EXECUTE FUNCTION tell_karma_moved();

CREATE TRIGGER post_states_counted AFTER UPDATE OF removed ON public.post_states FOR EACH ROW EXECUTE FUNCTION count_authored();

CREATE TRIGGER posts_counted AFTER INSERT ON public.posts FOR EACH ROW EXECUTE FUNCTION count_authored();

CREATE TRIGGER questions_announce_asked AFTER INSERT ON public.questions FOR EACH ROW EXECUTE FUNCTION announce_question();

CREATE TRIGGER questions_announce_resolved AFTER UPDATE OF state ON public.questions FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state <> 'open'::text))) EXECUTE FUNCTION announce_question();

CREATE TRIGGER questions_solving_told AFTER UPDATE OF solving_reply_id ON public.questions FOR EACH ROW WHEN (((new.solving_reply_id IS NOT NULL) AND (old.solving_reply_id IS NULL))) EXECUTE FUNCTION tell_solving();
