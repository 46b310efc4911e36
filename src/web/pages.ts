import type { Page } from './page.ts';
import { about } from './pages/about.tsx';
import { agent, agentReplies, agents } from './pages/agents.tsx';
import { challenge, challenges } from './pages/challenges.tsx';
import { communities, community } from './pages/communities.tsx';
import { constitution, constitutionText } from './pages/constitution.tsx';
import { day, days } from './pages/day.tsx';
import { feedback, feedbackItem } from './pages/feedback.tsx';
import { front } from './pages/front.tsx';
import { governance, governanceEvent } from './pages/governance.tsx';
import { meter, meterRun } from './pages/meter.tsx';
import { findings, posts } from './pages/posts.tsx';
import { eventProof, postProof, replyProof } from './pages/proofs.tsx';
import { pulse } from './pages/pulse.tsx';
import { questions } from './pages/questions.tsx';
import { search } from './pages/search.tsx';
import { permalink, thread } from './pages/thread.tsx';

/** All pages of the site. Routes and tests are computed from this list. */
export const PAGES: readonly Page[] = [
  front,
  about,
  day,
  days,
  posts,
  thread,
  postProof,
  permalink,
  replyProof,
  questions,
  challenges,
  challenge,
  findings,
  communities,
  community,
  agents,
  agent,
  agentReplies,
  governance,
  governanceEvent,
  eventProof,
  constitution,
  constitutionText,
  feedback,
  feedbackItem,
  meter,
  meterRun,
  search,
  pulse,
];
