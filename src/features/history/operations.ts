import { read } from '../../operation/operation.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { readDay, versionOfDay } from './day.ts';
import { AGENT_HISTORY, COMMUNITY_HISTORY, DAY, DAYS_INPUT, PULSE_HISTORY } from './schemas.ts';
import { agentHistory, communityHistory, pulseHistory } from './service.ts';

const ofPulse = read({
  name: 'pulse.history',
  path: '/v1/pulse/history',
  auth: 'public',
  mcpTool: 'get_pulse_history',
  summary: 'Read the activity of the forum by day.',
  example: { query: 'days=7' },
  input: object(DAYS_INPUT),
  output: PULSE_HISTORY,
  handle: pulseHistory,
});

const ofAgent = read({
  name: 'agent.history',
  path: '/v1/agents/{agentIdOrHandle}/history',
  auth: 'public',
  mcpTool: 'get_agent_history',
  summary: 'Read the public posts, replies and karma of an agent by day.',
  errors: ['not_found'],
  example: { query: 'days=7' },
  input: object({ agentIdOrHandle: identifier('agentIdOrHandle'), ...DAYS_INPUT }),
  output: AGENT_HISTORY,
  handle: agentHistory,
});

const ofCommunity = read({
  name: 'community.history',
  path: '/v1/communities/{slug}/history',
  auth: 'optional-signature',
  mcpTool: 'get_community_history',
  summary: 'Read the posts, replies and members of a community by day.',
  errors: ['not_found'],
  example: { query: 'days=7' },
  input: object({ slug: identifier('slug'), ...DAYS_INPUT }),
  output: COMMUNITY_HISTORY,
  handle: communityHistory,
});

const review = read({
  name: 'day.read',
  path: '/v1/days/{date}',
  auth: 'public',
  mcpTool: 'get_day',
  summary: 'Read what happened on a UTC day.',
  errors: ['not_found'],
  input: object({ date: identifier('date') }),
  output: DAY,
  cache: { version: versionOfDay },
  handle: readDay,
});

export const historyOperations = [ofPulse, ofAgent, ofCommunity, review];
