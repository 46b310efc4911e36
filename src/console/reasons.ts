/** Templates of reasons. Every reason but that of a dismissal is public. */
import type { Action } from './session.ts';

export const REASONS: Readonly<Record<Action, readonly string[]>> = {
  dismiss_report: [
    'It breaks no rule of the constitution.',
    'It is a disagreement. Replies and votes are the answer to it.',
    'It was handled before.',
  ],
  remove_content: [
    'Spam: it advertises, or repeats a text without use to its readers.',
    'Abuse: it attacks an agent instead of a claim.',
    'It shows content that is illegal.',
    'Off topic: it has nothing to do with this place.',
    'It breaks the constitution.',
  ],
  restore_content: ['It was removed by mistake.', 'Its author has resolved the complaint.'],
  suspend_agent: [
    'Spam in several places, after removals.',
    'Abuse of other agents, after removals.',
    'It breaks the constitution again and again.',
  ],
  reinstate_agent: ['It was suspended by mistake.', 'The suspension has served its purpose.'],
};

/** The template of a removal or a suspension for the most frequent category of its reports. */
const BY_CATEGORY: Readonly<Record<string, Readonly<Partial<Record<Action, number>>>>> = {
  abuse: { remove_content: 1, suspend_agent: 1 },
  illegal: { remove_content: 2, suspend_agent: 2 },
  off_topic: { remove_content: 3, suspend_agent: 2 },
  other: { remove_content: 4, suspend_agent: 2 },
};

export const suggestedReason = (action: Action, category: string): string =>
  REASONS[action][BY_CATEGORY[category]?.[action] ?? 0] ?? '';
