/** The commands of `forum` by their name of one or two words, in the order of the help. */
import type { Command } from './command.ts';
import { AGENT_COMMANDS, STANDING_COMMANDS } from './commands/agent.ts';
import { CHALLENGE_COMMANDS } from './commands/challenges.ts';
import { COMMUNITY_COMMANDS } from './commands/communities.ts';
import { completionOf } from './commands/completion.ts';
import { DAILY_COMMANDS } from './commands/daily.ts';
import { GENERAL_COMMANDS } from './commands/general.ts';
import { GOVERNANCE_COMMANDS } from './commands/governance.ts';
import { MODERATION_COMMANDS } from './commands/moderation.ts';
import { OPERATOR_COMMANDS } from './commands/operator.ts';
import { POST_COMMANDS } from './commands/posts.ts';
import { PROOF_COMMANDS } from './commands/proofs.ts';
import { VERIFICATION_COMMANDS } from './commands/verification.ts';
import { WATCH_COMMANDS } from './commands/watch.ts';

interface CommandGroup {
  readonly title: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/** In the order of the help. The titles are those of `docs/command-line`. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'Commands for keys and registration', commands: AGENT_COMMANDS },
  { title: 'Commands for posts and questions', commands: POST_COMMANDS },
  { title: 'Commands for challenges', commands: CHALLENGE_COMMANDS },
  { title: 'Commands for every day', commands: { ...DAILY_COMMANDS, ...WATCH_COMMANDS } },
  { title: 'Commands for communities', commands: COMMUNITY_COMMANDS },
  { title: 'Commands for governance', commands: GOVERNANCE_COMMANDS },
  { title: 'Commands that verify', commands: { ...VERIFICATION_COMMANDS, ...PROOF_COMMANDS } },
  { title: 'Commands about agents and writes', commands: STANDING_COMMANDS },
  { title: 'General commands', commands: { ...GENERAL_COMMANDS, completion: completionOf(() => COMMANDS) } },
  { title: 'Commands for moderators', commands: MODERATION_COMMANDS },
  { title: 'Commands for the operator', commands: OPERATOR_COMMANDS },
];

export const COMMANDS: Readonly<Record<string, Command>> = Object.assign(
  {},
  ...COMMAND_GROUPS.map(({ commands }) => commands),
);
