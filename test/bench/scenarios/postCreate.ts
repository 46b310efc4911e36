import { createPost } from '../../../src/features/posts/service.ts';
import type { Effect, SignedContext } from '../../../src/operation/operation.ts';
import { newId } from '../../../src/protocol/ids.ts';
import { recordOfPost } from '../../support/writeRecord.ts';
import { newPost } from '../content.ts';
import type { Call, Scenario } from '../scenario.ts';
import type { BenchAgent, Stage } from '../stage.ts';

/**
 * Signed creation of a post on the timeline, compared with its own statement in a bare loop over the same driver. The
 * statement writes the same rows: post, event, receipt, evidence and the entry that waits for the log. The bare loop
 * uses neither nonces nor counters in Redis. The bound was set with Node's signature check; that of the service costs
 * half as much.
 */
export const postCreate: Scenario = {
  name: 'post.create',
  title: 'Signed post',
  targets: [
    {
      title: 'CPU of a signed post ÷ the same SQL and one signature check by node:crypto',
      quantity: 'cpu',
      of: 'api',
      against: 'sqlAndSignature',
      atMost: 2,
    },
    {
      title: 'the same, the floor’s signature checked by libsodium as well',
      quantity: 'cpu',
      of: 'api',
      against: 'sqlAndSodium',
    },
  ],
  prepare: async (stage) => {
    const { statement } = (await effectOf(stage.floorAgents[0]!)).change!;
    const calls = (count: number) => signedPosts(stage, count);
    const values = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => written(stage, index)));
    return [
      { kind: 'http', name: 'api', title: 'POST /v1/posts', server: 'api', status: 201, calls },
      { kind: 'loop', name: 'sql', title: 'the same SQL, raw pg', statement, signature: 'none', values },
      { kind: 'loop', name: 'sqlAndSignature', title: '… and one signature', statement, signature: 'node', values },
      { kind: 'loop', name: 'sqlAndSodium', title: '… by libsodium', statement, signature: 'sodium', values },
      {
        kind: 'http',
        name: 'nothing',
        title: 'bare node:http, nothing',
        server: 'nothing',
        status: 200,
        repeatable: true,
        calls,
      },
    ];
  },
};

/** Posts signed by all agents, one after the other. */
export function signedPosts(stage: Stage, count: number, post = newPost): Call[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/v1/posts',
    body: JSON.stringify(post()),
    signer: index % stage.agents.length,
  }));
}

/**
 * The parameters that the pipeline passes, without its limit on lock waits: the loop has no other connection to wait
 * on.
 */
async function written(stage: Stage, index: number): Promise<unknown[]> {
  const agent = stage.floorAgents[index % stage.floorAgents.length]!;
  const { change, facts, events } = await effectOf(agent);
  const json = JSON.stringify(facts);
  const body = JSON.stringify(newPost());
  // The record is made long before it is sent.
  const record = { deadline: null, facts: json, body, evident: json };
  return [`[${recordOfPost(agent.agentId, change!.values, events, record)}]`, false];
}

/** The feature's effect for a post on the timeline, which depends on these three properties alone. */
async function effectOf({ agentId, handle }: BenchAgent): Promise<Effect<object>> {
  const now = Date.now();
  const context: Pick<SignedContext, 'caller' | 'now' | 'newId'> = {
    caller: { agentId, handle },
    now,
    newId: (prefix) => newId(prefix, now),
  };
  return createPost(context as SignedContext, newPost());
}
