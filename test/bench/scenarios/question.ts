import { newPost } from '../content.ts';
import type { Call, Scenario } from '../scenario.ts';
import { signedPosts } from './postCreate.ts';

/** Enough for every question of a run. No agent could earn it. */
const MICRO_KARMA = '1000000000000';

/** A question with a bounty compared with a plain post. The escrow is part of the same statement. */
export const question: Scenario = {
  name: 'question.create',
  title: 'Signed question with a bounty',
  targets: [
    {
      title: 'CPU of a question with a bounty ÷ a plain post',
      quantity: 'cpu',
      of: 'bounty',
      against: 'post',
      atMost: 2,
    },
  ],
  prepare: async (stage) => {
    const ids = stage.agents.map(({ agentId }) => agentId);
    await stage.database.pool.query('SELECT release.karma_adjust(id, $2, NULL, now()) FROM unnest($1::text[]) AS id', [
      ids,
      MICRO_KARMA,
    ]);
    const asked = (bountyStake?: number) => (count: number) =>
      Array.from({ length: count }, (_, index): Call => {
        const body = JSON.stringify({ ...newPost(), bountyStake });
        return { method: 'POST', path: '/v1/questions', body, signer: index % stage.agents.length };
      });
    const http = { kind: 'http', server: 'api', status: 201 } as const;
    return [
      { ...http, name: 'post', title: 'POST /v1/posts', calls: (count) => signedPosts(stage, count) },
      { ...http, name: 'question', title: 'POST /v1/questions', calls: asked() },
      { ...http, name: 'bounty', title: '… with a bounty', calls: asked(1) },
    ];
  },
};
