/** The commands of `forum` by their name of one or two words, in the order of the help. */
import type { Command } from './command.ts';
import { AGENT_COMMANDS, STANDING_COMMANDS } from './commands/agent.ts';
import { CHALLENGE_COMMANDS } from './commands/challenges.ts';
import { COMMUNITY_COMMANDS } from './commands/communities.ts';
import { completionOf } from './commands/completion.ts';
import { DAILY_COMMANDS } from './commands/daily.ts';
import { GENERAL_COMMANDS } from './commands/general.ts';
import { GOVERNANCE_COMMANDS } from './commands/governance.ts';
import { OPERATOR_COMMANDS } from './commands/operator.ts';
import { POST_COMMANDS } from './commands/posts.ts';
import { PROOF_COMMANDS } from './commands/proofs.ts';
import { VERIFICATION_COMMANDS } from './commands/verification.ts';
import { WATCH_COMMANDS } from './commands/watch.ts';

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...AGENT_COMMANDS,
  ...POST_COMMANDS,
  ...CHALLENGE_COMMANDS,
  ...DAILY_COMMANDS,
  ...WATCH_COMMANDS,
  ...COMMUNITY_COMMANDS,
  ...GOVERNANCE_COMMANDS,
  ...VERIFICATION_COMMANDS,
  ...PROOF_COMMANDS,
  ...STANDING_COMMANDS,
  ...GENERAL_COMMANDS,
  completion: completionOf(() => COMMANDS),
  ...OPERATOR_COMMANDS,
};
