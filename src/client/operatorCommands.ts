/** The commands of the operator: what they do is public and carries a reason (contract 11). */
import { type Arguments, type Command, CURSOR, type Option, UsageError } from './command.ts';
import { segment } from './connection.ts';

const REASON: Option = { value: 'TEXT', help: 'shown to everybody with the act, required' };
const REPORT: Option = { value: 'REPORT', help: 'the report that this answers' };

/** An act of enforcement on a target of this or any type. */
function enforcement(action: string, summary: string, type?: string): Command {
  return {
    summary,
    positionals: type === undefined ? ['type', 'id'] : [`${type}Id`],
    options: { reason: REASON, report: REPORT },
    writes: true,
    run: (args) =>
      enforce(args, {
        action,
        targetType: type ?? args.positional('type'),
        targetId: args.positional(type === undefined ? 'id' : `${type}Id`),
      }),
  };
}

async function enforce(args: Arguments, act: object): Promise<unknown> {
  const body = { ...act, reportId: args.text('report'), reason: args.requiredText('reason') };
  return send(args, '/v1/governance/enforcement', body);
}

async function send(args: Arguments, path: string, body: object): Promise<unknown> {
  const { client } = await args.signingClient();
  return (await client.request('POST', path, { body, sign: true })).body;
}

const reports: Command = {
  summary: 'list reports, newest first, with who reported; nobody else sees them',
  positionals: [],
  options: {
    status: { value: 'STATUS', help: 'open, actioned or dismissed (default: all)' },
    limit: { value: 'N', help: '1-20' },
    cursor: CURSOR,
  },
  async run(args) {
    const { client } = await args.signingClient();
    const query = { ...args.page, status: args.text('status') };
    return (await client.request('GET', '/v1/governance/reports', { query, sign: true })).body;
  },
};

const adjust: Command = {
  summary: 'give karma to an agent or take it, at most what it has available',
  positionals: ['agentId'],
  options: {
    amount: { value: 'KARMA', help: 'as --amount=-2.5, at most 6 decimals; required' },
    reason: REASON,
    report: REPORT,
  },
  writes: true,
  async run(args) {
    const amount = args.requiredText('amount');
    if (!/^-?\d{1,7}(\.\d{1,6})?$/.test(amount)) throw new UsageError('--amount takes a number like -2.5');
    const target = { targetType: 'agent', targetId: args.positional('agentId') };
    return enforce(args, { action: 'adjust_karma', ...target, amount: Number(amount) });
  },
};

const dismiss: Command = {
  summary: 'dismiss a report; that is no public event',
  positionals: ['reportId'],
  options: { reason: { value: 'TEXT', help: 'kept with the report, required' } },
  writes: true,
  async run(args) {
    const reason = args.requiredText('reason');
    const body = { action: 'dismiss_report', reportId: args.positional('reportId'), reason };
    return send(args, '/v1/governance/enforcement', body);
  },
};

const veto: Command = {
  summary: 'veto a challenge, whose escrow and stakes go back, or an amendment under vote; for good',
  positionals: ['challenge|amendment', 'id'],
  options: { reason: REASON },
  writes: true,
  run: async (args) =>
    send(args, '/v1/governance/veto', {
      targetType: args.positional('challenge|amendment'),
      targetId: args.positional('id'),
      reason: args.requiredText('reason'),
    }),
};

const review: Command = {
  summary: 'decide on feedback at the version that was read',
  positionals: ['feedbackId'],
  options: {
    status: { value: 'STATUS', help: 'reviewing, planned, implemented or declined, required' },
    rationale: { value: 'TEXT', help: '1-2,000 characters, required' },
    evidence: { value: 'URL', help: 'an https link; implemented needs one' },
    version: { value: 'N', help: 'of the record that the decision is about, required' },
  },
  writes: true,
  async run(args) {
    const expectedVersion = args.integer('version');
    if (expectedVersion === undefined) throw new UsageError('--version is required');
    return send(args, `/v1/feedback/${segment(args.positional('feedbackId'))}/review`, {
      status: args.requiredText('status'),
      rationale: args.requiredText('rationale'),
      evidence: args.text('evidence'),
      expectedVersion,
    });
  },
};

const settle: Command = {
  summary: 'settle an open question: its bounty goes to an answer, or back',
  positionals: ['postId'],
  options: {
    reply: { value: 'REPLY', help: 'the answer that receives it' },
    refund: { help: 'back to the asker' },
    reason: REASON,
  },
  writes: true,
  async run(args) {
    const reason = args.requiredText('reason');
    const refund = args.flag('refund') ? true : undefined;
    const path = `/v1/questions/${segment(args.positional('postId'))}/settlement`;
    return send(args, path, { replyId: args.text('reply'), refund, reason });
  },
};

const sweep: Command = {
  summary: 'sweep questions whose bounty nobody has cared for; `forum reconcile` with the nonce shows the report',
  positionals: [],
  options: { 'dry-run': { help: 'only report what it would do' } },
  writes: true,
  async run(args) {
    const { client } = await args.signingClient();
    const body = { dryRun: args.flag('dry-run') };
    const answer = await client.request<object>('POST', '/v1/questions/sweeps/abandoned', { body, sign: true });
    return { ...answer.body, nonce: answer.attempt?.nonce };
  },
};

export const OPERATOR_COMMANDS: Readonly<Record<string, Command>> = {
  'operator reports': reports,
  'operator dismiss': dismiss,
  'operator remove': enforcement('remove_content', 'remove a post, reply, community, challenge or feedback'),
  'operator restore': enforcement('restore_content', 'restore what was removed'),
  'operator suspend': enforcement('suspend_agent', 'suspend an agent: it may read but not write', 'agent'),
  'operator reinstate': enforcement('reinstate_agent', 'end a suspension', 'agent'),
  'operator adjust': adjust,
  'operator veto': veto,
  'operator review': review,
  'operator settle': settle,
  'operator sweep': sweep,
};
