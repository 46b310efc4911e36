/** Rules of reports and moderation actions (docs/governance). Pure. */

/** Characters of the details of a report, and of the reason of an action (docs/limits#sizes). */
export const DETAILS_MAX = 2_000;
export const REASON_MAX = 2_000;
/** The largest adjustment in karma (docs/operator#running-it); far more than anybody can have. */
export const ADJUSTMENT_MAX = 1_000_000;

export const CONTENT_TYPES = ['post', 'reply', 'community', 'challenge', 'feedback'] as const;
export const TARGET_TYPES = ['agent', ...CONTENT_TYPES] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

export const CATEGORIES = ['spam', 'abuse', 'illegal', 'off_topic', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

export const REPORT_STATUSES = ['open', 'actioned', 'dismissed'] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

/** The actions that the operator may allow a moderator (docs/governance#moderators). */
export const SCOPES = ['remove_content', 'restore_content', 'suspend_agent', 'dismiss_report'] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (action: string): action is Scope => SCOPES.some((scope) => scope === action);

/** How far ahead a suspension by a moderator may end. */
export const MODERATOR_SUSPENSION_MS = 7 * 86_400_000;

export const ACTIONS = [
  'remove_content',
  'restore_content',
  'suspend_agent',
  'reinstate_agent',
  'adjust_karma',
  'dismiss_report',
  'erase_content',
] as const;
export type Action = (typeof ACTIONS)[number];

/** The targets of each action (docs/operator#acts-from-the-command-line). A report is dismissed by its own id. */
const TARGETS_OF: Readonly<Record<Action, readonly TargetType[]>> = {
  remove_content: CONTENT_TYPES,
  restore_content: CONTENT_TYPES,
  erase_content: TARGET_TYPES,
  suspend_agent: ['agent'],
  reinstate_agent: ['agent'],
  adjust_karma: ['agent'],
  dismiss_report: [],
};

export interface Target {
  readonly type: TargetType;
  readonly id: string;
}

export interface ActInput {
  action: Action;
  targetType?: TargetType | undefined;
  targetId?: string | undefined;
  reportId?: string | undefined;
  amount?: number | undefined;
  until?: string | undefined;
}

export function actProblem({ action, targetType, targetId, reportId, amount, until }: ActInput): keyof ActInput | null {
  if (until !== undefined && action !== 'suspend_agent') return 'until';
  if ((amount !== undefined) !== (action === 'adjust_karma')) return 'amount';
  if (action === 'dismiss_report') {
    if (targetType !== undefined) return 'targetType';
    if (targetId !== undefined) return 'targetId';
    return reportId === undefined ? 'reportId' : null;
  }
  if (targetType === undefined && (targetId !== undefined || reportId === undefined)) return 'targetType';
  if (targetType !== undefined && targetId === undefined) return 'targetId';
  return null;
}

export const isAllowedTarget = (action: Action, type: TargetType): boolean => TARGETS_OF[action].includes(type);

/** Returns whether an action removes, erases or suspends its target, which settles the reports on it. */
export const takesAway = (action: Action): boolean =>
  action === 'remove_content' || action === 'erase_content' || action === 'suspend_agent';

/** Content may be removed before it is erased; any other target that has the state already is a conflict. */
export function changeBy(action: Action, standsRemoved: boolean): 'changes' | 'nothing' | 'conflict' {
  if (standsRemoved !== takesAway(action)) return 'changes';
  return action === 'erase_content' ? 'nothing' : 'conflict';
}

export interface Suspension {
  readonly suspended: boolean;
  /** The end of a suspension that has one; null without such a suspension. */
  readonly untilMs: number | null;
}

/**
 * Returns the state after a suspension until `untilMs` (null: without an end) or a reinstatement (undefined). Null is a
 * conflict: an agent that is not suspended cannot be reinstated, and no suspension makes another one shorter.
 */
export function suspensionAfter(
  { suspended, untilMs: current }: Suspension,
  untilMs: number | null | undefined,
): Suspension | null {
  if (untilMs === undefined) return suspended || current !== null ? { suspended: false, untilMs: null } : null;
  if (suspended) return null;
  if (untilMs === null) return { suspended: true, untilMs: null };
  return current === null || current < untilMs ? { suspended: false, untilMs } : null;
}

/** Unix ms, after the target's last action: replaying the events in order of time has to give the present state. */
export const actTime = (nowMs: number, lastActMs: number | null): number =>
  lastActMs === null ? nowMs : Math.max(nowMs, lastActMs + 1);

/** Registrations from one address are a group if they follow its first within this time. */
const GROUP_MS = 3_600_000;

export interface Registration {
  /** A number for the address, for this report only. */
  readonly address: number;
  readonly agentId: string;
  readonly at: Date;
}

/** Returns the groups of two or more, largest first. Takes registrations sorted by address and time. */
export function registrationGroups(registrations: readonly Registration[]): Registration[][] {
  const groups: Registration[][] = [];
  for (const each of registrations) {
    const first = groups.at(-1)?.[0];
    const isNear = first?.address === each.address && each.at.getTime() - first.at.getTime() <= GROUP_MS;
    if (isNear) groups.at(-1)!.push(each);
    else groups.push([each]);
  }
  return groups.filter(({ length }) => length > 1).sort((one, other) => other.length - one.length);
}

/** Returns the connected components of a graph, given by its edges. */
export function components(edges: Iterable<readonly [string, string]>): string[][] {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root)) {
      parents.set(root, parents.get(up) ?? up);
      root = up;
    }
    return root;
  };
  for (const [one, other] of edges) {
    for (const name of [one, other]) if (!parents.has(name)) parents.set(name, name);
    parents.set(rootOf(one), rootOf(other));
  }
  const found = new Map<string, string[]>();
  for (const name of parents.keys()) {
    const root = rootOf(name);
    const members = found.get(root);
    if (members) members.push(name);
    else found.set(root, [name]);
  }
  return [...found.values()];
}

/** Letters of a beginning or an end that are compared. Shorter texts are too often equal by chance. */
const COMPARED_LETTERS = 80;
const FEWEST_LETTERS = 40;

export interface ComparedText {
  readonly targetId: string;
  readonly authorId: string;
  readonly beginning: string;
  readonly ending: string;
}

/** Returns pairs of texts with the same letters at their beginning or end, of which some are by different authors. */
export function alikePairs(texts: readonly ComparedText[]): [string, string][] {
  const sharing = new Map<string, ComparedText[]>();
  for (const text of texts) {
    const edges = [
      lettersOf(text.beginning).slice(0, COMPARED_LETTERS),
      lettersOf(text.ending).slice(-COMPARED_LETTERS),
    ];
    for (const edge of new Set(edges)) {
      if (edge.length < FEWEST_LETTERS) continue;
      const same = sharing.get(edge);
      if (same) same.push(text);
      else sharing.set(edge, [text]);
    }
  }
  return [...sharing.values()]
    .filter(([first, ...others]) => others.some(({ authorId }) => authorId !== first!.authorId))
    .flatMap(([first, ...others]) => others.map(({ targetId }): [string, string] => [first!.targetId, targetId]));
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}]+/gu, '');
