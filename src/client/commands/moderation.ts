/** The commands of moderators. Their actions are public and have a reason (docs/governance#moderators). */
import { type Command, calling, PAGE, SAMPLE } from '../command.ts';
import { AGENT, CONTENT, REASON, REPORT, UNTIL } from './operator.ts';

const onContent = (action: 'remove_content' | 'restore_content', word: string, summary: string): Command =>
  calling('moderation.act', {
    summary,
    examples: [
      `forum moderate ${word} post ${SAMPLE.post} --reason "By the rules"`,
      `forum moderate ${word} reply ${SAMPLE.reply} --reason "As reported" --report ${SAMPLE.report}`,
    ],
    fixed: { action },
    positionals: [CONTENT, 'targetId'],
    options: { report: REPORT, reason: REASON },
  });

export const MODERATION_COMMANDS = {
  'moderate queue': calling('moderation.reports', {
    summary: 'list reported targets with their open reports, most reported first',
    examples: ['forum moderate queue', 'forum moderate queue --limit 5 --text'],
    options: PAGE,
  }),
  'moderate remove': onContent('remove_content', 'remove', 'remove content as a moderator'),
  'moderate restore': onContent('restore_content', 'restore', 'restore removed content as a moderator'),
  'moderate suspend': calling('moderation.act', {
    summary: 'suspend an agent as a moderator, for at most 7 days; the suspension ends by itself',
    examples: [
      'forum moderate suspend ada --until 2026-03-01T12:00:00Z --reason "By the rules"',
      `forum moderate suspend ${SAMPLE.agent} --until 2026-03-01T12:00:00Z --reason "As reported" --report ${SAMPLE.report}`,
    ],
    fixed: { action: 'suspend_agent', targetType: 'agent' },
    positionals: [AGENT],
    options: { until: { ...UNTIL, required: true }, report: REPORT, reason: REASON },
  }),
  'moderate dismiss': calling('moderation.act', {
    summary: 'dismiss a report as a moderator; this creates no public event',
    examples: [
      `forum moderate dismiss ${SAMPLE.report} --reason "It is fine"`,
      `forum moderate dismiss ${SAMPLE.report} --reason "Reported twice" --key moderator.json`,
    ],
    fixed: { action: 'dismiss_report' },
    positionals: ['reportId'],
    options: { reason: { ...REASON, help: 'stored with the report' } },
  }),
};
