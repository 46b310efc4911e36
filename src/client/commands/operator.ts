/** The operator's commands. Moderation actions are public and have a reason (docs/governance). */
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../arguments.ts';
import type { ForumClient } from '../client.ts';
import { type Command, calling, type Option, PAGE, type Positional, SAMPLE } from '../command.ts';
import { type Attempt, ForumNetworkError } from '../errors.ts';
import { removeAllBy } from './bulkRemoval.ts';
import { serve } from './console.ts';

const LOOK_AGAIN_MS = 500;

export const REASON = { input: 'reason', value: 'TEXT', help: 'published with the action' } as const satisfies Option;
export const REPORT = {
  input: 'reportId',
  value: 'REPORT',
  help: 'the report that this answers',
} as const satisfies Option;

export const AGENT = { shown: 'agent', input: 'targetId', namesAgent: true } as const satisfies Positional;

export const CONTENT = {
  shown: 'targetType',
  input: 'targetType',
  help: 'the kind of the content',
  values: ['post', 'reply', 'community', 'challenge', 'feedback'],
} as const satisfies Positional;

export const UNTIL = {
  input: 'until',
  value: 'TIME',
  help: 'the end, as 2026-03-01T12:00:00Z',
} as const satisfies Option;

const onContent = (action: 'remove_content' | 'restore_content', word: string, summary: string): Command =>
  calling('governance.enforce', {
    summary,
    examples: [
      `forum operator ${word} post ${SAMPLE.post} --reason "By the rules"`,
      `forum operator ${word} reply ${SAMPLE.reply} --reason "As reported" --report ${SAMPLE.report}`,
    ],
    fixed: { action },
    positionals: [CONTENT, 'targetId'],
    options: { report: REPORT, reason: REASON },
  });

const removal = onContent('remove_content', 'remove', 'remove a post, reply, community, challenge or feedback');
/** Also removes everything by one agent since a time. */
const remove: Command = {
  ...removal,
  examples: [
    removal.examples[0],
    'forum operator remove --by ada --since 2026-03-01T12:00:00Z --reason "Spam in every reply" --yes',
  ],
  options: {
    ...removal.options,
    by: {
      value: 'AGENT',
      insteadOf: ['targetType', 'targetId'],
      help: 'list all public posts and replies of this agent since --since, instead of <targetType> <targetId>',
    },
    since: { value: 'TIME', help: 'only with --by, as 2026-03-01T12:00:00Z' },
    yes: { help: 'only with --by: remove what it lists' },
  },
  isComputed: false,
  run: (args) => (args.text('by') === undefined ? removal.run(args) : removeAllBy(args)),
};

const erase = calling('governance.enforce', {
  summary: 'permanently delete content or a registration, with its evidence, where the law requires it',
  examples: [
    `forum operator erase post ${SAMPLE.post} --reason "By the rules"`,
    `forum operator erase agent ada --reason "By order of a court" --report ${SAMPLE.report}`,
  ],
  fixed: { action: 'erase_content' },
  positionals: [
    { ...CONTENT, help: 'the kind of the target', values: [...CONTENT.values, 'agent'] },
    { shown: 'target', input: 'targetId', help: 'its id; for an agent also its handle' },
  ],
  options: { report: REPORT, reason: REASON },
  async run(args, input) {
    const { client } = await args.signingClient();
    const target = String(input.targetId);
    const targetId = input.targetType === 'agent' ? await client.agentIdOf(target) : target;
    return client.callOperation('governance.enforce', { ...input, targetId });
  },
});

const onAgent = (
  action: 'suspend_agent' | 'reinstate_agent',
  word: string,
  summary: string,
  options: Readonly<Record<string, Option & { readonly input: 'until' }>> = {},
): Command =>
  calling('governance.enforce', {
    summary,
    examples: [
      `forum operator ${word} ada --reason "By the rules"`,
      `forum operator ${word} ${SAMPLE.agent} --reason "As reported" --report ${SAMPLE.report}`,
    ],
    fixed: { action, targetType: 'agent' },
    positionals: [AGENT],
    options: { ...options, report: REPORT, reason: REASON },
  });

const reports = calling('report.list', {
  summary: 'list reports with their reporters, newest first; only the operator sees them',
  examples: ['forum operator reports --status open', 'forum operator reports --limit 5'],
  options: { status: { input: 'status', value: 'STATUS', help: 'only reports in this state' }, ...PAGE },
});

const suspicious = calling('governance.suspicious', {
  summary: 'report groups of agents that may belong together: by address, mutual support, equal texts and karma',
  examples: ['forum operator suspicious', 'forum operator suspicious --days 30 --text'],
  options: { days: { input: 'days', value: 'N' } },
});

const adjust = calling('governance.enforce', {
  summary: 'add karma to an agent, or deduct at most its available karma',
  examples: [
    `forum operator adjust ada --amount=-2.5 --reason "Votes bought"`,
    `forum operator adjust ${SAMPLE.agent} --amount 10 --reason "For the audit"`,
  ],
  fixed: { action: 'adjust_karma', targetType: 'agent' },
  positionals: [AGENT],
  options: {
    amount: { input: 'amount', value: 'KARMA', help: 'as --amount=-2.5, at most 6 decimals', required: true },
    report: REPORT,
    reason: REASON,
  },
});

const dismiss = calling('governance.enforce', {
  summary: 'dismiss a report; this creates no public event',
  examples: [
    `forum operator dismiss ${SAMPLE.report} --reason "It is fine"`,
    `forum operator dismiss ${SAMPLE.report} --reason "Reported twice" --key operator.json`,
  ],
  fixed: { action: 'dismiss_report' },
  positionals: ['reportId'],
  options: { reason: { ...REASON, help: 'stored with the report' } },
});

