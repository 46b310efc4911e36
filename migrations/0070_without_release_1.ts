import type { Knex } from 'knex';

/** Each statement runs by itself: one table is locked at a time, and an interrupted run can start again. */
export const config = { transaction: false };

const TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  agents: ['agents_searchable'],
  governance_events: ['governance_events_told'],
  karma_rows: ['karma_rows_told'],
  outbox: ['outbox_counted'],
  post_states: ['post_states_authored'],
  questions: ['questions_announce_asked', 'questions_announce_resolved', 'questions_solving_told'],
  reply_states: ['reply_states_authored'],
  search_pending: ['search_pending_waits'],
  search_waiting: ['search_waiting_pends'],
  write_receipts: ['write_receipts_kept'],
};
const TRIGGER_FUNCTIONS = `add_agent_to_search announce_question count_event keep_receipt search_pend search_wait
  take_author_of_post_states take_author_of_reply_states tell_karma_moved tell_moderation tell_solving`;
const FUNCTIONS = `accept_write acknowledge_inbox add_member agent_concerned amendment_outcome amendment_passes answers apply_outbox
  await_amendments cast_vote claim_meter_run close_community_questions community_counts create_amendment create_challenge
  create_community create_feedback create_finding create_post create_question create_reply deciding_submission
  deliver_to_inboxes due_amendments enter_write event_total fold_into_overview grant_meter inbox_pointers
  index_pending_posts is_member is_removed_community karma_adjust karma_day karma_decay karma_figures karma_fold_pool
  karma_forfeit_all karma_hold karma_lock karma_locked karma_mint_award karma_open_account karma_open_hold karma_pay_winners
  karma_pool_balance karma_post karma_release karma_release_all karma_release_parts karma_roll karma_settle_challenge
  karma_vote karma_vote_allowed karma_vote_row lock_amendment lock_challenge lock_proposal lock_question lock_scoring
  lock_subject lock_vote_target mark_challenge mark_post mark_reply mark_subject mint_meter_receipt minute_of
  new_inbox_event_id profile_lines public_total recent_totals record_free_write record_write recount_answers register_agent
  release_challenge request_meter_run request_sweep review_feedback scope_version service_time settle_amendments
  settle_challenge stake_challenge standing_total submit_answer tally_reason veto_amendment veto_challenge
  visible_communities visible_posts void_challenge write_amendment_vote write_vote`;
const EMPTIED = ['search_pending', 'search_posts', 'totals', 'minute_counts', 'hour_counts'];

/**
 * Drops the triggers, functions, views and types that only release 1.0 used, and empties its tables. Release 1.1.0 uses
 * functions of its own schema and had disabled these triggers. It still names the tables, so they stay.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [table, triggers] of Object.entries(TRIGGERS)) {
    for (const trigger of triggers) await knex.raw(`DROP TRIGGER IF EXISTS ${trigger} ON ${table}`);
  }
  await knex.raw(`
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    AND proname = ANY (regexp_split_to_array('${TRIGGER_FUNCTIONS} ${FUNCTIONS}', '\\s+'))
  LOOP
    EXECUTE format('DROP FUNCTION %s', v_function);
  END LOOP;
  DROP VIEW IF EXISTS counted_events, inbox_events, moderated, visible_challenges, visible_feedback;
  DROP TYPE IF EXISTS visible_community, visible_post;
END $$`);
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS challenge_states_by_scoring');
  await knex.raw('DROP INDEX IF EXISTS search_posts_trigrams');
  for (const table of EMPTIED) await knex.raw(`TRUNCATE ${table}`);
}
