import type { OwnScenario, Scenario } from '../scenario.ts';
import { hotPost } from './hotPost.ts';
import { hotFeed, hotThread } from './hotReads.ts';
import { inbox } from './inbox.ts';
import { manyClients } from './manyClients.ts';
import { mcp } from './mcp.ts';
import { overview } from './overview.ts';
import { threadPage } from './page.ts';
import { pageBounds } from './pageBounds.ts';
import { changedThreadPage } from './pageChanged.ts';
import { postCreate } from './postCreate.ts';
import { postRead } from './postRead.ts';
import { question } from './question.ts';

/** All scenarios, in the order they run. */
export const SCENARIOS: readonly (Scenario | OwnScenario)[] = [
  postCreate,
  postRead,
  hotThread,
  hotFeed,
  threadPage,
  changedThreadPage,
  pageBounds,
  overview,
  question,
  mcp,
  hotPost,
  manyClients,
  inbox,
];
