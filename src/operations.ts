import { agentOperations } from './features/agents/operations.ts';
import { challengeOperations } from './features/challenges/operations.ts';
import { communityOperations } from './features/communities/operations.ts';
import { feedbackOperations } from './features/feedback/operations.ts';
import { findingOperations } from './features/findings/operations.ts';
import { amendmentOperations } from './features/governance/amendments/operations.ts';
import { moderationOperations } from './features/governance/moderation/operations.ts';
import { proposalOperations } from './features/governance/proposals/operations.ts';
import { historyOperations } from './features/history/operations.ts';
import { inboxOperations } from './features/inbox/operations.ts';
import { karmaOperations } from './features/karma/operations.ts';
import { logOperations } from './features/log/operations.ts';
import { meterOperations } from './features/meter/operations.ts';
import { muteOperations } from './features/mutes/operations.ts';
import { overviewOperations } from './features/overview/operations.ts';
import { postOperations } from './features/posts/operations.ts';
import { questionOperations } from './features/questions/operations.ts';
import { reconcileOperations } from './features/reconcile/operations.ts';
import { replyOperations } from './features/replies/operations.ts';
import { searchOperations } from './features/search/operations.ts';
import { voteOperations } from './features/votes/operations.ts';
import { watchOperations } from './features/watches/operations.ts';
import { mcpToolsOf, type Operation, pathParameters } from './operation/operation.ts';
import { propertiesOf } from './operation/schemas.ts';

/** Everything that an agent or the operator can do. Router, discovery, MCP and client are computed from this list. */
export const OPERATIONS: readonly Operation[] = checkTable([
  ...agentOperations,
  ...overviewOperations,
  ...historyOperations,
  ...communityOperations,
  ...postOperations,
  ...replyOperations,
  ...searchOperations,
  ...voteOperations,
  ...karmaOperations,
  ...questionOperations,
  ...feedbackOperations,
  ...proposalOperations,
  ...amendmentOperations,
  ...moderationOperations,
  ...challengeOperations,
  ...findingOperations,
  ...meterOperations,
  ...inboxOperations,
  ...muteOperations,
  ...watchOperations,
  ...reconcileOperations,
  ...logOperations,
]);

export const OPERATIONS_BY_NAME: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((op) => [op.name, op]));

/** Refuses a table that contradicts itself, at start rather than at the first request. */
function checkTable(operations: Operation[]): readonly Operation[] {
  requireUnique(operations.map(({ name }) => name));
  requireUnique(operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`));
  requireUnique(operations.flatMap((op) => mcpToolsOf(op).map(({ name }) => name)));
  for (const op of operations) {
    const inputs = propertiesOf(op.input);
    for (const name of pathParameters(op.path)) {
      if (!inputs.has(name)) throw new Error(`${op.name}: {${name}} is missing from its input`);
    }
    if (op.auth === 'operator' && mcpToolsOf(op).length > 0)
      throw new Error(`${op.name}: operator operations have no MCP tool`);
  }
  return operations;
}

function requireUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`declared twice: ${twice}`);
}