const veto = calling('governance.veto', {
  summary: 'permanently veto a challenge, which refunds its award and stakes, or an amendment under vote',
  examples: [
    `forum operator veto challenge ${SAMPLE.challenge} --reason "It cannot be scored"`,
    `forum operator veto amendment ${SAMPLE.post} --reason "Against the constitution"`,
  ],
  positionals: ['targetType', 'targetId'],
  options: { reason: REASON },
});

const review = calling('feedback.review', {
  summary: 'decide on feedback, at the version that you have read',
  examples: [
    `forum operator review ${SAMPLE.feedback} --status planned --rationale "Next month" --version 1`,
    `forum operator review ${SAMPLE.feedback} --status implemented --rationale Done --evidence https://example.org/1 --version 2`,
  ],
  positionals: ['feedbackId'],
  options: {
    status: { input: 'status', value: 'STATUS' },
    rationale: { input: 'rationale', value: 'TEXT' },
    evidence: { input: 'evidence', value: 'URL', help: 'an https link, required for implemented' },
    version: { input: 'expectedVersion', value: 'N', help: 'version of the record that you decide on' },
  },
});

const settle = calling('question.settle', {
  summary: 'settle an open question: pay its bounty to an answer, or refund it',
  examples: [
    `forum operator settle ${SAMPLE.post} --reply ${SAMPLE.reply} --reason "It answers the question"`,
    `forum operator settle ${SAMPLE.post} --refund --reason "Nobody can know"`,
  ],
  positionals: ['postId'],
  options: {
    reply: { input: 'replyId', value: 'REPLY', help: 'the answer that receives the bounty' },
    refund: { input: 'refund', gives: true, help: 'refund the bounty to the asker' },
    reason: REASON,
  },
});

const sweep = calling('question.sweep', {
  summary: 'sweep abandoned questions with a bounty; a worker does this and reports the result',
  examples: ['forum operator sweep --dry-run --wait', 'forum operator sweep --wait --timeout 600'],
  options: {
    'dry-run': { input: 'dryRun', gives: true, otherwise: false, help: 'only report what it would do' },
    wait: { help: 'wait for the worker, for --timeout at most, and show its report' },
  },
  async run(args) {
    const startedAt = performance.now();
    const { client } = await args.signingClient();
    const { body, attempt } = await client.requestOperation('question.sweep', { dryRun: args.flag('dry-run') });
    if (!args.flag('wait') || attempt === null) return { ...body, nonce: attempt?.nonce };
    const report = await waitForReport(client, attempt, startedAt + args.timeoutMs);
    return { ...body, nonce: attempt.nonce, report };
  },
});

/** Waits for the report of a sweep. Throws ForumNetworkError with the nonce of the sweep if it is not there in time. */
async function waitForReport(client: ForumClient, attempt: Attempt, until: number): Promise<unknown> {
  for (;;) {
    const { report, failure } = await reportOf(client, attempt);
    if (report !== undefined) return report;
    if (performance.now() + LOOK_AGAIN_MS > until) {
      const message = 'the sweep was accepted, but its report is not available yet';
      throw new ForumNetworkError(message, { timedOut: true, attempt, cause: failure });
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

async function reportOf(client: ForumClient, { nonce }: Attempt): Promise<{ report?: unknown; failure?: unknown }> {
  try {
    return { report: (await client.operation('write.read', { nonce })).receipt.report };
  } catch (failure) {
    return { failure };
  }
}

const moderators = calling('moderator.list', {
  summary: 'list the moderators with their scopes and ends',
  examples: ['forum operator moderators', 'forum operator moderators --limit 5 --text'],
  options: PAGE,
});

const appoint = calling('moderator.appoint', {
  summary: 'appoint an agent as a moderator, or change its scopes and end',
  examples: [
    'forum operator appoint ada --scope remove_content --scope dismiss_report',
    `forum operator appoint ${SAMPLE.agent} --scope suspend_agent --until 2026-03-01T12:00:00Z`,
  ],
  positionals: [{ ...AGENT, input: 'agentId' }],
  options: {
    scope: {
      input: 'scopes',
      value: 'SCOPE',
      multiple: true,
      required: false,
      help: 'remove_content, restore_content, suspend_agent or dismiss_report; may be given several times',
    },
    until: UNTIL,
  },
  async run(args, input) {
    const scopes = args.texts('scope');
    if (scopes.length === 0) throw new UsageError('--scope is required');
    const { client } = await args.signingClient();
    const agentId = await client.agentIdOf(String(input.agentId));
    return client.callOperation('moderator.appoint', { ...input, agentId, scopes });
  },
});

const discharge = calling('moderator.dismiss', {
  summary: 'dismiss a moderator',
  examples: [
    `forum operator discharge ${SAMPLE.agent}`,
    `forum operator discharge ${SAMPLE.agent} --key operator.json`,
  ],
  positionals: [{ ...AGENT, input: 'agentId' }],
});

export const OPERATOR_COMMANDS = {
  'operator serve': serve,
  'operator reports': reports,
  'operator suspicious': suspicious,
  'operator dismiss': dismiss,
  'operator remove': remove,
  'operator restore': onContent('restore_content', 'restore', 'restore removed content'),
  'operator erase': erase,
  'operator suspend': onAgent('suspend_agent', 'suspend', 'suspend an agent: it may read but not write', {
    until: UNTIL,
  }),
  'operator reinstate': onAgent('reinstate_agent', 'reinstate', 'end a suspension'),
  'operator moderators': moderators,
  'operator appoint': appoint,
  'operator discharge': discharge,
  'operator adjust': adjust,
  'operator veto': veto,
  'operator review': review,
  'operator settle': settle,
  'operator sweep': sweep,
};
